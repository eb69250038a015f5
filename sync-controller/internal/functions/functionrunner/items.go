// SPDX-License-Identifier: Apache-2.0

package functionrunner

import (
	"errors"
	"fmt"
	"slices"

	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// sendable returns copies of the items for a FunctionFilter, which edits what it is given. They have no document: its
// comment is not shown to functions, and stays with the item that was given.
// Folded text is quoted, as the filter quotes it in the output: written as a block, it may be read as another text.
func sendable(items []*yaml.RNode) []*yaml.RNode {
	out := make([]*yaml.RNode, len(items))
	for i, item := range items {
		n := yaml.CopyYNode(item.YNode())
		unfold(n)
		out[i] = yaml.NewRNode(n)
	}
	return out
}

func unfold(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.Style == yaml.FoldedStyle {
		n.Style = yaml.DoubleQuotedStyle
	}
	for _, child := range n.Content {
		unfold(child)
	}
}

// edits returns the places of the items that a function has edited from one ResourceList to the other, or has added.
func edits(from, to []byte) (map[mutate.Place]bool, error) {
	before, err := read(from)
	if err != nil {
		return nil, err
	}
	after, err := read(to)
	if err != nil {
		return nil, err
	}
	was := make(map[mutate.Place]*yaml.Node, len(before))
	for _, item := range before {
		was[mutate.PlaceOf(item)] = item.YNode()
	}
	edited := map[mutate.Place]bool{}
	for _, item := range after {
		place := mutate.PlaceOf(item)
		edited[place] = was[place] == nil || !equal(was[place], item.YNode())
	}
	return edited, nil
}

// read returns the items of a ResourceList. A FunctionFilter takes any resources for one.
func read(text []byte) ([]*yaml.RNode, error) {
	list, err := yaml.Parse(string(text))
	if err != nil {
		return nil, err
	}
	if kind := krm.Identify(list).Kind; kind != kio.ResourceListKind {
		return nil, fmt.Errorf("its kind is %q", kind)
	}
	field := list.Field("items")
	if field.IsNilOrEmpty() {
		return nil, nil
	}
	items, err := field.Value.Elements()
	if err != nil {
		return nil, errors.New("its items are no list")
	}
	return items, nil
}

// match returns the items given as the function returned them, in the order given, and then the items that it added. An
// item that the function did not edit is the one given, so that only an edit changes comments and style.
func match(given, returned []*yaml.RNode, edited map[mutate.Place]bool) ([]*yaml.RNode, error) {
	rest := make(map[mutate.Place]*yaml.RNode, len(returned))
	for _, item := range returned {
		place := mutate.PlaceOf(item)
		if rest[place] != nil {
			return nil, fmt.Errorf("has %s twice", place)
		}
		rest[place] = item
	}
	out := make([]*yaml.RNode, 0, len(returned))
	for _, item := range given {
		place := mutate.PlaceOf(item)
		result := rest[place]
		if result == nil {
			return nil, fmt.Errorf("has lost %s, and may remove nothing", place)
		}
		delete(rest, place)
		if edited[place] {
			item = item.Copy() // with its document
			*item.YNode() = *result.YNode()
		}
		out = append(out, item)
	}
	for _, item := range returned {
		if rest[mutate.PlaceOf(item)] != nil {
			out = append(out, item)
		}
	}
	return out, nil
}

// equal reports whether two nodes hold the same values in the same order and style. Comments may differ.
func equal(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.ShortTag() == b.ShortTag() && a.Style == b.Style &&
		a.Value == b.Value && a.Anchor == b.Anchor &&
		slices.EqualFunc(a.Content, b.Content, equal)
}
