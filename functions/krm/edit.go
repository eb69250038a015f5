// SPDX-License-Identifier: Apache-2.0

package krm

import (
	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Edit returns a copy of the item that edit has edited. It returns an error about the item if edit does, or if what was
// edited would not be read back as what it is: a comment in an awkward place can make YAML of it that nobody can read.
func Edit(item *yaml.RNode, edit func(*node.Editor) error) (*yaml.RNode, error) {
	edited := item.Copy()
	if err := edit(node.Edit(edited.YNode())); err != nil {
		return nil, Wrap(item, err)
	}
	if read, err := reread(edited.YNode()); err != nil || !identical(edited.YNode(), read) {
		return nil, Errorf(item, "", "could not be read again after the edit: put the comments around what is edited into lines of their own, or remove them")
	}
	return edited, nil
}

// identical reports whether two nodes hold the same values in the same order, keys that stand twice included.
func identical(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || a.Value != b.Value || a.Anchor != b.Anchor || a.ShortTag() != b.ShortTag() || len(a.Content) != len(b.Content) {
		return false
	}
	for i := range a.Content {
		if !identical(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

// reread returns what a reader makes of an item of a ResourceList, which others follow.
func reread(item *yaml.Node) (*yaml.Node, error) {
	list := &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{item, {Kind: yaml.MappingNode}}}
	text, err := yaml.Marshal(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{node.String("items"), list}})
	if err != nil {
		return nil, err
	}
	read, err := yaml.Parse(string(text))
	if err != nil {
		return nil, err
	}
	items := node.Get(read.YNode(), "items")
	if items == nil || len(items.Content) != len(list.Content) {
		return nil, Errorf(nil, "", "the item is not one item any more")
	}
	return items.Content[0], nil
}
