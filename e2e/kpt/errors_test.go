// SPDX-License-Identifier: Apache-2.0

package kpt

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/kpt"
	"github.com/package-variants/package-variants/e2e/internal/tree"
)

// functions are all functions; those that edit the package itself come first.
var functions = []string{"apply-package-context", "prepend-pipeline", "inject-config", "expand-variantset",
	"merge-upstream"}

// mistake is what users do wrong on the package in testdata/errors/package.
type mistake struct {
	functions []string
	// edit changes the package first.
	edit func(files tree.Tree, function string)
	// config is a file of testdata/errors/configs, without .yaml, or "" for none.
	config string
	// flags are further flags of kpt fn eval.
	flags []string
	// render says to use kpt fn render instead.
	render bool
}

var mistakes = map[string]mistake{
	"no-config":     {functions: functions},
	"wrong-kind":    {functions: functions, config: "wrong-kind"},
	"wrong-version": {functions: functions, config: "wrong-version"},
	"unknown-field": {functions: functions[:3], config: "unknown-field"},
	"no-config-in-a-pipeline": {functions: functions, render: true, edit: func(files tree.Tree, function string) {
		files["Kptfile"] = strings.Replace(files["Kptfile"], "exec: noop", "exec: "+function, 1)
	}},
	"no-kptfile": {functions: functions[:3], config: "variant", edit: func(files tree.Tree, _ string) {
		delete(files, "Kptfile")
	}},
	"no-package-context": {functions: functions[:1], config: "variant", edit: func(files tree.Tree, _ string) {
		delete(files, "package-context.yaml")
	}},
	"kptfile-hidden-by-a-selector": {functions: functions[:3], config: "variant",
		flags: []string{"--match-kind", "ConfigMap"}},
	"context-hidden-by-a-selector": {functions: functions[:1], config: "variant",
		flags: []string{"--exclude-kind", "ConfigMap"}},
}

// TestMistakes checks what kpt prints on each mistake with each of its functions, which is in
// testdata/errors/<mistake>/<function>.txt, and that the package stays as it was. A user of images reads the same as
// one of executables, except for the function's name.
func TestMistakes(t *testing.T) {
	t.Parallel()
	for name, m := range mistakes {
		for _, function := range m.functions {
			for way, run := range map[string]func(t *testing.T, m mistake, files tree.Tree, function string) (stderr string){
				"exec": withExecutable, "image": withImage,
			} {
				t.Run(name+"/"+function+"/"+way, func(t *testing.T) {
					t.Parallel()
					files := tree.Load(t, "testdata", "errors", "package")
					if m.edit != nil {
						m.edit(files, function)
					}
					stderr := run(t, m, files, function)
					tree.Golden(t, filepath.Join("testdata", "errors", name, function+".txt"), stderr)
					for _, word := range []string{"panic", "goroutine "} {
						if strings.Contains(stderr, word) {
							t.Errorf("%q in the output:\n%s", word, stderr)
						}
					}
				})
			}
		}
	}
}

func withExecutable(t *testing.T, m mistake, files tree.Tree, function string) string {
	t.Helper()
	return fails(t, files, func(dir string) (kpt.Output, error) {
		if m.render {
			return tool.Render(dir)
		}
		return tool.Eval(dir, function, m.file(), m.flags...)
	})
}

func withImage(t *testing.T, m mistake, files tree.Tree, function string) string {
	t.Helper()
	c := withContainers(t)
	stderr := fails(t, byImage(t, files), func(dir string) (kpt.Output, error) {
		if m.render {
			return c.RenderImages(dir)
		}
		return c.EvalImage(dir, image(t, function), m.file(), m.flags...)
	})
	// kpt makes a comma of each end of a line that an executable prints, but drops that of a container's last line.
	return strings.Replace(stderr, "  Exit code: ", ",   Exit code: ", 1)
}

// file returns the file of the config, or "" for none.
func (m mistake) file() string {
	if m.config == "" {
		return ""
	}
	return filepath.Join("testdata", "errors", "configs", m.config+".yaml")
}

// fails does what must fail and leave the package as it is, and returns what kpt says about it.
func fails(t *testing.T, files tree.Tree, run func(dir string) (kpt.Output, error)) string {
	t.Helper()
	dir := write(t, files)
	out, err := run(dir)
	if err == nil {
		t.Fatalf("no error, but this:\n%s", out)
	}
	equal(t, "the package was changed", files, tree.Load(t, dir))
	return named(t, tool.Normal(out.Stderr, dir))
}

// TestResults checks the structured results of a function that fails, which are in testdata/errors/results.<way>.yaml:
// they have the resource, the file and the field that are wrong.
func TestResults(t *testing.T) {
	t.Parallel()
	const function = "apply-package-context"
	config := filepath.Join("testdata", "errors", "configs", "variant.yaml")
	for way, run := range map[string]func(t *testing.T, dir, results string) (kpt.Output, error){
		"exec": func(_ *testing.T, dir, results string) (kpt.Output, error) {
			return tool.Eval(dir, function, config, "--results-dir", results)
		},
		"image": func(t *testing.T, dir, results string) (kpt.Output, error) {
			return withContainers(t).EvalImage(dir, image(t, function), config, "--results-dir", results)
		},
	} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			files := tree.Load(t, "testdata", "errors", "package")
			files["package-context.yaml"] = strings.Replace(files["package-context.yaml"], "\ndata:", "\ndata: []\nother:", 1)
			results := t.TempDir()
			fails(t, files, func(dir string) (kpt.Output, error) { return run(t, dir, results) })
			got := named(t, tool.Normal(tree.Load(t, results)["results.yaml"], results))
			if got == "" {
				t.Fatal("there is no results.yaml")
			}
			tree.Golden(t, filepath.Join("testdata", "errors", "results."+way+".yaml"), got)
		})
	}
}
