// SPDX-License-Identifier: Apache-2.0

package render

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/tree"
)

// TestSameAsKpt saves packages whose pipelines list the functions by image. Porch must make of each what kpt makes of
// it, byte for byte. Saved again, a package changes as in a second render by kpt, which runs what the first prepended;
// a third time, not at all.
func TestSameAsKpt(t *testing.T) {
	t.Parallel()
	for name, input := range packages(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDraft(t, name)
			d.put(t, input)
			once := d.save(t)
			want := byKpt(t, input)
			expectEqual(t, "the first render", want, once)
			twice := d.save(t)
			expectEqual(t, "the second render", byKpt(t, want), twice)
			expectEqual(t, "a third render", twice, d.save(t))
		})
	}
}

// TestIndentedLists checks what Porch itself writes: it takes back the indentation of lists, in all files of a package.
// All else is as in a render by kpt.
func TestIndentedLists(t *testing.T) {
	t.Parallel()
	input, err := tree.Read(filepath.Join(root, "examples", "inject-config-simple"), ".expected")
	if err != nil {
		t.Fatal(err)
	}
	input = byImage(input)
	d := newDraft(t, "shop")
	d.put(t, input)
	want, got := byKpt(t, input), d.save(t)
	expectEqual(t, "without indentation, the render", unindented(want), unindented(got))
	const list = "  mutators:\n  - image: "
	if file := got["Kptfile"]; !strings.Contains(file, list) {
		t.Errorf("no %q in the Kptfile:\n%s", list, file)
	}
	expectEqual(t, "a second render", got, d.save(t))
}

// unindented returns the files with all lines at the left margin.
func unindented(files tree.Tree) tree.Tree {
	return replace(files, regexp.MustCompile(`(?m)^ +`), "")
}

// packages returns the packages that kpt is tested with, and the example, by image.
func packages(t *testing.T) map[string]tree.Tree {
	t.Helper()
	pipelines := filepath.Join("..", "kpt", "testdata", "pipelines")
	entries, err := os.ReadDir(pipelines)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]tree.Tree{
		"example":   tree.Load(t, exampleDir, "gateway"),
		"prepended": byImage(tree.Load(t, "..", "kpt", "testdata", "prepended", "package")),
	}
	for _, entry := range entries {
		if entry.IsDir() {
			all[entry.Name()] = byImage(tree.Load(t, pipelines, entry.Name()))
		}
	}
	if len(all) < 7 {
		t.Fatalf("found only %d packages", len(all))
	}
	return all
}

// expectEqual fails the test unless a render has the expected result.
func expectEqual(t *testing.T, what string, want, got tree.Tree) {
	t.Helper()
	d, err := tree.Diff(want, got)
	if err != nil {
		t.Fatal(err)
	}
	if d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}
