// SPDX-License-Identifier: Apache-2.0

package render

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/tree"
	"sigs.k8s.io/kustomize/kyaml/kio"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/yaml"
)

// TestSameAsKpt saves packages whose pipelines list the functions by image. Porch must make of each what kpt makes of
// it, byte for byte; a newer one, value for value. Saved again, a package changes as in a second render by kpt, which
// runs what the first prepended; a third time, not at all.
func TestSameAsKpt(t *testing.T) {
	t.Parallel()
	for name, input := range packages(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDraft(t, name)
			d.put(t, input)
			once := d.save(t)
			want := byKpt(t, input)
			expectEqual(t, "the first render", want, once)
			twice := d.save(t)
			expectEqual(t, "the second render", byKpt(t, want), twice)
			expectEqual(t, "a third render", twice, d.save(t))
		})
	}
}

// TestIndentedLists checks what Porch itself writes: it takes back the indentation of lists, in all files of a package.
// All else is as in a render by kpt. A newer one may write lists as it likes.
func TestIndentedLists(t *testing.T) {
	t.Parallel()
	input, err := tree.Read(filepath.Join(root, "examples", "inject-config-simple"), ".expected")
	if err != nil {
		t.Fatal(err)
	}
	input = byImage(input)
	d := newDraft(t, "shop")
	d.put(t, input)
	want, got := byKpt(t, input), d.save(t)
	if shared.Foreign() {
		expectEqual(t, "the render", want, got)
	} else {
		expectEqual(t, "without indentation, the render", unindented(want), unindented(got))
		const list = "  mutators:\n  - image: "
		if file := got["Kptfile"]; !strings.Contains(file, list) {
			t.Errorf("no %q in the Kptfile:\n%s", list, file)
		}
	}
	expectEqual(t, "a second render", got, d.save(t))
}

// unindented returns the files with all lines at the left margin.
func unindented(files tree.Tree) tree.Tree {
	return replace(files, regexp.MustCompile(`(?m)^ +`), "")
}

// values returns the resources of each file without comments, indentation and order of fields, and without what a newer
// Porch writes about a render. Files without resources stay as they are.
func values(t *testing.T, files tree.Tree) tree.Tree {
	t.Helper()
	out := tree.Tree{}
	for name, text := range files {
		if path.Ext(name) != ".yaml" && name != "Kptfile" {
			out[name] = text
			continue
		}
		nodes, err := (&kio.ByteReader{Reader: strings.NewReader(text), OmitReaderAnnotations: true}).Read()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		for _, n := range nodes {
			if n.GetKind() == "Kptfile" {
				withoutRender(t, n)
			}
			value, err := n.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			written, err := yaml.JSONToYAML(value)
			if err != nil {
				t.Fatal(err)
			}
			out[name] += "---\n" + string(written)
		}
	}
	return out
}

// withoutRender removes what a newer Porch writes about a render into the status of a Kptfile.
func withoutRender(t *testing.T, kptfile *kyaml.RNode) {
	t.Helper()
	var status struct {
		Status struct{ Conditions []map[string]any }
	}
	if err := kptfile.YNode().Decode(&status); err != nil {
		t.Fatal(err)
	}
	kept := slices.DeleteFunc(status.Status.Conditions, func(c map[string]any) bool { return c["type"] == "Rendered" })
	if err := kptfile.PipeE(kyaml.Clear("status")); err != nil || len(kept) == 0 {
		return
	}
	conditions, err := kyaml.FromMap(map[string]any{"conditions": kept})
	if err == nil {
		err = kptfile.PipeE(kyaml.SetField("status", conditions))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// packages returns the packages that kpt is tested with, and the example, by image.
func packages(t *testing.T) map[string]tree.Tree {
	t.Helper()
	pipelines := filepath.Join("..", "kpt", "testdata", "pipelines")
	entries, err := os.ReadDir(pipelines)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]tree.Tree{
		"example":   tree.Load(t, exampleDir, "gateway"),
		"prepended": byImage(tree.Load(t, "..", "kpt", "testdata", "prepended", "package")),
	}
	for _, entry := range entries {
		if entry.IsDir() {
			all[entry.Name()] = byImage(tree.Load(t, pipelines, entry.Name()))
		}
	}
	if len(all) < 7 {
		t.Fatalf("found only %d packages", len(all))
	}
	return all
}

// expectEqual fails the test unless a render has the expected result: with a newer Porch, the expected values.
func expectEqual(t *testing.T, what string, want, got tree.Tree) {
	t.Helper()
	if shared.Foreign() {
		want, got = values(t, want), values(t, got)
	}
	d, err := tree.Diff(want, got)
	if err != nil {
		t.Fatal(err)
	}
	if d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}
