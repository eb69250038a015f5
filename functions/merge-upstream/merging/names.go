// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"maps"
	"strings"
)

// localConfigAnnotation marks resources that are for kpt and functions, not for a cluster.
const localConfigAnnotation = "config.kubernetes.io/local-config"

// edit is another beginning, or else another end, of names.
type edit struct {
	begins   bool
	from, to string
}

// editsOf returns the edits that make the second name of the first.
func editsOf(a, b string) [2]edit {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	m := 0
	for m < len(a) && m < len(b) && a[len(a)-1-m] == b[len(b)-1-m] {
		m++
	}
	return [2]edit{{true, a[:len(a)-m], b[:len(b)-m]}, {false, a[n:], b[n:]}}
}

// of returns the edited name; false if it is not one for the edit.
func (e edit) of(name string) (string, bool) {
	if e.begins {
		rest, ok := strings.CutPrefix(name, e.from)
		return e.to + rest, ok
	}
	rest, ok := strings.CutSuffix(name, e.from)
	return rest + e.to, ok
}

// pairNames pairs the resources of a package of which all have got another beginning, or another end, of their names,
// if only one is possible. A single resource with another name is another resource.
func (r *renaming) pairNames(was func(*tuple) *document) {
	lacking, only, all := r.renamed(was)
	if !all || len(lacking) < 2 {
		return
	}
	var found map[*tuple]*tuple
	for _, t := range only {
		for _, e := range editsOf(keyOf(was(lacking[0])).name, keyOf(r.is(t)).name) {
			pairs := r.namedBy(e, was, lacking, only)
			if pairs == nil || maps.Equal(found, pairs) {
				continue
			}
			if found != nil {
				return
			}
			found = pairs
		}
	}
	for before, after := range found {
		r.join(before, after)
	}
}

// renamed returns what a side lacks and what only the side has; all is false if the side left a resource its name.
func (r *renaming) renamed(was func(*tuple) *document) (lacking, only []*tuple, all bool) {
	for _, t := range r.all {
		switch {
		case r.gone[t] || hasFixedName(t.any()):
		case r.settled[t] || r.kept(t):
			return nil, nil, false
		case r.lacks(t) && was(t) != nil:
			lacking = append(lacking, t)
		case r.only(t):
			only = append(only, t)
		}
	}
	return lacking, only, true
}

// hasFixedName reports whether a resource keeps its name when all others of its package get another.
func hasFixedName(d *document) bool {
	return byName(d) == identity{} || nameOf(d) == contextName || hasAnnotation(d, localConfigAnnotation)
}

// namedBy pairs resources by an edit of their names; it returns nil if one has no counterpart, or several.
func (r *renaming) namedBy(e edit, was func(*tuple) *document, lacking, only []*tuple) map[*tuple]*tuple {
	byIdentity := map[identity]*tuple{}
	for _, t := range only {
		id := byName(r.is(t))
		if byIdentity[id] != nil {
			return nil
		}
		byIdentity[id] = t
	}
	pairs := map[*tuple]*tuple{}
	for _, t := range lacking {
		id := byName(was(t))
		name, fits := e.of(id.name)
		id.name = name
		if !fits || byIdentity[id] == nil {
			return nil
		}
		pairs[t] = byIdentity[id]
		delete(byIdentity, id)
	}
	return pairs
}
