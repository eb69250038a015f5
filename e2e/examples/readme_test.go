// SPDX-License-Identifier: Apache-2.0

package examples

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/package-variants/package-variants/e2e/examples/walkthrough"
)

// TestReasons checks that the pages list the reasons that conditions and failures can have, each in a table, and no
// others.
func TestReasons(t *testing.T) {
	t.Parallel()
	reasons := map[string]bool{}
	for _, file := range files(t, "api", "v1alpha*", "*.go") {
		maps.Copy(reasons, constants(t, file, "Reason"))
	}
	delete(reasons, "Valid") // of a condition that is False because another is True
	if len(reasons) < 20 {
		t.Fatalf("found only the reasons %v", reasons)
	}
	listed := map[string]bool{}
	for _, file := range pages(t) {
		table := false
		for line := range strings.Lines(read(t, filepath.Join(root, file))) {
			table = strings.HasPrefix(line, "| reason") || table && strings.HasPrefix(line, "|")
			if match := rowName.FindStringSubmatch(line); table && match != nil {
				listed[match[1]] = true
			}
		}
	}
	if diff := cmp.Diff(reasons, listed); diff != "" {
		t.Errorf("reasons in the code (-) and in the pages (+):\n%s", diff)
	}
}

// TestPermissions checks that the page about clusters names the label by which the controller gets permissions.
func TestPermissions(t *testing.T) {
	t.Parallel()
	role := read(t, filepath.Join(root, "sync-controller", "config", "4-objects-role.yaml"))
	label := regexp.MustCompile(`[a-z./-]+/aggregate-to-[a-z-]+: "true"`).FindString(role)
	const page = "docs/use-in-a-cluster.md"
	if label == "" || !strings.Contains(read(t, filepath.Join(root, page)), "`"+label+"`") {
		t.Errorf("%s does not name the label %s", page, label)
	}
}

// files returns the files of the repository that match a pattern, of which there must be one.
func files(t *testing.T, pattern ...string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(append([]string{root}, pattern...)...))
	if err != nil || len(found) == 0 {
		t.Fatalf("found no %s: %v", filepath.Join(pattern...), err)
	}
	return found
}

// constants returns the values of the string constants of a Go file whose names have a prefix.
func constants(t *testing.T, file, prefix string) map[string]bool {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]bool{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, prefix) {
			return true
		}
		value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		values[value] = true
		return false
	})
	return values
}

var rowName = regexp.MustCompile("(?m)^\\| `([A-Za-z_]+)` \\| ")

// find returns the section under a heading, nil if there is none.
func find(doc *walkthrough.Document, heading string) *walkthrough.Section {
	i := slices.IndexFunc(doc.Sections, func(s *walkthrough.Section) bool { return s.Heading == heading })
	if i < 0 {
		return nil
	}
	return doc.Sections[i]
}
