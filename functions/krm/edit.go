// SPDX-License-Identifier: Apache-2.0

package krm

import (
	"bytes"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Edit returns a copy of the item that edit has edited, or edit's error as one about the item. An item that is written
// as JSON stays JSON. The caller must call CheckEdited afterwards.
func Edit(item *yaml.RNode, edit func(*node.Editor) error) (*yaml.RNode, error) {
	edited := item.Copy()
	if err := edit(node.Edit(edited.YNode())); err != nil {
		return nil, Wrap(item, err)
	}
	if node.IsJSON(item.YNode(), IsInternalAnnotation) && !Same(item, edited) {
		node.ToJSON(edited.YNode())
	}
	return edited, nil
}

// CheckEdited returns an error about the item if its edited copy would not be read back as the same values: a comment
// in an awkward place can make it invalid YAML. Like QuoteBlocks, it may quote text in the copy.
func CheckEdited(item, edited *yaml.RNode) error {
	if Same(item, edited) && !hasBlock(edited.YNode()) || QuoteBlocks(edited) { // an unchanged item reads back
		return nil
	}
	return Errorf(item, "",
		"could not be read again after the edit: move comments that stand between a key and its value, or the anchor or "+
			"tag of its value, into lines of their own")
}

// Checked returns f, which leaves the items in their places, with CheckEdited for each item that it edited.
func Checked(f Function) Function {
	return func(config *yaml.RNode, items []*yaml.RNode) (Output, error) {
		out, err := f(config, items)
		if err != nil {
			return Output{}, err
		}
		for i, item := range items {
			if edited := out.Items[i]; edited != item {
				if err := CheckEdited(item, edited); err != nil {
					return Output{}, err
				}
			}
		}
		return out, nil
	}
}

// Same reports whether two items are the same, in values, style and comments.
func Same(a, b *yaml.RNode) bool { return same(a.YNode(), b.YNode()) }

func same(a, b *yaml.Node) bool {
	return a == b || a.Kind == b.Kind && a.Style == b.Style && a.Tag == b.Tag && a.Value == b.Value &&
		a.Anchor == b.Anchor && a.HeadComment == b.HeadComment && a.LineComment == b.LineComment &&
		a.FootComment == b.FootComment && slices.EqualFunc(a.Content, b.Content, same)
}

// hasBlock reports whether a value has a text that is written as a block.
func hasBlock(n *yaml.Node) bool { return isBlock(n) || slices.ContainsFunc(n.Content, hasBlock) }

// isBlock reports whether a node is a text that is written as a block.
func isBlock(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Style&(yaml.FoldedStyle|yaml.LiteralStyle) != 0
}

// QuoteBlocks reports whether a reader of a ResourceList reads the item back unchanged. To make it so, it quotes blocks
// of text in the item that the emitter cannot write as blocks, such as folded ones with an indented line.
func QuoteBlocks(item *yaml.RNode) bool {
	n := item.YNode()
	read, err := reread(n)
	if err == nil && identical(n, read) {
		return true
	}
	quoteBlocks(n, read)
	read, err = reread(n)
	return err == nil && identical(n, read)
}

// quoteBlocks quotes the blocks of text that would be read as another text. If the item cannot be read at all, it
// quotes the blocks that begin with white space.
func quoteBlocks(n, read *yaml.Node) {
	unread := read == nil && strings.TrimLeft(n.Value, " \t\n") != n.Value
	if isBlock(n) && (unread || read != nil && n.Value != read.Value) {
		n.Style = yaml.DoubleQuotedStyle
	}
	for i, child := range n.Content {
		switch {
		case read == nil:
			quoteBlocks(child, nil)
		case i < len(read.Content):
			quoteBlocks(child, read.Content[i])
		}
	}
}

// identical reports whether two nodes hold the same values in the same order, including duplicate keys.
func identical(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || a.Value != b.Value || a.Anchor != b.Anchor || a.ShortTag() != b.ShortTag() ||
		len(a.Content) != len(b.Content) {
		return false
	}
	for i := range a.Content {
		if !identical(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

// reread returns an item as a reader parses it from a ResourceList in which other items follow it.
func reread(item *yaml.Node) (*yaml.Node, error) {
	list := []*yaml.Node{item, {Kind: yaml.MappingNode}}
	text := bytes.NewBufferString("items:\n")
	if err := encodeItems(text, list); err != nil {
		return nil, err
	}
	read, err := yaml.Parse(text.String())
	if err != nil {
		return nil, err
	}
	items := node.Get(read.YNode(), "items")
	if items == nil || len(items.Content) != len(list) {
		return nil, Errorf(nil, "", "the item is not one item any more")
	}
	return items.Content[0], nil
}
