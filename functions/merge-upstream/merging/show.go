// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// maxShown bounds the text of a value: conflicts are written into results and status fields.
const maxShown = 200

// show returns a value as a text: a scalar as it is, in quotes where YAML needs them, lists and maps as JSON;
// empty for no value.
func show(n *yaml.Node, hidden bool) string {
	switch {
	case n == nil:
		return ""
	case hidden:
		return notShown
	case n.Kind == yaml.ScalarNode && (n.ShortTag() != yaml.NodeTagString || node.String(n.Value).Style == 0 &&
		!strings.Contains(n.Value, "\n")):
		return n.Value
	}
	var value any
	if err := withWrittenNumbers(n).Decode(&value); err != nil {
		return "(" + node.Describe(n) + ")"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return "(" + node.Describe(n) + ")"
	}
	return string(text)
}

// What stands before what is shown of a list, or of a value, in place of all of it: elements that it does not have, the
// names of its elements, and comments.
const (
	lacks       = "without "
	inOrderOf   = "in the order "
	commentedBy = "commented "
)

// shown returns the versions of a value as texts. Of lists that have elements in common, it shows only the others, each
// with its position.
func (s sources) shown(hidden bool) (original, local, updated string) {
	if common := s.common(); !hidden && len(common.Content) > 0 {
		was := others(s.original, common)
		return was, cmp.Or(others(s.local, common), lacks+was), cmp.Or(others(s.updated, common), lacks+was)
	}
	return show(s.original, hidden), show(s.local, hidden), show(s.updated, hidden)
}

// common returns the elements that all versions of a list have; none if these are all elements of the original.
func (s sources) common() *yaml.Node {
	out := &yaml.Node{}
	if s.original == nil || s.local == nil || s.updated == nil || !s.all(yaml.SequenceNode) {
		return out
	}
	local, updated := node.PlacesOf(s.local, 1), node.PlacesOf(s.updated, 1)
	for _, e := range s.original.Content {
		if here, upstream := local.Take(e), updated.Take(e); here != nil && upstream != nil {
			out.Content = append(out.Content, e)
		}
	}
	if len(out.Content) == len(s.original.Content) {
		out.Content = nil
	}
	return out
}

// between separates elements that are shown.
const between = ", "

// others returns the elements of a list that are not among the common ones.
func others(list, common *yaml.Node) string {
	var parts []string
	left := node.PlacesOf(common, 1)
	for i, e := range list.Content {
		if left.Take(e) == nil {
			parts = append(parts, elementShown(list, i))
		}
	}
	return strings.Join(parts, between)
}

// elementShown returns an element of a list with its position.
func elementShown(list *yaml.Node, i int) string {
	return fmt.Sprintf("[%d] %s", i, show(list.Content[i], false))
}

// withWrittenNumbers returns a copy in which numbers that JSON would write differently, such as 0x1 and 1.0, are
// strings: otherwise the different values of a conflict could look the same.
func withWrittenNumbers(n *yaml.Node) *yaml.Node {
	c := yaml.CopyYNode(n)
	var visit func(*yaml.Node)
	visit = func(n *yaml.Node) {
		if tag := n.ShortTag(); n.Kind == yaml.ScalarNode && (tag == yaml.NodeTagInt || tag == yaml.NodeTagFloat) {
			var value any
			err := n.Decode(&value)
			if text, jsonErr := json.Marshal(value); err == nil && jsonErr == nil && string(text) != n.Value {
				n.Tag = yaml.NodeTagString
			}
		}
		for _, child := range n.Content {
			visit(child)
		}
	}
	visit(c)
	return c
}

// shortened stands for the parts of a value that are not shown.
const shortened = "…"

// differing shortens values that are too long to those parts in which they differ; a value that is empty does not
// exist.
func differing(original, local, updated string) (o, l, u string) {
	texts := [3][]rune{[]rune(original), []rune(local), []rune(updated)}
	from := commonPrefix(texts[:]...)
	l, u = window(texts[1], from), window(texts[2], from)
	if l == u { // they differ only further behind
		from = commonPrefix(texts[1:]...)
		l, u = window(texts[1], from), window(texts[2], from)
	}
	return window(texts[0], from), l, u
}

// commonPrefix returns how many characters those of the texts have in common that are not empty; none if only one is
// not.
func commonPrefix(texts ...[]rune) int {
	texts = slices.DeleteFunc(slices.Clone(texts), func(t []rune) bool { return len(t) == 0 })
	if len(texts) < 2 {
		return 0
	}
	for i, r := range texts[0] {
		for _, t := range texts[1:] {
			if i >= len(t) || t[i] != r {
				return i
			}
		}
	}
	return len(texts[0])
}

// window returns a text, or if it is too long the part of it around a position. That it is an order remains told.
func window(text []rune, at int) string {
	const before = 40
	if len(text) <= maxShown {
		return string(text)
	}
	if names, isOrder := strings.CutPrefix(string(text), inOrderOf); isOrder {
		return inOrderOf + window([]rune(names), max(0, at-len(inOrderOf)))
	}
	start := max(0, at-before)
	if end := start + maxShown; start > 0 && end < len(text) {
		return shortened + string(text[start+1:end-1]) + shortened
	} else if start > 0 {
		return shortened + string(text[start+1:])
	}
	return string(text[:maxShown-1]) + shortened
}

// digest returns a short text that identifies a whole text.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%d bytes, sha256 %x", len(text), sum[:6])
}
