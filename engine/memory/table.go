// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"maps"
	"slices"

	"github.com/package-variants/package-variants/engine/objects"
	"k8s.io/apimachinery/pkg/types"
)

// key is the namespace and the name of an object.
type key = types.NamespacedName

// table has objects of a kind, and finds them by the values that they have in indexes.
type table[T any] struct {
	all     map[key]T
	indexes map[string]func(T) []string
	found   map[indexed]map[key]bool
}

// indexed is a value in an index.
type indexed struct{ index, value string }

func newTable[T any](indexes map[string]func(T) []string) *table[T] {
	return &table[T]{all: map[key]T{}, indexes: indexes, found: map[indexed]map[key]bool{}}
}

// clone returns a table with the same objects.
func (t *table[T]) clone() *table[T] {
	c := newTable(t.indexes)
	for k, o := range t.all {
		c.put(k, o)
	}
	return c
}

// put adds an object, or replaces it. It must not be changed any more.
func (t *table[T]) put(k key, o T) {
	t.drop(k)
	t.all[k] = o
	for name, values := range t.indexes {
		for _, value := range values(o) {
			at := indexed{name, value}
			if t.found[at] == nil {
				t.found[at] = map[key]bool{}
			}
			t.found[at][k] = true
		}
	}
}

// drop removes an object, if it is there.
func (t *table[T]) drop(k key) {
	o, there := t.all[k]
	if !there {
		return
	}
	delete(t.all, k)
	for name, values := range t.indexes {
		for _, value := range values(o) {
			at := indexed{name, value}
			if delete(t.found[at], k); len(t.found[at]) == 0 {
				delete(t.found, at)
			}
		}
	}
}

// find returns the objects with a value in an index, in order: those in a namespace, or in all for "".
func (t *table[T]) find(namespace, index, value string) []T {
	return inOrder(namespace, t.found[indexed{index, value}], t.all)
}

// in returns the objects in a namespace, in order; in all for "".
func (t *table[T]) in(namespace string) []T { return inOrder(namespace, t.all, t.all) }

func inOrder[T, V any](namespace string, keys map[key]V, all map[key]T) []T {
	var out []T
	for _, k := range slices.SortedFunc(maps.Keys(keys), objects.CompareKeys) {
		if namespace == "" || k.Namespace == namespace {
			out = append(out, all[k])
		}
	}
	return out
}
