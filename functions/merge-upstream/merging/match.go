// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"slices"

	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/internal/pkgtree"
	"sigs.k8s.io/kustomize/kyaml/resid"
)

// key is what identifies a resource for kpt and Porch, in addition to its file. The version of the API may change.
type key struct{ group, kind, namespace, name string }

func keyOf(d *document) key {
	if d.isKptfile() {
		return key{kind: pkgtree.KptfileName}
	}
	body := d.body()
	group, _ := resid.ParseGroupVersion(node.GetString(body, "apiVersion"))
	k := key{
		group: group, kind: node.GetString(body, "kind"),
		namespace: node.GetString(body, "metadata", "namespace"), name: node.GetString(body, "metadata", "name"),
	}
	if namespace, name, ok := upstreamName(body); ok && !d.isCopy {
		k.namespace, k.name = namespace, name
	}
	return k
}

// ownKey is keyOf for the name that a resource has, whatever its comment says.
func ownKey(d *document) key {
	k := keyOf(d)
	if k.kind != "" && !d.isKptfile() {
		k.namespace, k.name = namespaceOf(d), nameOf(d)
	}
	return k
}

// findCopies finds the resources that were copied together with the comment which says what they are upstream: another
// one has that name, or comes first in the file, or the original upstream has the copy, too.
func (v versions) findCopies() {
	named := map[key]bool{} // of the package
	for _, d := range v.local.resources() {
		named[ownKey(d)] = true
	}
	for _, p := range v.all() {
		for name, f := range p {
			original, copies, first := map[key]bool{}, map[key]bool{}, map[key]*document{}
			for _, d := range v.original[name].resources() {
				original[keyOf(d)], copies[ownKey(d)] = true, d.isCopy
			}
			for _, d := range f.resources() {
				k := keyOf(d)
				if was := first[k]; was == nil || ownKey(d) == k && ownKey(was) != k {
					first[k] = d
				}
			}
			for _, d := range f.resources() {
				k := keyOf(d)
				elsewhere := f == v.local[name] && named[k] && !original[k]
				d.isCopy = ownKey(d) != k && (first[k] != d || copies[ownKey(d)] || elsewhere)
			}
		}
	}
}

// tuple is a resource in the three versions; nil where it does not exist.
type tuple struct{ original, local, updated *document }

// match finds the tuples of all resources: those of the local package in their order there, then those that the
// upstream adds. Resources are the same if their key and file are the same. A resource that moved to another file, or
// has another namespace on a side, is matched if there is only one candidate.
func (v versions) match() []*tuple {
	type place struct {
		key  key
		file string
	}
	var all []*tuple
	places := map[place]*tuple{}
	collect := func(p pkg, set func(*tuple, *document)) {
		for _, d := range p.resources() {
			d.home = p.home(d.file)
			at := place{keyOf(d), d.file}
			if places[at] == nil {
				places[at] = &tuple{}
				all = append(all, places[at])
			}
			set(places[at], d)
		}
	}
	collect(v.local, func(t *tuple, d *document) { t.local = d })
	collect(v.updated, func(t *tuple, d *document) { t.updated = d })
	collect(v.original, func(t *tuple, d *document) { t.original = d })
	return joinRenamed(joinMoved(all))
}

// joinMoved joins tuples that are the same resource in several files.
func joinMoved(all []*tuple) []*tuple {
	parts := map[key][]*tuple{}
	for _, t := range all {
		if k := t.key(); !t.complete() && k.kind != "" && k.name != "" {
			parts[k] = append(parts[k], t)
		}
	}
	gone := map[*tuple]bool{}
	for _, list := range parts {
		whole, unique := join(list)
		if !unique || whole.isElsewhere() {
			continue
		}
		*list[0] = whole
		for _, t := range list[1:] {
			gone[t] = true
		}
	}
	return slices.DeleteFunc(all, func(t *tuple) bool { return gone[t] })
}

// join makes one tuple of parts; it reports false if a version has two of them.
func join(parts []*tuple) (whole tuple, unique bool) {
	unique = true
	for _, t := range parts {
		unique = unique && (t.original == nil || whole.original == nil) && (t.local == nil || whole.local == nil) &&
			(t.updated == nil || whole.updated == nil)
		whole.add(t)
	}
	return whole, unique
}

// isElsewhere reports whether the upstream removed a resource that the package has in another subpackage: that is more
// likely a copy, of which a second merge would not see the original any more.
func (t *tuple) isElsewhere() bool {
	return t.updated == nil && t.original != nil && t.local != nil && t.original.home != t.local.home
}

func (t *tuple) add(part *tuple) {
	if part.original != nil {
		t.original = part.original
	}
	if part.local != nil {
		t.local = part.local
	}
	if part.updated != nil {
		t.updated = part.updated
	}
}

func (t *tuple) complete() bool { return t.original != nil && t.local != nil && t.updated != nil }

func (t *tuple) key() key { return keyOf(t.any()) }

// any returns the document of one of the versions, the local one if there is one.
func (t *tuple) any() *document {
	switch {
	case t.local != nil:
		return t.local
	case t.updated != nil:
		return t.updated
	}
	return t.original
}

// file returns the file of the merged resource: the one to which the upstream moved it, unless it was moved here.
func (t *tuple) file() string {
	if t.local == nil || t.original != nil && t.updated != nil && t.local.file == t.original.file {
		return t.updated.file
	}
	return t.local.file
}
