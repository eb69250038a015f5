// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/engine/decide"
)

// stages are what a look at a variant calls, in this order, and makers the files in which each of the values is made.
// Copies are made in observation.go.
var (
	stages = []string{"observe", "observeUnlisted", "inspect", "Decide", "act", "report"}
	makers = map[reflect.Type][]string{
		reflect.TypeFor[decide.Observed](): {"observe.go", "repositories.go", "claims.go", "neighbors.go", "dependencies.go",
			"gone.go"},
		reflect.TypeFor[decide.Memory](): {"observe.go"},
		reflect.TypeFor[decide.Read]():   {"inspect.go", "evaluate.go", "unfinished.go"},
	}
)

// parsed returns the files of this package without its tests, by name.
func parsed(t *testing.T) map[string]*ast.File {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]*ast.File{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if files[name], err = parser.ParseFile(token.NewFileSet(), name, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// TestStages checks that a look at a variant calls the stages in their order.
func TestStages(t *testing.T) {
	t.Parallel()
	var called []string
	ast.Inspect(parsed(t)["reconcile.go"], func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if f, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains(stages, f.Sel.Name) {
			called = append(called, f.Sel.Name)
		}
		return true
	})
	if !slices.Equal(called, stages) {
		t.Errorf("called are %v, want %v", called, stages)
	}
}

// TestMakers checks that what a decision is made of is written by the stage that makes it and by no other.
func TestMakers(t *testing.T) {
	t.Parallel()
	made := 0
	for name, file := range parsed(t) {
		ast.Inspect(file, func(n ast.Node) bool {
			assignment, ok := n.(*ast.AssignStmt)
			if !ok {
				return true
			}
			for _, left := range assignment.Lhs {
				for of, files := range makers {
					if field := writes(left, of); field != "" {
						made++
						if name != "observation.go" && !slices.Contains(files, name) {
							t.Errorf("%s writes %s, which is made in %v", name, field, files)
						}
					}
				}
			}
			return true
		})
	}
	if made < 20 {
		t.Errorf("found %d writes only", made)
	}
}

// writes returns the field of a value, or the value itself, that an assignment to an expression writes in an observation
// or an inspection; "" if it writes none.
func writes(left ast.Expr, of reflect.Type) string {
	for {
		switch at := left.(type) {
		case *ast.IndexExpr:
			left = at.X
		case *ast.StarExpr:
			left = at.X
		case *ast.SelectorExpr:
			_, isField := of.FieldByName(at.Sel.Name)
			if (isField || at.Sel.Name == of.Name()) && isObserved(at.X) {
				return at.Sel.Name
			}
			left = at.X
		default:
			return ""
		}
	}
}

// isObserved reports whether an expression is, by its name, an observation or an inspection.
func isObserved(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return slices.Contains([]string{"o", "in", "seen", "now", "left"}, x.Name)
	case *ast.SelectorExpr:
		return x.Sel.Name == "in" || x.Sel.Name == "observation" || x.Sel.Name == "Input" || x.Sel.Name == "o"
	}
	return false
}
