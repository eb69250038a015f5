// SPDX-License-Identifier: Apache-2.0

package krm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// TestCheckPackage checks how much there may be in a package, and what is said of more.
func TestCheckPackage(t *testing.T) {
	t.Parallel()
	many := func(n int, name, text string) map[string]string {
		files := map[string]string{}
		for i := range n {
			files[fmt.Sprintf(name, i)] = text
		}
		return files
	}
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	levels := ""
	for i := range 300 {
		levels += strings.Repeat(" ", i) + "a:\n"
	}
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		bomb += fmt.Sprintf("a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i+1, i+1, i, i, i, i,
			i, i, i, i, i, i)
	}
	const most, deeper = ": make it smaller, or split it", "nested deeper than 250 levels: make it flatter"
	configMap := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: b\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"nothing":                     {nil, ""},
		"ten times the most files":    {many(400, "%d.yaml", configMap), ""},
		"four times the largest":      {many(4, "%d.yaml", strings.Repeat("# of which there is more in the manual of the API\na: {description: a text}\n", 13_000)), ""},
		"too many files":              {many(2_001, "%d.txt", ""), "the package has 2001 files, and may have 2000" + most},
		"too many bytes":              {many(7, "%02d.txt", strings.Repeat("x", 1<<20)), "the package has 7340074 bytes, and may have 6291456" + most},
		"too many resources":          {map[string]string{"a.yaml": strings.Repeat(configMap+"---\n", 2_000)}, "the package has 2001 resources, and may have 2000" + most},
		"documents of what is no KRM": {map[string]string{"a.md": strings.Repeat("---\n", 10_000)}, ""},
		"too many values": {map[string]string{"a.yaml": "a: [" + strings.Repeat("1,", 300_000) + "]"},
			"the package has 300003 values in its YAML files, and may have 300000" + most},
		"too many lists in lists": {map[string]string{"a.yaml": strings.Repeat(strings.Repeat("- ", 100)+"a\n", 3_000)},
			"the package has 303001 values in its YAML files, and may have 300000" + most},
		"a Kptfile with 40,000 functions": {map[string]string{"sub/Kptfile": "pipeline:\n  mutators:\n" +
			strings.Repeat("  - image: example.com/f:v1\n    configMap: {a: b}\n", 40_000)},
			"sub/Kptfile has 2000022 bytes, and may have 524288" + most},
		"deep, and not too deep":         {map[string]string{"a.yaml": "a: " + deep(200)}, ""},
		"brackets in a text":             {map[string]string{"a.yaml": "a: |\n  " + strings.Repeat("[", 1000)}, ""},
		"deep lists":                     {map[string]string{"a.yaml": "a: " + deep(5_000)}, "a.yaml: a" + strings.Repeat("[0]", 101) + "... (748 bytes): is " + deeper},
		"deeper than a parser takes":     {map[string]string{"a.yaml": "a: " + deep(20_000)}, "a.yaml: is " + deeper},
		"deep by dashes":                 {map[string]string{"a.yaml": strings.Repeat("- ", 1_000) + "a"}, "a.yaml: " + strings.Repeat("[0]", 101) + "[... (750 bytes): is " + deeper},
		"deep by indentation":            {map[string]string{"a.yaml": levels}, "a.yaml: " + strings.Repeat("a.", 152) + "... (497 bytes): is " + deeper},
		"deep in a second document":      {map[string]string{"a.yaml": "a: b\n---\n" + deep(300)}, "a.yaml: " + strings.Repeat("[0]", 101) + "[... (750 bytes): is " + deeper},
		"deep, and no resource":          {map[string]string{"a.txt": deep(300)}, ""},
		"an alias bomb":                  {map[string]string{"a.yaml": bomb}, "a.yaml: a4[7]: is a YAML alias (*a3) by which aliases stand for more than 100000 values: write the values out"},
		"an alias inside its own anchor": {map[string]string{"a.yaml": "a: &a\n  b: *a\n"}, "a.yaml: a.b: is a YAML alias (*a) within its own anchor: write the value out"},
		"an honest alias":                {map[string]string{"a.yaml": "a: &a {x: y}\nb: *a\n"}, ""},
		"a long key":                     {map[string]string{"a.yaml": "? " + strings.Repeat("x", 2_000) + "\n: b\n"}, "a.yaml: " + strings.Repeat("x", 100) + "... (2000 bytes): is a key of 2000 bytes: make it one of at most 1024"},
		"no YAML":                        {map[string]string{"a.yaml": "a: &a [\n\x00"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if err := krm.CheckPackage(c.files); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestCheckObject checks how much there may be in an object, and what is said of more.
func TestCheckObject(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"as many values as there may be": {"a: [" + strings.Repeat("1,", 299_996) + "1]", ""},
		"too many values": {"a: [" + strings.Repeat("1,", 300_000) + "]",
			"the object has 300003 values, and may have 300000: make it smaller, or split it"},
		"too deep": {"a: " + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000),
			"is nested deeper than 250 levels: make it flatter"},
		"within its own anchor": {"a: &a\n  b: *a\n",
			"a.b: is a YAML alias (*a) within its own anchor: write the value out"},
	} {
		got := ""
		if err := krm.CheckObject(c.text); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// FuzzCheckPackage checks that what passes has no document beyond the bounds of a resource, though most texts are not
// parsed to know that, and that no text has more values than are counted. Repeated values reach a bound sooner.
func FuzzCheckPackage(f *testing.F) {
	f.Add("a: ", "[", 300, "]")
	f.Add("", "- ", 300, "a")
	f.Add("", "? ", 300, "a")
	f.Add("a: &a\n", "  b: [*a, *a]\n", 3, "")
	f.Add("a: |\n", "  [\n", 300, "---\nb: {c}\n")
	f.Fuzz(func(t *testing.T, head, unit string, n int, tail string) {
		const most = 1 << 16
		text := head + strings.Repeat(unit, max(0, min(n, most/max(1, len(unit))))) + tail
		files := map[string]string{"a.yaml": text}
		if len(text) > 2*most || krm.CheckPackage(files) != nil {
			return
		}
		decoder, nodes := yaml.NewDecoder(strings.NewReader(text)), 0
		for {
			var root yaml.Node
			if err := decoder.Decode(&root); err != nil { // the end, or no YAML from here on
				break
			}
			if err := node.Bounded(&root); err != nil {
				t.Fatalf("%q passes, and %v", text, err)
			}
			nodes += countNodes(&root)
		}
		if counted := krm.CountValues(files); nodes > 4*counted {
			t.Errorf("%q has %d nodes, and %d values are counted", text, nodes, counted)
		}
	})
}

func countNodes(n *yaml.Node) int {
	count := 1
	for _, child := range n.Content {
		count += countNodes(child)
	}
	return count
}
