// SPDX-License-Identifier: Apache-2.0

package functionrunner

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/package-variants/package-variants/sync-controller/internal/mutate"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// sendable returns copies of the items for a FunctionFilter, which edits what it is given. They have no document: its
// comment is not shown to functions, and stays with the item that was given. Folded text is quoted, as the filter quotes
// it in the output: written as a block, it may be read back as another text.
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

// reread returns the items as a function reads them from a ResourceList.
func reread(items []*yaml.RNode) ([]*yaml.RNode, error) {
	var text bytes.Buffer
	writer := kio.ByteWriter{
		Writer: &text, KeepReaderAnnotations: true,
		WrappingAPIVersion: kio.ResourceListAPIVersion, WrappingKind: kio.ResourceListKind,
	}
	if err := writer.Write(items); err != nil {
		return nil, err
	}
	return (&kio.ByteReader{Reader: &text}).Read()
}

// match returns the items given as the function returned them, in the order given, and then the items that it added. An
// item that the function returned as it read it before is the one given, so that only an edit changes comments and style.
func match(given, before, returned []*yaml.RNode) ([]*yaml.RNode, error) {
	rest := make(map[mutate.Place]*yaml.RNode, len(returned))
	for _, item := range returned {
		place := mutate.PlaceOf(item)
		if rest[place] != nil {
			return nil, fmt.Errorf("has %s twice", place)
		}
		rest[place] = item
	}
	out := make([]*yaml.RNode, 0, len(returned))
	for i, item := range given {
		place := mutate.PlaceOf(item)
		edited := rest[place]
		if edited == nil {
			return nil, fmt.Errorf("has lost %s, and may remove nothing", place)
		}
		delete(rest, place)
		if !equal(before[i].YNode(), edited.YNode()) {
			n := edited.YNode()
			item = item.Copy() // with its document
			*item.YNode() = *n
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
	return a.Kind == b.Kind && a.ShortTag() == b.ShortTag() && a.Style == b.Style && a.Value == b.Value && a.Anchor == b.Anchor &&
		slices.EqualFunc(a.Content, b.Content, equal)
}
