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
	// First puts the owner's elements before all others, in their order; else they keep their places, and new ones
	// go to the end.
	First bool
	// Order is where a list that is not there yet goes (see Field.Set).
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
	for at, entry := range entries {
		if err := f.setEntry(list, owned, entry, at); err != nil {
			return false, err
		}
	}
	return false, nil
}

// removeOwned removes the owner's elements that are not among the entries, and second ones of the same ID.
func (f *Field) removeOwned(list *yaml.Node, owned Owned, entries []Entry) (bool, error) {
	removed := false
	for i := len(list.Content) - 1; i >= 0; i-- {
		id := GetString(list.Content[i], owned.Key)
		wanted := slices.ContainsFunc(entries, func(e Entry) bool { return e.ID == id })
		if !owned.Is(id) || wanted && indexByID(list, owned.Key, id) == i {
			continue
		}
		if err := f.editor.replaceable(list.Content[i], Index(f.Path, i)); err != nil {
			return removed, err
		}
		removeChildren(list, i, 1)
		removed = true
	}
	return removed, nil
}

func (f *Field) setEntry(list *yaml.Node, owned Owned, entry Entry, at int) error {
	value, err := FromValue(entry.Value)
	if err != nil {
		return err
	}
	i := indexByID(list, owned.Key, entry.ID)
	if i < 0 {
		if !owned.First {
			at = len(list.Content)
		}
		list.Content = slices.Insert(list.Content, at, value)
		return nil
	}
	element := list.Content[i]
	if !same(element, value) {
		if err := f.editor.replaceable(element, Index(f.Path, i)); err != nil {
			return err
		}
		assign(element, value)
	}
	if owned.First && i != at {
		list.Content = slices.Insert(slices.Delete(list.Content, i, i+1), at, element)
	}
	return nil
}

func indexByID(list *yaml.Node, key, id string) int {
	return slices.IndexFunc(list.Content, func(n *yaml.Node) bool { return GetString(n, key) == id })
}
