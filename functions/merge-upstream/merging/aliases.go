// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"slices"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// anchors follows the anchors of a resource with aliases through a merge.
type anchors struct {
	// of are the nodes of the merged resource in the place of nodes that have an anchor in a version; nil for a resource
	// without aliases.
	of map[*yaml.Node]*yaml.Node
}

// copied returns a copy of a version, whose aliases stand for nodes of the copy.
func (a *anchors) copied(n *yaml.Node) *yaml.Node {
	if !hasAlias(n) {
		return yaml.CopyYNode(n)
	}
	if a.of == nil {
		a.of = map[*yaml.Node]*yaml.Node{}
	}
	named := map[string]*yaml.Node{}
	var visit func(*yaml.Node) *yaml.Node
	visit = func(n *yaml.Node) *yaml.Node {
		c := *n
		if n.Anchor != "" {
			named[n.Anchor] = &c
		}
		if to := named[n.Value]; n.Kind == yaml.AliasNode && to != nil {
			c.Alias = to
		}
		c.Content = slices.Clone(n.Content)
		for i, child := range n.Content {
			c.Content[i] = visit(child)
		}
		return &c
	}
	return visit(n)
}

func hasAlias(n *yaml.Node) bool {
	return n != nil && (n.Kind == yaml.AliasNode || slices.ContainsFunc(n.Content, hasAlias))
}

// pair notes which node of the merged resource is in the place of a version's, and so for all in them.
func (a *anchors) pair(merged, version *yaml.Node) {
	if a.of == nil || merged == nil || version == nil || merged == version {
		return
	}
	if version.Anchor != "" {
		a.of[version] = merged
	}
	for i, c := range version.Content {
		switch {
		case version.Kind == yaml.MappingNode && i%2 == 1:
			a.pair(valueOf(merged, version.Content[i-1].Value), c)
		case version.Kind == yaml.SequenceNode && len(merged.Content) == len(version.Content):
			a.pair(merged.Content[i], c)
		}
	}
}

// settle writes out the aliases of a merged resource whose anchor is missing, or is not at the place of the one that
// they stood for in their version.
func (a *anchors) settle(merged *yaml.Node) {
	if a.of != nil {
		a.writeOut(merged, map[string]*yaml.Node{}, nil)
	}
}

// writeOut is settle below a node; before are the anchors in front of it, open the nodes that are being written out.
func (a *anchors) writeOut(n *yaml.Node, before map[string]*yaml.Node, open []*yaml.Node) {
	if target := n.Alias; n.Kind == yaml.AliasNode && !slices.Contains(open, target) {
		place := a.of[target]
		if place == nil {
			place = target
		}
		if before[n.Value] != place {
			c := yaml.CopyYNode(target)
			withoutAnchors(c)
			c.HeadComment, c.LineComment, c.FootComment = n.HeadComment, n.LineComment, n.FootComment
			*n, open = *c, append(open, target)
		}
	}
	for _, c := range n.Content {
		a.writeOut(c, before, open)
	}
	if n.Anchor != "" {
		before[n.Anchor] = n
	}
}

func withoutAnchors(n *yaml.Node) {
	n.Anchor = ""
	for _, c := range n.Content {
		withoutAnchors(c)
	}
}
