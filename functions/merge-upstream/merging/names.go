// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"slices"
	"strings"
)

// localConfigAnnotation marks resources that are for kpt and functions, not for a cluster.
const localConfigAnnotation = "config.kubernetes.io/local-config"

// edit replaces the beginning, or else the end, of names.
type edit struct {
	begins   bool
	from, to string
}

// editsOf returns the edits that turn the first name into the second.
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

// of returns the edited name; false if the edit does not apply to the name.
func (e edit) of(name string) (string, bool) {
	if e.begins {
		rest, ok := strings.CutPrefix(name, e.from)
		return e.to + rest, ok
	}
	rest, ok := strings.CutSuffix(name, e.from)
	return rest + e.to, ok
}

// pairNames pairs the resources of a package if all their names got another prefix or suffix, and only one such edit is
// possible. If only one resource has another name, it is another resource.
func (r *renaming) pairNames(was func(*tuple) *document) {
	lacking, only, all := r.renamed(was)
	if !all || len(lacking) < 2 {
		return
	}
	byIdentity := map[identity]*tuple{}
	for _, t := range only {
		id := byName(r.is(t))
		if byIdentity[id] != nil {
			return
		}
		byIdentity[id] = t
	}
	before := make([]identity, len(lacking))
	for i, t := range lacking {
		before[i] = byName(was(t))
	}
	var found []*tuple
	for id := range byIdentity {
		for _, e := range editsOf(before[0].name, id.name) {
			after := e.all(before, byIdentity)
			if after == nil || slices.Equal(found, after) {
				continue
			}
			if found != nil {
				return
			}
			found = after
		}
	}
	for i, t := range found {
		r.join(lacking[i], t)
	}
}

// renamed returns the resources that a side lacks and those that only the side has; all is false if the side kept the
// name of some resource.
func (r *renaming) renamed(was func(*tuple) *document) (lacking, only []*tuple, all bool) {
	for _, t := range r.all {
		d := was(t)
		if d == nil {
			d = r.is(t)
		}
		switch {
		case r.gone[t] || d == nil || hasFixedName(d):
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

// all edits all names before, and returns the resources that have the edited names; nil if a name has no counterpart of
// its own.
func (e edit) all(before []identity, byIdentity map[identity]*tuple) []*tuple {
	after, taken := make([]*tuple, 0, 1), map[*tuple]bool{}
	for _, id := range before {
		name, fits := e.of(id.name)
		id.name = name
		t := byIdentity[id]
		if !fits || t == nil || taken[t] {
			return nil
		}
		after, taken[t] = append(after, t), true
	}
	return after
}
