// SPDX-License-Identifier: Apache-2.0

package life

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

// stages are the stages of a reconcile that are in this package. Each is a function in a file of its name.
var stages = []string{"observe", "inspect", "act", "report"}

// functionsOf returns the functions and methods that a file of this package declares, and those that it calls, by name.
func functionsOf(t *testing.T, name string) (declared, called []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), name+".go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			declared = append(declared, n.Name.Name)
		case *ast.CallExpr:
			switch f := n.Fun.(type) {
			case *ast.Ident:
				called = append(called, f.Name)
			case *ast.SelectorExpr:
				called = append(called, f.Sel.Name)
			}
		}
		return true
	})
	return declared, called
}

// TestStages checks that a reconcile calls all stages, and that no stage calls a function of another one's file
// (docs/design.md, "The controller").
func TestStages(t *testing.T) {
	t.Parallel()
	_, reconcile := functionsOf(t, "reconcile")
	for _, stage := range slices.Concat(stages, []string{"Decide"}) {
		if !slices.Contains(reconcile, stage) {
			t.Errorf("reconcile.go does not call %s", stage)
		}
	}
	declared, called := map[string][]string{}, map[string][]string{}
	for _, stage := range stages {
		declared[stage], called[stage] = functionsOf(t, stage)
	}
	for _, of := range stages {
		for _, stage := range stages {
			for _, name := range declared[of] {
				if stage != of && slices.Contains(called[stage], name) {
					t.Errorf("%s.go calls %s of %s.go", stage, name, of)
				}
			}
		}
	}
}
