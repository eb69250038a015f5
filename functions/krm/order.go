// SPDX-License-Identifier: Apache-2.0

package krm

import (
	"slices"

	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/order"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// hasMoved reports whether element i of the list to was at another position in the list from: an equal one was there,
// or, if it was changed too, one that is like it.
func hasMoved(from, to *yaml.Node, i int) bool {
	n := to.Content[i]
	return !node.Equal(from.Content[i], n) && slices.ContainsFunc(from.Content, func(before *yaml.Node) bool {
		return node.Equal(before, n) || isLike(before, n) && !wouldReorder(before, n)
	})
}

// isLike reports whether two mappings have the same keys in the same order, and one of the values in common.
func isLike(a, b *yaml.Node) bool {
	if a.Kind != yaml.MappingNode || b.Kind != yaml.MappingNode || len(a.Content) != len(b.Content) {
		return false
	}
	common := false
	for i := 0; i < len(a.Content); i += 2 {
		if a.Content[i].Value != b.Content[i].Value {
			return false
		}
		common = common || node.Equal(a.Content[i+1], b.Content[i+1])
	}
	return common
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
	last, positions := -1, keyPositions(from)
	for i := 0; i+1 < len(to.Content); i += 2 {
		j, found := positions[to.Content[i].Value]
		if !found {
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

// keyPositions returns the positions of the keys of a mapping; for a duplicate key the first one, as kpt does.
func keyPositions(m *yaml.Node) map[string]int {
	positions := make(map[string]int, len(m.Content)/2)
	for i := 0; i+1 < len(m.Content); i += 2 {
		if _, twice := positions[m.Content[i].Value]; !twice {
			positions[m.Content[i].Value] = i
		}
	}
	return positions
}

// wouldMoveAliases reports whether kpt, which gives the keys of to the order that they have in from, would move an
// anchor or an alias before another: an alias that comes before its anchor makes a file unreadable.
func wouldMoveAliases(from, to *yaml.Node) bool {
	marks := marksIn(to, nil)
	if !slices.ContainsFunc(marks, func(mark string) bool { return mark[0] == '*' }) {
		return false
	}
	ordered := yaml.CopyYNode(to)
	err := order.SyncOrder(yaml.NewRNode(from), yaml.NewRNode(ordered))
	return err != nil || !slices.Equal(marks, marksIn(ordered, nil))
}

// marksIn appends the anchors and aliases of a node to marks, in their order.
func marksIn(n *yaml.Node, marks []string) []string {
	switch {
	case n.Kind == yaml.AliasNode:
		return append(marks, "*"+n.Value)
	case n.Anchor != "":
		marks = append(marks, "&"+n.Anchor)
	}
	for _, c := range n.Content {
		marks = marksIn(c, marks)
	}
	return marks
}
