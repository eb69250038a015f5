// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

// users are the users that are interested in a kind, by the names of its objects. What one object or one user asks for
// does not take longer for there being many others.
type users map[Kind]map[string]map[types.NamespacedName]bool

// anyName stands for all objects of a kind; none has this name.
const anyName = ""

// names returns the names that an interest is kept under.
func (i Interest) names() []string {
	if len(i.Names) == 0 {
		return []string{anyName}
	}
	return i.Names
}

func (u users) add(user types.NamespacedName, interest Interest) {
	for _, name := range interest.names() {
		if u[interest.Kind] == nil {
			u[interest.Kind] = map[string]map[types.NamespacedName]bool{}
		}
		if u[interest.Kind][name] == nil {
			u[interest.Kind][name] = map[types.NamespacedName]bool{}
		}
		u[interest.Kind][name][user] = true
	}
}

// drop ends an interest. A name, or a kind, that nobody is interested in any more goes.
func (u users) drop(user types.NamespacedName, interest Interest) {
	for _, name := range interest.names() {
		if delete(u[interest.Kind][name], user); len(u[interest.Kind][name]) == 0 {
			delete(u[interest.Kind], name)
		}
	}
	if len(u[interest.Kind]) == 0 {
		delete(u, interest.Kind)
	}
}

// of returns the users that are interested in an object, each once.
func (u users) of(kind Kind, name string) []types.NamespacedName {
	var found []types.NamespacedName
	named := u[kind][name]
	for user := range named {
		found = append(found, user)
	}
	for user := range u[kind][anyName] {
		if !named[user] {
			found = append(found, user)
		}
	}
	return found
}

// all returns the users that are interested in any object of a kind, each once.
func (u users) all(kind Kind) []types.NamespacedName {
	found := map[types.NamespacedName]bool{}
	for _, named := range u[kind] {
		maps.Copy(found, named)
	}
	return slices.Collect(maps.Keys(found))
}
