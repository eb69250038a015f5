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

// quotes are the sections of the repository's README that are taken from examples, by heading. What they quote is
// tested where it is from.
var quotes = map[string]string{
	"Use it: in a cluster, with Porch": inCluster,
	"Use it: kustomize":                "kustomize-overlay",
	"Use it: rendered by Porch":        byPorch,
}

// TestQuotes holds that the blocks of those sections are those of the examples' READMEs, in their order, and that what
// they print is what it is there.
func TestQuotes(t *testing.T) {
	readme := filepath.Join(root, "README.md")
	doc := parse(t, readme)
	for heading, name := range quotes {
		compareQuotes(t, doc, find(t, doc, heading), name)
	}
	if update {
		write(t, readme, doc.String())
	}
}

// compareQuotes compares the blocks of a section with those of an example's README, or makes them these.
func compareQuotes(t *testing.T, doc *walkthrough.Document, section *walkthrough.Section, name string) {
	t.Helper()
	var rest []*walkthrough.Part
	for _, s := range parse(t, filepath.Join(root, "examples", name, "README.md")).Sections {
		rest = append(rest, s.Parts...)
	}
	for _, quote := range section.Parts {
		if quote.Lang == walkthrough.Prose {
			continue
		}
		output := quote.Lang == walkthrough.Console || quote.Lang == walkthrough.Diff
		i := slices.IndexFunc(rest, func(p *walkthrough.Part) bool {
			return p.Lang == quote.Lang && (output || p.Text == quote.Text) || output && p.Lang == walkthrough.Commands
		})
		if i < 0 || rest[i].Lang != quote.Lang {
			t.Fatalf("examples/%s/README.md has no such block there:\n%s", name, quote.Text)
		}
		if update {
			doc.Replace(quote, rest[i].Text)
		} else if diff := cmp.Diff(rest[i].Text, quote.Text); diff != "" {
			t.Errorf("not what examples/%s prints (-want +got); if that is right, run make golden:\n%s", name, diff)
		}
		rest = rest[i+1:]
	}
}

// TestReasons holds that the README and the manuals list the reasons that conditions and failures can have, and no
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
	for _, file := range append(files(t, "docs", "*.md"), filepath.Join(root, "README.md")) {
		table := false
		for line := range strings.Lines(read(t, file)) {
			table = strings.HasPrefix(line, "| reason") || table && strings.HasPrefix(line, "|")
			if match := rowName.FindStringSubmatch(line); table && match != nil {
				listed[match[1]] = true
			}
		}
	}
	if diff := cmp.Diff(reasons, listed); diff != "" {
		t.Errorf("reasons in the code (-) and in the manuals (+):\n%s", diff)
	}
}

// TestMetrics holds that the README lists the controller's own metrics, and no others.
func TestMetrics(t *testing.T) {
	t.Parallel()
	metrics := map[string]bool{}
	source := read(t, filepath.Join(root, "sync-controller", "internal", "packagevariant", "metrics.go"))
	for _, match := range regexp.MustCompile(`Name: +"([a-z_]+)"`).FindAllStringSubmatch(source, -1) {
		metrics[match[1]] = true
	}
	listed := rows(t, "Metrics")
	if diff := cmp.Diff(metrics, listed); diff != "" {
		t.Errorf("metrics in the code (-) and in the README (+):\n%s", diff)
	}
}

// TestPermissions holds that the README names the label by which the controller gets permissions.
func TestPermissions(t *testing.T) {
	t.Parallel()
	role := read(t, filepath.Join(root, "sync-controller", "config", "4-objects-role.yaml"))
	label := regexp.MustCompile(`[a-z./-]+/aggregate-to-[a-z-]+: "true"`).FindString(role)
	if label == "" || !strings.Contains(read(t, filepath.Join(root, "README.md")), "`"+label+"`") {
		t.Errorf("the README does not name the label %s", label)
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

// rows returns the names at the beginning of the rows of a section's tables.
func rows(t *testing.T, heading string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, part := range find(t, parse(t, filepath.Join(root, "README.md")), heading).Parts {
		for _, match := range rowName.FindAllStringSubmatch(part.Text, -1) {
			names[match[1]] = true
		}
	}
	return names
}

// find returns the section under a heading.
func find(t *testing.T, doc *walkthrough.Document, heading string) *walkthrough.Section {
	t.Helper()
	i := slices.IndexFunc(doc.Sections, func(s *walkthrough.Section) bool { return s.Heading == heading })
	if i < 0 {
		t.Fatalf("the README has no section %q", heading)
	}
	return doc.Sections[i]
}
