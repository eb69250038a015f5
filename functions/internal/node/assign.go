// SPDX-License-Identifier: Apache-2.0

package node

import (
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// assign makes old hold the value of src. What is equal keeps its node, and so its comments, style and place: keys of
// a mapping are matched by name, elements of a sequence by value, else by their "name" field.
func assign(old, src *yaml.Node) {
	switch {
	case same(old, src):
	case old.Kind != src.Kind:
		replace(old, src)
	case src.Kind == yaml.MappingNode:
		assignMapping(old, src)
	case src.Kind == yaml.SequenceNode:
		assignSequence(old, src)
	default:
		setScalar(old, src.ShortTag(), src.Value)
	}
}

// assignValue assigns to the value of a mapping's key. The comment after a scalar that becomes a block moves to its
// key: after the value, it would end up in the block's first line.
func assignValue(key, old, src *yaml.Node) {
	if old.Kind == yaml.ScalarNode && src.Kind != yaml.ScalarNode {
		key.LineComment, old.LineComment = joinLine(key.LineComment, old.LineComment), ""
	}
	assign(old, src)
	settle(key, old)
}

// settle attaches the comments of a key and its value to the node where they can be read back. The comment on their
// line goes to the value if the value is on the key's line, as {} and [] are; otherwise to the key, because it would
// end up in whatever follows. Comments at the foot go to the key.
func settle(key, value *yaml.Node) {
	key.FootComment, value.FootComment = joinBlocks(value.FootComment, key.FootComment), ""
	if value.Kind != yaml.MappingNode && value.Kind != yaml.SequenceNode {
		return
	}
	if len(value.Content) == 0 || value.Style&yaml.FlowStyle != 0 {
		value.LineComment, key.LineComment = joinLine(key.LineComment, value.LineComment), ""
		return
	}
	key.LineComment, value.LineComment = joinLine(key.LineComment, value.LineComment), ""
}

func joinLine(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

// replace gives old the value of src and keeps the comments around it.
func replace(old, src *yaml.Node) {
	step := 1
	if old.Kind == yaml.MappingNode {
		step = 2
	}
	for len(old.Content) > 0 {
		RemoveChildren(old, len(old.Content)-step, step)
	}
	c := clone(src)
	c.HeadComment, c.LineComment, c.FootComment, c.Anchor = old.HeadComment, old.LineComment, old.FootComment, old.Anchor
	*old = *c
}

func assignMapping(old, src *yaml.Node) {
	wanted := PlacesOf(src, 2)
	for i := len(old.Content) - 2; i >= 0; i -= 2 { // from the end: removed elements pass comments on
		if wanted.find(old.Content[i]) < 0 {
			RemoveChildren(old, i, 2)
		}
	}
	if len(old.Content) == 0 {
		old.Style &^= yaml.FlowStyle
	}
	there := PlacesOf(old, 2)
	for i := 0; i+1 < len(src.Content); i += 2 {
		if j := there.find(src.Content[i]); j >= 0 {
			assignValue(old.Content[j], old.Content[j+1], src.Content[i+1])
			continue
		}
		old.Content = append(old.Content, clone(src.Content[i]), clone(src.Content[i+1]))
	}
}

func assignSequence(old, src *yaml.Node) {
	equal, named := PlacesOf(old, 1), namesOf(old)
	if len(old.Content) == 0 {
		old.Style &^= yaml.FlowStyle
	}
	content, taken := make([]*yaml.Node, len(src.Content)), make([]bool, len(old.Content))
	take := func(i int) *yaml.Node {
		if i < 0 {
			return nil
		}
		taken[i] = true
		return old.Content[i]
	}
	for i, want := range src.Content {
		content[i] = take(equal.take(want))
	}
	for i, want := range src.Content {
		if content[i] != nil {
			assign(content[i], want)
			continue
		}
		content[i] = take(named.take(GetString(want, "name"), taken))
		if content[i] == nil {
			content[i] = clone(want)
			continue
		}
		assign(content[i], want)
	}
	for i := len(old.Content) - 1; i >= 0; i-- {
		if !taken[i] {
			RemoveChildren(old, i, 1)
		}
	}
	old.Content = content
}

// clone copies a value without its comments, anchors and style: those describe the place that it comes from. Strings
// get a style in which every YAML reader takes them for strings.
func clone(n *yaml.Node) *yaml.Node {
	c := &yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value}
	if n.Kind == yaml.ScalarNode {
		setScalar(c, n.ShortTag(), n.Value)
		return c
	}
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, child := range n.Content {
		c.Content[i] = clone(child)
	}
	return c
}

// Loose returns an error if n holds aliases, which cannot be copied into another resource.
func Loose(n *yaml.Node, path string) error {
	if n.Kind == yaml.AliasNode {
		return errorf(path, "is a YAML alias (*%s), which cannot be copied into another resource: write the value out",
			n.Value)
	}
	for i, c := range n.Content {
		if err := Loose(c, childPath(n, path, i)); err != nil {
			return err
		}
	}
	return nil
}

// childPath returns the path of a child of n, which has this path: a key has that of its map.
func childPath(n *yaml.Node, path string, i int) string {
	switch {
	case n.Kind == yaml.SequenceNode:
		return Index(path, i)
	case i%2 == 1:
		return Join(path, n.Content[i-1].Value)
	default:
		return path
	}
}
