// SPDX-License-Identifier: Apache-2.0

// Package corpus runs the functions on awkward packages with the real kpt. Each of them either makes its edit, and
// leaves all other text as kpt leaves it after a function that does nothing, or refuses and says which file and why.
//
// A case is a directory of testdata, a kpt package. To each, the objects in testdata/cluster are added, as the
// package's snapshot of a cluster; testdata/config holds the configs. What is expected stands in <case>/.expected:
//
//	<function>.diff   what the function changes, compared with the no-op function
//	<function>.error  what kpt prints when the function refuses
//	kpt.error         what kpt prints when it refuses the package itself, whatever the function
//
// What expand-variantset changes in most packages is in testdata/expand-variantset.diff.
package corpus

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/e2e/internal/kpt"
	"github.com/package-variants/package-variants/e2e/internal/tree"
)

// functions are the functions, each with its config in the form that names no function.
var functions = map[string]string{
	"apply-package-context": "variant.yaml",
	"prepend-pipeline":      "variant.yaml",
	"inject-config":         "variant.yaml",
	"expand-variantset":     "set.yaml",
}

var tool kpt.Tool

func TestMain(m *testing.M) { os.Exit(kpt.Main(m, &tool)) }

// corpusCase is a package of the corpus.
type corpusCase struct {
	dir   string // its directory, below testdata
	start tree.Tree
}

func TestCorpus(t *testing.T) {
	t.Parallel()
	cluster := read(t, filepath.Join("testdata", "cluster"))
	dirs, err := filepath.Glob(filepath.Join("testdata", "[0-9][0-9]-*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(dirs) < 30 {
		t.Errorf("the corpus has %d packages, it should have 30 or more", len(dirs))
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			start := read(t, dir)
			if generate := generated[filepath.Base(dir)]; generate != nil {
				generate(start)
			}
			c := corpusCase{dir: dir, start: start.Add("cluster", cluster)}
			c.test(t)
		})
	}
}

func (c corpusCase) test(t *testing.T) {
	asIs, refusal := c.untouched(t, c.start)
	c.golden(t, "kpt.error", refusal)
	var list string
	if asIs != nil {
		source, err := tool.Source(c.write(t, c.start), "")
		if err != nil {
			t.Fatal(err)
		}
		list = source.Stdout
	}
	for function, config := range functions {
		t.Run(function, func(t *testing.T) {
			t.Parallel()
			if refusal != "" {
				if got, _ := c.eval(t, c.start, function, config); got != nil {
					t.Error("the function takes a package that kpt refuses")
				}
			} else {
				c.wantEdit(t, asIs, function, config)
				c.testForms(t, list, function, config)
			}
			c.feed(t, function, config)
		})
	}
}

// wantEdit checks what the function changes in the package, if it does not refuse, and that it changes nothing when it
// runs again.
func (c corpusCase) wantEdit(t *testing.T, asIs tree.Tree, function, config string) {
	edited, refusal := c.eval(t, c.start, function, config)
	c.checkRefusal(t, function, refusal)
	if refusal != "" {
		c.golden(t, function+".diff", "")
		return
	}
	diff, err := tree.Diff(asIs, edited)
	if err != nil {
		t.Fatal(err)
	}
	c.golden(t, function+".diff", diff)
	again, refusal := c.eval(t, edited, function, config)
	if refusal != "" {
		t.Fatalf("refused on its own result:\n%s", refusal)
	}
	if cmp.Equal(edited, again) {
		return
	}
	// With a function of the SDK, kpt doubles comments at the foot of a resource; ours leave them.
	want, _ := c.untouched(t, edited)
	got, _ := c.untouched(t, again)
	if diff, _ := tree.Diff(want, got); diff != "" {
		t.Errorf("a second run changes what the first left (compared by the no-op function on both):\n%s", diff)
	}
}

// untouched returns the package as kpt leaves it after a function that does nothing: the no-op function, or, where the
// SDK that it is built on cannot read the package, one that copies its input.
func (c corpusCase) untouched(t *testing.T, start tree.Tree) (result tree.Tree, refusal string) {
	t.Helper()
	if result, refusal = c.eval(t, start, "noop", ""); refusal != "" {
		return c.eval(t, start, "/bin/cat", "")
	}
	return result, ""
}

// checkRefusal checks that a refusal says which file it is about.
func (c corpusCase) checkRefusal(t *testing.T, function, refusal string) {
	t.Helper()
	c.golden(t, function+".error", refusal)
	if refusal == "" {
		return
	}
	for name := range c.start {
		if strings.Contains(refusal, name) {
			return
		}
	}
	t.Errorf("the refusal names no file of the package:\n%s", refusal)
}

// golden compares with a file of the case. A diff that is the same in most cases stands once for all.
func (c corpusCase) golden(t *testing.T, name, got string) {
	t.Helper()
	common, err := os.ReadFile(filepath.Join("testdata", name))
	if err == nil && bytes.Equal(common, []byte(got)) {
		got = ""
		if _, err := os.Stat(c.expected(name)); err == nil && os.Getenv("UPDATE_GOLDEN") == "" {
			t.Errorf("%s is not needed: it would be as in testdata", c.expected(name))
		}
	}
	tree.Golden(t, c.expected(name), got)
}

func (c corpusCase) expected(name string) string {
	return filepath.Join(c.dir, ".expected", name)
}
