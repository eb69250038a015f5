// SPDX-License-Identifier: Apache-2.0

package node

import "sigs.k8s.io/kustomize/kyaml/yaml"

// IsJSON reports whether a value is written as JSON: collections in flow style, keys and strings in double quotes. Keys
// for which ignored returns true do not count, nor do maps that hold nothing else.
func IsJSON(n *yaml.Node, ignored func(key string) bool) bool {
	switch n.Kind {
	case yaml.MappingNode:
		return isJSONMapping(n, ignored)
	case yaml.SequenceNode:
		for _, child := range n.Content {
			if !IsJSON(child, ignored) {
				return false
			}
		}
		return n.Style&yaml.FlowStyle != 0
	case yaml.ScalarNode:
		return isQuoted(n) || n.ShortTag() != tagString && n.Style == 0
	}
	return false
}

func isJSONMapping(n *yaml.Node, ignored func(key string) bool) bool {
	if n.Style&yaml.FlowStyle == 0 {
		return false
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if ignored(key.Value) || hasOnly(value, ignored) {
			continue
		}
		if !isQuoted(key) || !IsJSON(value, ignored) {
			return false
		}
	}
	return true
}

// hasOnly reports whether n is a map that is not empty and has no other keys than ignored ones.
func hasOnly(n *yaml.Node, ignored func(key string) bool) bool {
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		return false
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !ignored(n.Content[i].Value) {
			return false
		}
	}
	return true
}

func isQuoted(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Style&yaml.DoubleQuotedStyle != 0
}

// ToJSON gives a value without aliases the style of JSON, and leaves comments where they are.
func ToJSON(n *yaml.Node) {
	switch {
	case n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode:
		n.Style = yaml.FlowStyle
	case n.ShortTag() == tagString:
		n.Style = yaml.DoubleQuotedStyle
	}
	for i, child := range n.Content {
		ToJSON(child)
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			child.Style = yaml.DoubleQuotedStyle
		}
	}
}
