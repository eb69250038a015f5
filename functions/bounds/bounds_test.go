// SPDX-License-Identifier: Apache-2.0

package bounds

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// row matches a row of the table of bounds, and its last cell.
var row = regexp.MustCompile(`(?m)^\|[^|\n]*\|[^|\n]*\| ([0-9,]+) \|$`)

// TestTable checks that the table of bounds in docs/limits.md has each bound, and no other.
func TestTable(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Bounds\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var inTable []string
	for _, cells := range row.FindAllStringSubmatch(section, -1) {
		inTable = append(inTable, strings.ReplaceAll(cells[1], ",", ""))
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "bounds.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	checked, err := new(types.Config).Check("bounds", files, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range checked.Scope().Names() {
		bound, ok := checked.Scope().Lookup(name).(*types.Const)
		if !ok {
			continue
		}
		value := bound.Val().ExactString()
		if i := slices.Index(inTable, value); i >= 0 {
			inTable = slices.Delete(inTable, i, i+1)
		} else {
			t.Errorf("the table has no row for %s, %s", name, value)
		}
	}
	if len(inTable) > 0 {
		t.Errorf("the table has rows that are no bounds: %s", inTable)
	}
}
