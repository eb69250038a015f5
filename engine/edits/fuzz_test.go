// SPDX-License-Identifier: Apache-2.0

package edits_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/engine/edits"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// FuzzFind checks that no input panics, that drafts as the source and as it is saved are not edited, that nothing else
// is said of files with the same digest, and that each other scalar is an edit.
func FuzzFind(f *testing.F) {
	f.Add(deployment, upgraded, upgraded, uint(9))
	f.Add(marked("web"), marked("prod-web"), "a: &x [*x]\n", uint(3))
	f.Add("# c\n---\na: 1\r\n...\n", "? [a]\n: b\n", "a: 1\na: 2\n", uint(1))
	f.Add("<<: {a: !t &b}\n*b : 1\n", "{a: ~}", "- - 1\n- [2]\n", uint(0))
	f.Add("metadata: 1\nstatus: {conditions: 1}\n", "metadata: [1]\nstatus: {conditions: {a: 1}}\n", "status: []\n", uint(2))
	f.Fuzz(func(t *testing.T, source, saved, found string, nth uint) {
		for _, path := range []string{"a.yaml", "Kptfile", "README.md"} {
			s, w, d := files{path: source}, files{path: saved}, files{path: found}
			for _, ours := range []files{s, w} {
				if got := edits.Find(ours, s, w); got != nil {
					t.Fatalf("%s is not edited, but %v", path, got)
				}
			}
			edits.Find(d, s, w) // does not panic
		}
		if text, done := withOtherScalar(source, nth); done {
			if edits.Find(files{"a.yaml": text}, files{"a.yaml": source}, files{"a.yaml": saved}) == nil {
				t.Fatalf("a scalar was changed, but there are no edits:\n%s", text)
			}
		}
	})
}

// withOtherScalar returns a file with another scalar, a key or a value that is not one of kpt's annotations; false if
// there is none.
func withOtherScalar(text string, nth uint) (string, bool) {
	var documents []*yaml.Node
	var scalars []*yaml.Node
	for decoder := yaml.NewDecoder(strings.NewReader(text)); ; {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", false
		}
		documents = append(documents, &document)
		scalars = append(scalars, scalarsIn(&document)...)
	}
	if len(scalars) == 0 {
		return "", false
	}
	scalar := scalars[nth%uint(len(scalars))]
	scalar.Value, scalar.Tag, scalar.Style = "changed-by-a-person", yaml.NodeTagString, 0
	if strings.Contains(text, scalar.Value) {
		return "", false
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	for _, document := range documents {
		if err := encoder.Encode(document); err != nil {
			return "", false
		}
	}
	return out.String(), true
}

// scalarsIn returns the scalars in a node. What an alias stands for is not in it.
func scalarsIn(n *yaml.Node) (scalars []*yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		return []*yaml.Node{n}
	}
	for i, child := range n.Content {
		isMark := n.Kind == yaml.MappingNode && strings.HasPrefix(n.Content[i&^1].Value, "internal.kpt.dev/")
		if !isMark {
			scalars = append(scalars, scalarsIn(child)...)
		}
	}
	return scalars
}

// BenchmarkFind compares packages; the larger one has as many resources as are accepted (bounds.PackageResources).
func BenchmarkFind(b *testing.B) {
	for _, resources := range []int{200, 2000} {
		b.Run(fmt.Sprintf("resources=%d", resources), func(b *testing.B) {
			text := func(of string) string {
				var out strings.Builder
				for i := range resources {
					out.WriteString(replaced(of, "metadata:\n  name: web", fmt.Sprintf("metadata:\n  name: web-%d", i)) + "---\n")
				}
				return out.String()
			}
			source, saved := files{"a.yaml": text(deployment)}, files{"a.yaml": text(upgraded)}
			found := files{"a.yaml": "# found\n" + saved["a.yaml"]}
			b.ReportAllocs()
			for b.Loop() {
				if got := edits.Find(found, source, saved); len(got) != 1 {
					b.Fatalf("want the comment, got %v", got)
				}
			}
		})
	}
}
