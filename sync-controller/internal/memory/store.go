// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"cmp"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// store has the objects of a kind, and indexes of them.
type store struct {
	objects map[types.NamespacedName]client.Object
	indexes map[string]*index
	// asked are the namespaces whose objects were already requested with Unknown.
	asked map[string]bool
	// gone are the objects that were dropped and must not come back.
	gone map[types.NamespacedName]bool
}

// index finds objects by the values that a function returns for them.
type index struct {
	values client.IndexerFunc
	keys   map[string]map[types.NamespacedName]bool
}

func newStore() *store {
	return &store{objects: map[types.NamespacedName]client.Object{}, indexes: map[string]*index{},
		asked: map[string]bool{}, gone: map[types.NamespacedName]bool{}}
}

// clone returns a store with the same objects.
func (s *store) clone() *store {
	c := newStore()
	for field, i := range s.indexes {
		c.addIndex(field, i.values)
	}
	for _, o := range s.objects {
		c.put(o)
	}
	maps.Copy(c.asked, s.asked)
	maps.Copy(c.gone, s.gone)
	return c
}

func (s *store) addIndex(field string, values client.IndexerFunc) {
	s.indexes[field] = &index{values: values, keys: map[string]map[types.NamespacedName]bool{}}
	for key, o := range s.objects {
		s.indexes[field].add(key, o)
	}
}

func (i *index) add(key types.NamespacedName, o client.Object) {
	for _, value := range i.values(o) {
		if i.keys[value] == nil {
			i.keys[value] = map[types.NamespacedName]bool{}
		}
		i.keys[value][key] = true
	}
}

func (i *index) drop(key types.NamespacedName, o client.Object) {
	for _, value := range i.values(o) {
		if delete(i.keys[value], key); len(i.keys[value]) == 0 {
			delete(i.keys, value)
		}
	}
}

// get returns an object, nil if there is none.
func (s *store) get(key types.NamespacedName) client.Object { return s.objects[key] }

// put adds an object, or replaces it. It must not be changed any more.
func (s *store) put(o client.Object) {
	key := client.ObjectKeyFromObject(o)
	s.drop(key)
	s.objects[key] = o
	for _, i := range s.indexes {
		i.add(key, o)
	}
}

// drop removes an object, if it is there.
func (s *store) drop(key types.NamespacedName) {
	o, there := s.objects[key]
	if !there {
		return
	}
	for _, i := range s.indexes {
		i.drop(key, o)
	}
	delete(s.objects, key)
}

// all returns the objects in the order of their namespaces and names.
func (s *store) all() []client.Object {
	out := make([]client.Object, 0, len(s.objects))
	for _, o := range s.objects {
		out = append(out, o)
	}
	return ordered(out)
}

// by returns the objects with a value in an index, in order. It reports whether there is such an index.
func (s *store) by(field, value string) ([]client.Object, bool) {
	i := s.indexes[field]
	if i == nil {
		return nil, false
	}
	var out []client.Object
	for key := range i.keys[value] {
		out = append(out, s.objects[key])
	}
	return ordered(out), true
}

func ordered(list []client.Object) []client.Object {
	slices.SortFunc(list, func(a, b client.Object) int {
		return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
	})
	return list
}
