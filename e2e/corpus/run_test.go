// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/e2e/internal/tree"
)

// eval runs `kpt fn eval` with a function on the package, and returns what the package is then. If the function or kpt
// fails, it returns what was printed, and checks that the package is what it was.
func (c corpusCase) eval(t *testing.T, start tree.Tree, function, config string) (result tree.Tree, refusal string) {
	t.Helper()
	dir := c.write(t, start)
	if config != "" {
		config = filepath.Join("testdata", "config", config)
	}
	out, err := tool.Eval(dir, function, config)
	result = read(t, dir)
	if function != "noop" {
		noPanic(t, out.String())
	}
	if err == nil {
		return result, ""
	}
	if diff, _ := tree.Diff(start, result); diff != "" {
		t.Errorf("%s failed, but changed the package:\n%s", function, diff)
	}
	return nil, tool.Normal(out.Stderr, dir)
}

// testForms checks that the function's own config makes it do the same as the other form does. It is fed without kpt,
// with the package's ResourceList.
func (c corpusCase) testForms(t *testing.T, list, function, config string) {
	t.Helper()
	want, wantErr := tool.Feed(function, c.withConfig(t, list, config))
	got, gotErr := tool.Feed(function, c.withConfig(t, list, function+".yaml"))
	if (wantErr == nil) != (gotErr == nil) {
		t.Errorf("with %s: %v\nwith %s.yaml: %v", config, wantErr, function, gotErr)
	}
	if diff := cmp.Diff(items(want.Stdout), items(got.Stdout)); diff != "" {
		t.Errorf("items differ (-with %s +with %s.yaml):\n%s", config, function, diff)
	}
}

// feed gives the function the package's files as they are, without kpt, which would sort them first: the function may
// refuse them, but must not panic.
func (c corpusCase) feed(t *testing.T, function, config string) {
	t.Helper()
	var list strings.Builder
	list.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	for _, name := range slices.Sorted(maps.Keys(c.start)) {
		if filepath.Base(name) != "Kptfile" && !strings.HasSuffix(name, ".yaml") {
			continue
		}
		for _, document := range regexp.MustCompile(`(?m)^---`).Split(c.start[name], -1) {
			list.WriteString("-\n" + indent(document) + "\n")
		}
	}
	out, err := tool.Feed(function, c.withConfig(t, list.String(), config))
	noPanic(t, out.String())
	if err != nil && out.Stderr == "" {
		t.Errorf("%s fails without a word: %v", function, err)
	}
	if err == nil && out.Stderr != "" {
		t.Errorf("%s complains but does not fail: %s", function, out.Stderr)
	}
}

// withConfig returns the ResourceList with a config from testdata as its functionConfig.
func (c corpusCase) withConfig(t *testing.T, list, config string) string {
	t.Helper()
	content := read(t, filepath.Join("testdata", "config"))[config]
	if content == "" {
		t.Fatalf("no config %s", config)
	}
	return list + "functionConfig:\n" + indent(content)
}

// items returns what a ResourceList holds before its functionConfig.
func items(list string) string {
	before, _, _ := strings.Cut(list, "\nfunctionConfig:\n")
	return before
}

func indent(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n  ") + "\n"
}

func noPanic(t *testing.T, output string) {
	t.Helper()
	for _, word := range []string{"panic", "goroutine ", "runtime error"} {
		if strings.Contains(output, word) {
			t.Errorf("%q in the output:\n%s", word, output)
		}
	}
}

// write writes the package into a new directory.
func (c corpusCase) write(t *testing.T, files tree.Tree) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "package")
	if err := files.Write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func read(t *testing.T, dir string) tree.Tree {
	t.Helper()
	files, err := tree.Read(dir, ".expected")
	if err != nil {
		t.Fatal(fmt.Errorf("cannot read %s: %w", dir, err))
	}
	return files
}
