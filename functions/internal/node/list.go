// SPDX-License-Identifier: Apache-2.0

package node

import (
	"slices"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Owned describes the elements that one owner writes into a list that others write to as well.
type Owned struct {
	// Key is the key of an element, a mapping, whose value identifies it.
	Key string
	// Is reports whether the element that id identifies is the owner's.
	Is func(id string) bool
	// First puts the owner's elements before all others, in their order. Without it they keep their places, and new
	// ones are added at the end.
	First bool
	// Order says where to put a list that does not exist yet (see Field.Set).
	Order []string
}

// Entry is an element of a list.
type Entry struct {
	// ID identifies the element among the owner's.
	ID string
	// Value is the element, a value that encoding/json can marshal.
	Value any
}

// SetOwned makes entries the owner's elements of the field's list, and reports whether this emptied the list. An
// element that is there already keeps its node, and so its comments; others' elements are not touched.
func (f *Field) SetOwned(owned Owned, entries []Entry) (emptied bool, err error) {
	list, err := f.List()
	if err != nil {
		return false, err
	}
	if list != nil {
		removed, err := f.removeOwned(list, owned, entries)
		if err != nil {
			return false, err
		}
		emptied = removed && len(list.Content) == 0
	}
	if len(entries) == 0 {
		if emptied {
			f.settle()
		}
		return emptied, nil
	}
	if list, err = f.EnsureList(owned.Order...); err != nil {
		return false, err
	}
	return false, f.setEntries(list, owned, entries)
}

// removeOwned removes the owner's elements that are not among the entries, and second ones of the same ID.
func (f *Field) removeOwned(list *yaml.Node, owned Owned, entries []Entry) (bool, error) {
	wanted := make(map[string]bool, len(entries))
	for _, entry := range entries {
		wanted[entry.ID] = true
	}
	first := positions(list, owned.Key)
	removed := false
	for i := len(list.Content) - 1; i >= 0; i-- {
		id := GetString(list.Content[i], owned.Key)
		if !owned.Is(id) || wanted[id] && first[id] == i {
			continue
		}
		if err := f.editor.replaceable(list.Content[i], Index(f.Path, i)); err != nil {
			return removed, err
		}
		RemoveChildren(list, i, 1)
		removed = true
	}
	return removed, nil
}

// setEntries writes the entries into the list, each into the element of its ID if there is one.
func (f *Field) setEntries(list *yaml.Node, owned Owned, entries []Entry) error {
	first := positions(list, owned.Key)
	var front, added []*yaml.Node
	isFront := map[int]bool{}
	for _, entry := range entries {
		value, err := FromValue(entry.Value)
		if err != nil {
			return err
		}
		i, found := first[entry.ID]
		if found {
			if value, err = f.assignElement(list.Content[i], value, i); err != nil {
				return err
			}
			isFront[i] = owned.First
		}
		switch {
		case owned.First:
			front = append(front, value)
		case !found:
			added = append(added, value)
		}
	}
	for i, n := range list.Content {
		if !isFront[i] {
			front = append(front, n)
		}
	}
	list.Content = slices.Concat(front, added)
	return nil
}

// assignElement makes the element at position i of the list hold the value, and returns it.
func (f *Field) assignElement(element, value *yaml.Node, i int) (*yaml.Node, error) {
	if same(element, value) {
		return element, nil
	}
	if err := f.editor.replaceable(element, Index(f.Path, i)); err != nil {
		return nil, err
	}
	if err := distinct(element, Index(f.Path, i)); err != nil {
		return nil, err
	}
	assign(element, value)
	return element, nil
}

// positions returns the positions of the elements by ID; for a duplicate ID, that of the first one.
func positions(list *yaml.Node, key string) map[string]int {
	first := make(map[string]int, len(list.Content))
	for i, n := range list.Content {
		id := GetString(n, key)
		if _, known := first[id]; !known {
			first[id] = i
		}
	}
	return first
}
