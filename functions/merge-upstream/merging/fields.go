// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"slices"

	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// pair is an entry of a map; the zero value is none.
type pair struct{ key, value *yaml.Node }

// field is an entry of a map in the three versions.
type field struct{ original, local, updated pair }

func (f field) values() sources { return sources{f.original.value, f.local.value, f.updated.value} }

// identical reports whether two entries are the same in every respect, also in their comments and quotes.
func identical(a, b pair) bool { return sameNode(a.key, b.key) && sameNode(a.value, b.value) }

func sameNode(a, b *yaml.Node) bool {
	if a == b || a == nil || b == nil {
		return a == b
	}
	return a.Kind == b.Kind && a.Value == b.Value && a.ShortTag() == b.ShortTag() && a.Style == b.Style &&
		a.Anchor == b.Anchor && commentsOf(a) == commentsOf(b) && slices.EqualFunc(a.Content, b.Content, sameNode)
}

// fields finds the entries of a map by their keys.
type fields struct {
	of *yaml.Node
	// ids identify the keys, in their order.
	ids []string
	at  map[string][]int
}

func fieldsOf(m *yaml.Node) fields {
	f := fields{of: m}
	if m == nil {
		return f
	}
	f.ids, f.at = make([]string, 0, len(m.Content)/2), make(map[string][]int, len(m.Content)/2)
	for i := 0; i+1 < len(m.Content); i += 2 {
		id := keyID(m.Content[i])
		if f.at[id] == nil {
			f.ids = append(f.ids, id)
		}
		f.at[id] = append(f.at[id], i)
	}
	return f
}

// keyID returns a text that identifies a key: its value, unless it is not a text.
func keyID(key *yaml.Node) string {
	switch {
	case key.Kind == yaml.AliasNode:
		return "*" + key.Value
	case key.Kind != yaml.ScalarNode:
		text, err := encode(key)
		if err != nil {
			return key.Value
		}
		return "? " + text
	case key.ShortTag() == yaml.NodeTagString:
		return key.Value
	}
	return key.ShortTag() + " " + key.Value
}

// pairs returns the entries with a key; several if the map has the key twice.
func (f fields) pairs(id string) []pair {
	var out []pair
	for _, i := range f.at[id] {
		out = append(out, pair{f.of.Content[i], f.of.Content[i+1]})
	}
	return out
}

// mapping merges the fields of three maps. The local one must exist.
func (w *walker) mapping(s sources, path string, schema *openapi.ResourceSchema) {
	schema = schemaOf(schema, s)
	if path != "" && s.areSecret() {
		w.inSecret++
		defer func() { w.inSecret-- }()
	}
	settled := w.alternatives(s, path, schema)
	local, original, updated := fieldsOf(s.local), fieldsOf(s.original), fieldsOf(s.updated)
	edits := edits{of: local}
	defer w.enter(s.local)()
	for _, id := range union2(local.ids, updated.ids) {
		l, o, u := local.pairs(id), original.pairs(id), updated.pairs(id)
		place := node.Join(path, shownKey(id, l, u))
		switch {
		case slices.Contains(settled, id):
		case max(len(l), len(o), len(u)) < 2:
			f := field{one(o), one(l), one(u)}
			edits.set(id, f.local, w.field(f, place, sub(schema, id)))
		case w.twice(l, o, u, place):
			edits.gone = append(edits.gone, local.at[id]...)
			for _, p := range u {
				edits.added = append(edits.added, yaml.CopyYNode(p.key), w.copy(p.value))
			}
		}
	}
	w.changed = edits.apply() || w.changed
}

// edits are what becomes of the entries of a map.
type edits struct {
	of    fields
	gone  []int
	added []*yaml.Node
}

// set notes what the only entry with a key becomes.
func (e *edits) set(id string, was, is pair) {
	switch {
	case was == is:
	case was.key == nil:
		e.added = append(e.added, is.key, is.value)
	case is.key == nil:
		e.gone = append(e.gone, e.of.at[id][0])
	default:
		i := e.of.at[id][0]
		e.of.of.Content[i], e.of.of.Content[i+1] = is.key, is.value
	}
}

// apply removes and adds entries, and reports whether there are such.
func (e *edits) apply() bool {
	for _, i := range slices.Backward(slices.Sorted(slices.Values(e.gone))) {
		node.RemoveChildren(e.of.of, i, 2)
	}
	e.of.of.Content = append(e.of.of.Content, e.added...)
	return len(e.gone)+len(e.added) > 0
}

// union2 returns the texts of two lists without those that are in both twice.
func union2(a, b []string) []string {
	seen := make(map[string]bool, len(a))
	for _, s := range a {
		seen[s] = true
	}
	out := slices.Clip(a)
	for _, s := range b {
		if !seen[s] {
			out = append(out, s)
		}
	}
	return out
}

// one returns the only entry with a key; none if there is none.
func one(pairs []pair) pair {
	if len(pairs) == 0 {
		return pair{}
	}
	return pairs[0]
}

// shownKey returns how a path names a key.
func shownKey(id string, versions ...[]pair) string {
	for _, pairs := range versions {
		if len(pairs) > 0 && pairs[0].key.Kind == yaml.ScalarNode {
			return pairs[0].key.Value
		}
	}
	return id
}

// twice merges the entries of a key that a version has twice, as one value. It reports whether the upstream's are
// taken.
func (w *walker) twice(local, original, updated []pair, path string) bool {
	s := sources{listOf(original), listOf(local), listOf(updated)}
	switch {
	case w.rules.ours(path) || node.Equal(s.original, s.updated) || node.Equal(s.local, s.updated):
		return false
	case node.Equal(s.original, s.local):
		return true
	}
	return w.record(path, s, "the key is there twice")
}

// listOf returns the value of a key, or a list of its values if there are several.
func listOf(pairs []pair) *yaml.Node {
	if len(pairs) < 2 {
		return one(pairs).value
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: yaml.NodeTagSeq}
	for _, p := range pairs {
		list.Content = append(list.Content, p.value)
	}
	return list
}
