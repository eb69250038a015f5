// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"slices"

	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// identity is the part of a resource's identity that does not change with its namespace. home is the directory of its
// package or subpackage. The zero value means no identity.
type identity struct{ home, file, group, kind, name string }

// renaming pairs resources if a side, the upstream or the package, gave them another namespace or name. A set-namespace
// in a pipeline, for example, does that to all of them.
type renaming struct {
	all []*tuple
	// lacks reports whether the side has no resource of a tuple, only whether the resource is new on that side, and
	// kept whether the side kept its identity.
	lacks, only, kept func(*tuple) bool
	// moved reports whether a resource that the side kept shows to which namespace the side moved all resources.
	moved func(*tuple) bool
	// is returns the side's document.
	is func(*tuple) *document
	// settled are tuples that stay as they are; gone are tuples that were merged into others.
	settled, gone map[*tuple]bool
}

// joinRenamed joins tuples that are the same resource under several namespaces or names. It joins what the upstream
// renamed first, without looking at the package, so that merging again gives the same result.
func joinRenamed(all []*tuple) []*tuple {
	upstream := &renaming{
		all:   all,
		lacks: func(t *tuple) bool { return t.original != nil && t.updated == nil },
		only:  func(t *tuple) bool { return t.original == nil && t.updated != nil },
		kept:  func(t *tuple) bool { return t.original != nil && t.updated != nil },
		moved: func(t *tuple) bool { return t.original != nil && t.updated != nil },
		is:    updatedOf, settled: map[*tuple]bool{}, gone: map[*tuple]bool{},
	}
	upstream.pairAll(originalOf)
	local := &renaming{
		all:   upstream.left(),
		lacks: func(t *tuple) bool { return t.original != nil && t.updated != nil && t.local == nil },
		only:  func(t *tuple) bool { return t.original == nil && t.updated == nil && t.local != nil },
		kept:  (*tuple).complete,
		moved: (*tuple).complete,
		is:    localOf, settled: map[*tuple]bool{}, gone: map[*tuple]bool{},
	}
	identified := *local
	identified.lacks = func(t *tuple) bool { return t.original != nil && t.local == nil }
	for _, was := range []func(*tuple) *document{originalOf, updatedOf} { // which the annotation may follow already
		identified.pair(func(t *tuple) identity { return identifiedAs(was(t)) },
			func(t *tuple) identity { return identity{name: annotated(t.local)} })
	}
	local.pairAll(originalOf, updatedOf)
	return local.left()
}

// identifiedAs returns the identity of an upstream resource in annotations.
func identifiedAs(d *document) identity {
	if d == nil {
		return identity{}
	}
	return identity{name: identifierOf(keyOf(d))}
}

func originalOf(t *tuple) *document { return t.original }
func updatedOf(t *tuple) *document  { return t.updated }
func localOf(t *tuple) *document    { return t.local }

// left returns the tuples that were not merged into another.
func (r *renaming) left() []*tuple {
	return slices.DeleteFunc(r.all, func(t *tuple) bool { return r.gone[t] })
}

// pairAll pairs by everything that identifies resources, the most reliable first. The functions in known return the
// documents from which the side renamed its resources.
func (r *renaming) pairAll(known ...func(*tuple) *document) {
	for _, of := range []func(*document) identity{inFile, byName} {
		for _, was := range known {
			r.pair(func(t *tuple) identity { return of(was(t)) }, func(t *tuple) identity { return of(r.is(t)) })
		}
	}
	for _, was := range known {
		r.pairNamespaces(was)
	}
}

// pair joins a resource that a side lacks with one that only the side has, if both have the same identity and no other
// resource has it.
func (r *renaming) pair(was, is func(*tuple) identity) {
	lacking, only := map[identity][]*tuple{}, map[identity][]*tuple{}
	for _, t := range r.all {
		switch {
		case r.settled[t] || r.gone[t]:
		case r.lacks(t):
			lacking[was(t)] = append(lacking[was(t)], t)
		case r.only(t):
			only[is(t)] = append(only[is(t)], t)
		}
	}
	for id, list := range lacking {
		if id != (identity{}) && len(list) == 1 && len(only[id]) == 1 {
			r.join(list[0], only[id][0])
		}
	}
}

// join makes two tuples one. If the package has a resource in each, both stay: the second is the renamed one, with the
// same original; the first is one that the upstream removed.
func (r *renaming) join(lacking, only *tuple) {
	if lacking.local != nil && only.local != nil {
		only.original = lacking.original
		r.settled[lacking] = true
		return
	}
	into, gone := lacking, only
	if only.local != nil { // it stays where the package has it
		into, gone = only, lacking
	}
	into.add(gone)
	r.gone[gone] = true
}

// pairNamespaces pairs the Namespaces themselves: their names change with the namespace of the resources in them.
func (r *renaming) pairNamespaces(was func(*tuple) *document) {
	moves := moves{}
	for _, t := range r.all {
		if !r.gone[t] && r.moved(t) {
			moves.add(namespaceOf(was(t)), namespaceOf(r.is(t)))
		}
	}
	r.pair(
		func(t *tuple) identity { return namespaceNamed(was(t), moves[nameOf(was(t))]) },
		func(t *tuple) identity { return namespaceNamed(r.is(t), nameOf(r.is(t))) })
}

// moves are the namespaces to which all resources of a namespace go; "" where they go to several.
type moves map[string]string

func (m moves) add(from, to string) {
	if known, several := m[from]; several && known != to {
		to = ""
	}
	m[from] = to
}

// movesHere returns where the package has, after the merge, what the updated upstream has in a namespace: a resource
// that the upstream adds goes there, too.
func (m *merged) movesHere(tuples []*tuple) moves {
	all := moves{}
	for _, t := range tuples {
		if !t.complete() || t.local.isKptfile() {
			continue
		}
		was, to, here := namespaceOf(t.original), namespaceOf(t.updated), namespaceOf(t.local)
		if here != was && (to == was || !m.takesUpstream()) {
			to = here
		}
		all.add(namespaceOf(t.updated), to)
	}
	return all
}

// namespaceNamed returns the identity that a Namespace has under a name; none for other resources.
func namespaceNamed(d *document, name string) identity {
	id := byName(d)
	if id.group != "" || id.kind != "Namespace" || name == "" {
		return identity{}
	}
	id.name = name
	return id
}

func nameOf(d *document) string { return node.GetString(d.body(), yaml.MetadataField, yaml.NameField) }

func namespaceOf(d *document) string {
	return node.GetString(d.body(), yaml.MetadataField, yaml.NamespaceField)
}

// byName returns the identity of a resource by its name alone.
func byName(d *document) identity {
	k := keyOf(d)
	if d.isKptfile() || k.kind == "" || k.name == "" {
		return identity{}
	}
	return identity{home: d.home, group: k.group, kind: k.kind, name: k.name}
}

// inFile returns the identity of a resource by its file, too.
func inFile(d *document) identity {
	id := byName(d)
	if id != (identity{}) {
		id.file = d.file
	}
	return id
}
