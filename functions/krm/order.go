// SPDX-License-Identifier: Apache-2.0

package krm

import (
	"slices"

	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// hasMoved reports whether element i of the list to stood in another place of the list from.
func hasMoved(from, to *yaml.Node, i int) bool {
	return !node.Equal(from.Content[i], to.Content[i]) &&
		slices.ContainsFunc(from.Content, func(n *yaml.Node) bool { return node.Equal(n, to.Content[i]) })
}

// wouldReorder reports whether kpt, which gives the keys of to the order that they have in from, would change to.
func wouldReorder(from, to *yaml.Node) bool {
	if from.Kind != to.Kind {
		return false
	}
	if to.Kind == yaml.SequenceNode {
		for i := 0; i < len(to.Content) && i < len(from.Content); i++ {
			if wouldReorder(from.Content[i], to.Content[i]) {
				return true
			}
		}
		return false
	}
	if to.Kind != yaml.MappingNode {
		return false
	}
	last := -1
	for i := 0; i+1 < len(to.Content); i += 2 {
		j := position(from, to.Content[i].Value)
		if j < 0 {
			last = len(from.Content) // kpt puts new keys behind all others
			continue
		}
		if j < last || wouldReorder(from.Content[j+1], to.Content[i+1]) {
			return true
		}
		last = j
	}
	return false
}

// position returns where the key stands in the mapping, or -1.
func position(m *yaml.Node, key string) int {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return i
		}
	}
	return -1
}
