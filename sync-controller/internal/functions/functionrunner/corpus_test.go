// SPDX-License-Identifier: Apache-2.0

package functionrunner

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/mutate/corpustest"
)

// TestCorpus checks what functions that run by image make of each package of the corpus: what they make in this
// process, or fail with the same message, except for what kpt does around any function. Those differences are in
// testdata/corpus.diff, line by line. In a resource that a function edits,
//   - a new key goes behind the others: a Kptfile without info gets it below the pipeline;
//   - the keys of a list's element get the order of those of the element that was in its position;
//   - folded text is quoted;
//   - a comment at the foot of a resource is repeated, or put at the foot of the innermost value, and one behind a dash
//     gets a line of its own;
//   - of a key that is there twice, which is no YAML, both get the value of the first;
//   - plain text that is quoted on its way to the function, such as one with a colon in a flow mapping, stays quoted.
//
// A package with a key that is a mapping or a list fails, as kpt refuses it. A resource that no function edits is the
// same byte for byte, and neither runtime changes what the other has made.
func TestCorpus(t *testing.T) {
	t.Parallel()
	runtime, packages := start(t, nil), corpustest.Packages(t)
	var lock sync.Mutex
	differences := map[string]string{}
	t.Run("packages", func(t *testing.T) {
		for name, files := range packages {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				found := compare(t, runtime, name, files)
				lock.Lock()
				defer lock.Unlock()
				differences[name] = found
			})
		}
	})
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(differences)) {
		all.WriteString(differences[name])
	}
	golden(t, filepath.Join("testdata", "corpus.diff"), all.String())
}

// compare returns what the runtime makes of a package in place of what mutate.Builtin does.
func compare(t *testing.T, runtime mutate.Runtime, name string, files map[string]string) string {
	t.Helper()
	request := corpusRequest(t)
	want, wantErr := mutate.Apply(t.Context(), mutate.Builtin{}, files, request)
	got, err := mutate.Apply(t.Context(), runtime, files, request)
	var differences strings.Builder
	if lines := differ(fmt.Sprintln(wantErr), fmt.Sprintln(err)); lines != "" {
		fmt.Fprintf(&differences, "== %s: the error\n%s", name, lines)
	}
	if err != nil {
		return differences.String()
	}
	if diff := cmp.Diff(want.Points, got.Points); diff != "" {
		t.Errorf("points (-builtin +by image):\n%s", diff)
	}
	if diff := cmp.Diff(want.Changed(), got.Changed()); diff != "" {
		t.Errorf("files changed (-builtin +by image):\n%s", diff)
	}
	for _, file := range got.Changed() {
		if lines := differ(want.Files[file], got.Files[file]); lines != "" {
			fmt.Fprintf(&differences, "== %s/%s\n%s", name, file, lines)
		}
	}
	for from, made := range map[string]mutate.Outcome{"builtin": want, "by image": got} {
		for _, runtime := range []mutate.Runtime{mutate.Builtin{}, runtime} {
			if again, err := mutate.Apply(t.Context(), runtime, merged(files, made.Files), request); err != nil ||
				len(again.Files) > 0 {
				t.Errorf("%T changes %v in what %s made, %v", runtime, again.Changed(), from, err)
			}
		}
	}
	return differences.String()
}

func merged(files, changed map[string]string) map[string]string {
	files = maps.Clone(files)
	maps.Copy(files, changed)
	return files
}

// golden compares a text with a file's.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("not what %s says (-want +got):\n%s", file, diff)
	}
}

// differ returns the lines that b has in place of lines of a, by their longest common subsequence.
func differ(a, b string) string {
	from, to := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
	common := make([][]int, len(from)+1) // from a line of each on
	for i := range common {
		common[i] = make([]int, len(to)+1)
	}
	for i := len(from) - 1; i >= 0; i-- {
		for j := len(to) - 1; j >= 0; j-- {
			if common[i][j] = max(common[i+1][j], common[i][j+1]); from[i] == to[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	var out strings.Builder
	for i, j := 0, 0; i < len(from) || j < len(to); {
		switch {
		case i < len(from) && j < len(to) && from[i] == to[j]:
			i, j = i+1, j+1
		case j == len(to) || i < len(from) && common[i+1][j] >= common[i][j+1]:
			out.WriteString("-" + from[i])
			i++
		default:
			out.WriteString("+" + to[j])
			j++
		}
	}
	return out.String()
}

func corpusRequest(t *testing.T) mutate.Request {
	t.Helper()
	pv := corpustest.Variant(t)
	return mutate.Request{Name: pv.Name, Namespace: "fleet", Spec: &pv.Spec, Objects: corpustest.Objects(t)}
}
