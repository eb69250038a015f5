// SPDX-License-Identifier: Apache-2.0

package yamledit_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/yamledit"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// corpus returns the documents in the testdata of the functions.
func corpus(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("../*/testdata/*/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var out []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for document := range strings.SplitSeq(string(text), "\n---\n") {
			if isDocument(document) {
				out = append(out, document+"\n")
			}
		}
	}
	return out
}

func isDocument(text string) bool {
	var n yaml.Node
	return yaml.Unmarshal([]byte(text), &n) == nil && len(n.Content) == 1 && n.Content[0].Kind == yaml.MappingNode
}

// change is an edit of one entry: it returns false where it cannot be made, and else how many lines may be different.
type change func(parent *yaml.Node, i int) (lines int, made bool)

func set(parent *yaml.Node, i int) (int, bool) {
	c := parent.Content[i]
	if c.Kind != yaml.ScalarNode || c.ShortTag() != yaml.NodeTagString || strings.Contains(c.Value, "\n") {
		return 0, false
	}
	c.Value += "x"
	return 2, true
}

func insert(parent *yaml.Node, i int) (int, bool) {
	if parent.Kind != yaml.MappingNode || parent.Style&yaml.FlowStyle != 0 {
		return 0, false
	}
	lines := 1
	if hasFoot(parent.Content[i]) || hasFoot(parent.Content[i-1]) {
		lines++ // an empty line keeps the comment below what it belongs to
	}
	parent.Content = slices.Insert(parent.Content, i+1, node.String("new"), node.String("x"))
	return lines, true
}

// hasFoot reports whether a comment stands below the last line of a value.
func hasFoot(n *yaml.Node) bool {
	return n.FootComment != "" || len(n.Content) > 0 && slices.ContainsFunc(n.Content[max(0, len(n.Content)-2):], hasFoot)
}

// apply makes a change at the at-th value of a document.
func apply(document *yaml.Node, at int, c change) (lines int, made bool) {
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		for i := 0; i < len(n.Content); i++ {
			child := n.Content[i]
			if n.Kind == yaml.DocumentNode || n.Kind == yaml.MappingNode && i%2 == 0 {
				walk(child)
				continue
			}
			if at--; at == -1 {
				lines, made = c(n, i)
				return
			}
			walk(child)
		}
	}
	walk(document)
	return lines, made
}

// TestProperties checks of edits of the testdata that nothing else is changed, and that taking them back gives the text
// that was there.
func TestProperties(t *testing.T) {
	t.Parallel()
	edits := 0
	for i, text := range corpus(t) {
		if got, err := yamledit.Document(text, read(t, text)); err != nil || got.Text != text {
			t.Errorf("the same document gives %q, %v, want %q", got.Text, err, text)
		}
		for name, c := range map[string]change{"set": set, "insert": insert} {
			for at := i % 9; at < 60; at += 9 {
				n := read(t, text)
				most, made := apply(n, at, c)
				if !made {
					continue
				}
				edits++
				got, err := yamledit.Document(text, n)
				if err != nil || got.Widened {
					t.Fatalf("%s at %d: %v, %v of %s", name, at, got, err, text)
				}
				if n := different(text, got.Text); n > most {
					t.Errorf("%s at %d changes %d lines of\n%s to\n%s", name, at, n, text, got.Text)
				}
				back, err := yamledit.Document(got.Text, read(t, text))
				if err != nil || back.Text != text {
					t.Errorf("%s at %d, taken back, gives %v\n%s, want\n%s", name, at, err, back.Text, text)
				}
			}
		}
	}
	if edits < 500 {
		t.Errorf("only %d edits were tried", edits)
	}
}

// different returns how many lines are removed and added between the first and the last that differ.
func different(a, b string) int {
	x, y := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	return len(x) + len(y)
}

// FuzzDocument checks that a changed document is read as what was to be written, and an unchanged one has its text.
func FuzzDocument(f *testing.F) {
	for i, text := range corpus(f) {
		f.Add(text, i%7)
	}
	for _, text := range []string{
		pod, "--- # c\r\na: |+\r\n  x\r\n\r\n# d\r\n", "a: {b, c: [d, 'e'], f: }", "? a\n: - b\n  - - c\n", "- &a !t\n  b: *a\n# c\n\n# d\n", "\ufeff{\"a\": [1, {}]}",
	} {
		f.Add(text, 1)
	}
	f.Fuzz(func(t *testing.T, text string, at int) {
		var n, again yaml.Node
		unix := strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
		if len(text) > 1<<12 || yaml.Unmarshal([]byte(unix), &n) != nil || len(n.Content) == 0 || node.Bounded(&n) != nil {
			return
		}
		if got, err := yamledit.Document(text, &n); err == nil && got.Text != text {
			t.Errorf("the same document gives %q, want %q", got.Text, text)
		}
		if _, made := apply(&n, at, set); !made {
			return
		}
		got, err := yamledit.Document(text, &n)
		if err != nil {
			return
		}
		unix = strings.ReplaceAll(strings.TrimPrefix(got.Text, "\ufeff"), "\r\n", "\n")
		if err := yaml.Unmarshal([]byte(unix), &again); err != nil || !node.Equal(n.Content[0], again.Content[0]) {
			t.Errorf("%q gives %q, read as something else: %v", text, got.Text, err)
		}
	})
}
