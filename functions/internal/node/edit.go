// SPDX-License-Identifier: Apache-2.0

package node

import (
	"slices"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Editor edits one resource. It refuses an edit that would also change another place: below an anchor that is aliased,
// or through an alias or a merge key. It also refuses an ambiguous edit, of a duplicate key.
type Editor struct {
	root    *yaml.Node
	aliased map[string]bool
}

// Edit returns an editor of the resource whose root mapping is root. Edits change root in place.
func Edit(root *yaml.Node) *Editor {
	e := &Editor{root: root}
	e.collectAliases(root)
	return e
}

func (e *Editor) collectAliases(n *yaml.Node) {
	if n.Kind == yaml.AliasNode {
		if e.aliased == nil {
			e.aliased = map[string]bool{}
		}
		e.aliased[n.Value] = true
	}
	for _, c := range n.Content {
		e.collectAliases(c)
	}
}

// Field is the place of a key in a resource: there or not, null or not, of any type.
type Field struct {
	// Path is the field's path from the resource's root.
	Path   string
	editor *Editor
	up     *Field     // the field whose mapping this field is in, nil at the top
	parent *yaml.Node // that mapping, nil as long as up is absent or null
	key    string
}

// Top returns the field of the root mapping with the given key.
func (e *Editor) Top(key string) (*Field, error) {
	return e.field(nil, e.root, "", key)
}

// field returns the field with the given key in m, a mapping that stands at path.
func (e *Editor) field(up *Field, m *yaml.Node, path, key string) (*Field, error) {
	f := &Field{Path: Join(path, key), editor: e, up: up, parent: m, key: key}
	if err := e.writable(m, path); err != nil {
		return nil, err
	}
	found := false
	for i := 0; i+1 < len(m.Content); i += 2 {
		if Resolve(m.Content[i]).ShortTag() == tagMerge {
			return nil, errorf(path, "has a YAML merge key (<<), so that %q cannot be edited safely: write the merged keys out",
				key)
		}
		if !isKey(m.Content[i], key) {
			continue
		}
		if found {
			return nil, errorf(f.Path, "stands twice: remove one of the two")
		}
		found = true
	}
	return f, nil
}

// writable refuses a mapping or sequence whose content is used in a second place.
func (e *Editor) writable(n *yaml.Node, path string) error {
	switch {
	case n.Kind == yaml.AliasNode:
		return errorf(path, "is a YAML alias (*%s), so that an edit would change the other place too: write the value out",
			n.Value)
	case n.Anchor != "" && e.aliased[n.Anchor]:
		return errorf(path, "has a YAML anchor (&%s) that is used elsewhere, so that an edit would change the other place "+
			"too: write the values out", n.Anchor)
	}
	return nil
}

// replaceable refuses a value that takes part in anchors and aliases anywhere within.
func (e *Editor) replaceable(n *yaml.Node, path string) error {
	if err := e.writable(n, path); err != nil {
		return err
	}
	for i, c := range n.Content {
		err := e.replaceable(c, path)
		if err != nil && n.Kind == yaml.MappingNode && i%2 == 1 && n.Content[i-1].ShortTag() == tagMerge {
			return errorf(path, "has a YAML merge key (<<), so that it cannot be edited safely: write the merged keys out")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// distinct refuses a value in which a key stands twice: an edit would reach only one of the two.
func distinct(n *yaml.Node, path string) error {
	seen := map[string]bool{}
	for i, c := range n.Content {
		p := childPath(n, path, i)
		if n.Kind == yaml.MappingNode && i%2 == 1 {
			key := n.Content[i-1]
			id := key.ShortTag() + key.Value
			if key.Kind == yaml.ScalarNode && seen[id] {
				return errorf(p, "stands twice: remove one of the two")
			}
			seen[id] = true
		}
		if err := distinct(c, p); err != nil {
			return err
		}
	}
	return nil
}

// pos returns the position of the field's key in its mapping, or -1 if it is absent.
func (f *Field) pos() int {
	if f.parent == nil {
		return -1
	}
	return index(f.parent, f.key)
}

// Value returns the field's value, or nil if it is absent or null.
func (f *Field) Value() *yaml.Node {
	i := f.pos()
	if i < 0 || IsNull(f.parent.Content[i+1]) {
		return nil
	}
	return f.parent.Content[i+1]
}

// Map returns the field's value as a mapping, or nil if it is absent or null; another type is an error.
func (f *Field) Map() (*yaml.Node, error) {
	return f.typed(yaml.MappingNode, "a map")
}

// List returns the field's value as a sequence, or nil if it is absent or null; another type is an error.
func (f *Field) List() (*yaml.Node, error) {
	return f.typed(yaml.SequenceNode, "a list")
}

func (f *Field) typed(kind yaml.Kind, want string) (*yaml.Node, error) {
	v := f.Value()
	if v == nil {
		return nil, nil
	}
	if err := f.editor.writable(v, f.Path); err != nil {
		return nil, err
	}
	if v.Kind != kind {
		return nil, errorf(f.Path, "is %s, not %s: correct its type", Describe(v), want)
	}
	return v, nil
}

// Sub returns the field with the given key in this field's mapping. If this field is absent or null, so is the result,
// and setting it makes this field first.
func (f *Field) Sub(key string) (*Field, error) {
	m, err := f.Map()
	if err != nil {
		return nil, err
	}
	if m == nil {
		return &Field{Path: Join(f.Path, key), editor: f.editor, up: f, key: key}, nil
	}
	return f.editor.field(f, m, f.Path, key)
}

// EnsureMap makes the field a mapping if it is absent or null, and returns the mapping. A new key is put where order
// wants it (see Set).
func (f *Field) EnsureMap(order ...string) (*yaml.Node, error) {
	return f.ensure(&yaml.Node{Kind: yaml.MappingNode, Tag: yaml.NodeTagMap}, order)
}

// EnsureList makes the field a sequence if it is absent or null, and returns the sequence.
func (f *Field) EnsureList(order ...string) (*yaml.Node, error) {
	return f.ensure(&yaml.Node{Kind: yaml.SequenceNode, Tag: yaml.NodeTagSeq}, order)
}

func (f *Field) ensure(empty *yaml.Node, order []string) (*yaml.Node, error) {
	want := "a map"
	if empty.Kind == yaml.SequenceNode {
		want = "a list"
	}
	v, err := f.typed(empty.Kind, want)
	if v != nil || err != nil {
		if v != nil && len(v.Content) == 0 {
			f.toBlock()
		}
		return v, err
	}
	if err := f.Set(empty, order...); err != nil {
		return nil, err
	}
	f.toBlock()
	return f.Value(), nil
}

// Set makes value the field's value. Where the old and the new value agree, the old node stays, with its comments and
// style. A new key is inserted before the first key that comes later in order, or else at the end.
func (f *Field) Set(value *yaml.Node, order ...string) error {
	if i := f.pos(); i >= 0 {
		old := f.parent.Content[i+1]
		if same(old, value) {
			return nil
		}
		if err := f.editor.replaceable(old, f.Path); err != nil {
			return err
		}
		if err := distinct(old, f.Path); err != nil {
			return err
		}
		assignValue(f.parent.Content[i], old, value)
		return nil
	}
	if f.parent == nil {
		m, err := f.up.EnsureMap(order...)
		if err != nil {
			return err
		}
		f.parent = m
	}
	if len(f.parent.Content) == 0 && f.up != nil {
		f.up.toBlock()
	}
	at := insertPosition(f.parent, f.key, order)
	f.parent.Content = slices.Insert(f.parent.Content, at, String(f.key), clone(value))
	return nil
}

func insertPosition(m *yaml.Node, key string, order []string) int {
	at := slices.Index(order, key)
	if at >= 0 {
		for i := 0; i+1 < len(m.Content); i += 2 {
			if slices.Contains(order[at+1:], m.Content[i].Value) {
				return i
			}
		}
	}
	return len(m.Content)
}

// Remove removes the field with the comments that belong to it; it reports whether it was there. Comments of the
// neighbourhood (a block set off by an empty line) stay.
func (f *Field) Remove() (bool, error) {
	i := f.pos()
	if i < 0 {
		return false, nil
	}
	key, value := f.parent.Content[i], f.parent.Content[i+1]
	if err := f.editor.replaceable(key, f.Path); err != nil {
		return false, err
	}
	if err := f.editor.replaceable(value, f.Path); err != nil {
		return false, err
	}
	RemoveChildren(f.parent, i, 2)
	if f.up != nil {
		f.up.settle()
	}
	return true, nil
}

// settle puts the comment on the field's line where it can be read back, after the value was edited.
func (f *Field) settle() {
	i := f.pos()
	settle(f.parent.Content[i], f.parent.Content[i+1])
}

// toBlock makes the field's empty collection, {} or [], a block once it is filled.
func (f *Field) toBlock() {
	i := f.pos()
	key, empty := f.parent.Content[i], f.parent.Content[i+1]
	empty.Style &^= yaml.FlowStyle
	key.LineComment, empty.LineComment = joinLine(key.LineComment, empty.LineComment), ""
}

// RemoveWithEmptied removes the field, and then each enclosing mapping that becomes empty.
func (f *Field) RemoveWithEmptied() error {
	for ; f != nil; f = f.up {
		if _, err := f.Remove(); err != nil || len(f.parent.Content) > 0 {
			return err
		}
	}
	return nil
}
