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
var functions = []string{"apply-package-context", "prepend-pipeline", "inject-config", "expand-variantset"}

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
	"kptfile-hidden-by-a-selector": {functions: functions[:3], config: "variant", flags: []string{"--match-kind", "ConfigMap"}},
	"context-hidden-by-a-selector": {functions: functions[:1], config: "variant", flags: []string{"--exclude-kind", "ConfigMap"}},
}

// TestMistakes checks what kpt prints on each mistake with each of its functions, which is in
// testdata/errors/<mistake>/<function>.txt, and that the package stays as it was.
func TestMistakes(t *testing.T) {
	t.Parallel()
	for name, m := range mistakes {
		for _, function := range m.functions {
			t.Run(name+"/"+function, func(t *testing.T) {
				t.Parallel()
				files := read(t, "testdata", "errors", "package")
				if m.edit != nil {
					m.edit(files, function)
				}
				dir := write(t, files)
				out, err := m.run(dir, function)
				if err == nil {
					t.Fatalf("no error, but this:\n%s", out)
				}
				tree.Golden(t, filepath.Join("testdata", "errors", name, function+".txt"), tool.Normal(out.Stderr, dir))
				equal(t, "the package was changed", files, read(t, dir))
				for _, word := range []string{"panic", "goroutine "} {
					if strings.Contains(out.String(), word) {
						t.Errorf("%q in the output:\n%s", word, out)
					}
				}
			})
		}
	}
}

func (m mistake) run(dir, function string) (kpt.Output, error) {
	if m.render {
		return tool.Render(dir)
	}
	config := ""
	if m.config != "" {
		config = filepath.Join("testdata", "errors", "configs", m.config+".yaml")
	}
	return tool.Eval(dir, function, config, m.flags...)
}
