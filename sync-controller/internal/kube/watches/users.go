// SPDX-License-Identifier: Apache-2.0

package watches

import (
	"maps"
	"slices"

	"github.com/package-variants/package-variants/engine/objects"
	"k8s.io/apimachinery/pkg/types"
)

// users are the users that refer to objects of a kind, by the names of the objects; "" stands for all. A lookup for one
// object or one user does not slow down with the number of others.
type users map[objects.Kind]map[string]map[types.NamespacedName]bool

func (u users) add(user types.NamespacedName, r objects.Reference) {
	if u[r.Kind] == nil {
		u[r.Kind] = map[string]map[types.NamespacedName]bool{}
	}
	if u[r.Kind][r.Name] == nil {
		u[r.Kind][r.Name] = map[types.NamespacedName]bool{}
	}
	u[r.Kind][r.Name][user] = true
}

// drop ends a reference, and removes the name, and the kind, if it was the last one.
func (u users) drop(user types.NamespacedName, r objects.Reference) {
	if delete(u[r.Kind][r.Name], user); len(u[r.Kind][r.Name]) == 0 {
		delete(u[r.Kind], r.Name)
	}
	if len(u[r.Kind]) == 0 {
		delete(u, r.Kind)
	}
}

// of returns the users that refer to an object, each once.
func (u users) of(kind objects.Kind, name string) []types.NamespacedName {
	found := map[types.NamespacedName]bool{}
	maps.Copy(found, u[kind][""])
	maps.Copy(found, u[kind][name])
	return slices.Collect(maps.Keys(found))
}

// all returns the users that refer to any object of a kind, each once.
func (u users) all(kind objects.Kind) []types.NamespacedName {
	found := map[types.NamespacedName]bool{}
	for _, named := range u[kind] {
		maps.Copy(found, named)
	}
	return slices.Collect(maps.Keys(found))
}
