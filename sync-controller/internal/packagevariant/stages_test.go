// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

// stages are the stages of a reconcile that are in this package. Each is a function in a file of its name.
var stages = []string{"observe", "inspect", "act", "report"}

// file returns the functions and methods that a file of this package declares, and those that it calls, by name.
func file(t *testing.T, name string) (declared, called []string) {
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
	_, reconcile := file(t, "reconcile")
	for _, stage := range slices.Concat(stages, []string{"Decide"}) {
		if !slices.Contains(reconcile, stage) {
			t.Errorf("reconcile.go does not call %s", stage)
		}
	}
	for _, of := range stages {
		declared, _ := file(t, of)
		for _, stage := range stages {
			_, called := file(t, stage)
			for _, name := range declared {
				if stage != of && slices.Contains(called, name) {
					t.Errorf("%s.go calls %s of %s.go", stage, name, of)
				}
			}
		}
	}
}
