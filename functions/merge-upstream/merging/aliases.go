// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"fmt"
	"maps"
	"slices"

	"github.com/package-variants/package-variants/functions/internal/node"
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

// walked is walk for a resource that may have aliases: they are kept if they lead to the same values and conflicts as a
// merge with all of them written out. Otherwise an alias would take what the other side changed at its anchor.
func (m *merged) walked(t *tuple, r rules, set commentSet) (*walker, *yaml.Node) {
	w, root := m.walk(t, r, set)
	plain := t.withoutAliases()
	if plain == nil {
		return w, root
	}
	other, written := m.walk(plain, r, set)
	if t.holdSecret() { // the values may be those of an alias
		for i := range other.conflicts {
			other.conflicts[i].secret = true
		}
	}
	if node.Equal(withoutAliases(root.Content[0]), written.Content[0]) && maps.Equal(w.found(), other.found()) {
		return w, root
	}
	return other, written
}

// found returns the values of all conflicts. A value that an alias repeats counts once.
func (w *walker) found() map[string]bool {
	out := map[string]bool{}
	for _, c := range w.conflicts {
		text := c.taken
		for _, n := range c.values.versions() {
			text += "\x00"
			if n != nil {
				value, err := encode(withoutAliases(n))
				text += fmt.Sprint(value, err)
			}
		}
		out[text] = true
	}
	return out
}

// withoutAliases returns the three versions of a resource with all aliases written out; nil if there are none.
func (t *tuple) withoutAliases() *tuple {
	isAliased := func(d *document) bool { return d != nil && hasAlias(d.root) }
	if !isAliased(t.original) && !isAliased(t.local) && !isAliased(t.updated) {
		return nil
	}
	plain := *t
	for _, d := range []**document{&plain.original, &plain.local, &plain.updated} {
		if *d != nil {
			written := **d
			written.root = withoutAliases(written.root)
			if *d != t.local {
				withoutAnchors(written.root)
			}
			*d = &written
		}
	}
	return &plain
}

// withoutAliases returns a copy of a value with what its aliases stand for, also those of merge keys.
func withoutAliases(n *yaml.Node) *yaml.Node {
	named := map[string]*yaml.Node{}
	var visit func(*yaml.Node) *yaml.Node
	visit = func(n *yaml.Node) *yaml.Node {
		c := *n
		if n.Kind == yaml.AliasNode {
			if named[n.Value] == nil { // a part of a resource
				named[n.Value] = visit(n.Alias)
			}
			c = *yaml.CopyYNode(named[n.Value])
			withoutAnchors(&c)
			c.HeadComment, c.LineComment, c.FootComment = n.HeadComment, n.LineComment, n.FootComment
			return &c
		}
		c.Content = make([]*yaml.Node, len(n.Content))
		for i, child := range n.Content {
			c.Content[i] = visit(child)
		}
		flatten(&c)
		if n.Anchor != "" {
			named[n.Anchor] = &c
		}
		return &c
	}
	return visit(n)
}

// flatten puts into a map what its merge keys stand for.
func flatten(n *yaml.Node) {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].ShortTag() != yaml.MergeTag {
			continue
		}
		inherited := []*yaml.Node{n.Content[i+1]}
		if inherited[0].Kind == yaml.SequenceNode {
			inherited = inherited[0].Content
		}
		n.Content = slices.Delete(n.Content, i, i+2)
		i -= 2
		for _, from := range inherited {
			known := fieldsOf(n).at
			for j := 0; from.Kind == yaml.MappingNode && j+1 < len(from.Content); j += 2 {
				if known[keyID(from.Content[j])] == nil {
					n.Content = append(n.Content, from.Content[j], from.Content[j+1])
				}
			}
		}
	}
}
