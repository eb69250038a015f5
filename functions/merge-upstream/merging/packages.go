// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/internal/pkgtree"
)

// directories are subpackages, by path.
type directories []string

func (d directories) contain(file string) bool {
	return slices.ContainsFunc(d, func(dir string) bool { return strings.HasPrefix(file, dir+"/") })
}

// packagesWithout returns the subpackages of a version that another one does not have.
func (p pkg) packagesWithout(other pkg) directories {
	var out directories
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if dir := path.Dir(name); path.Base(name) == pkgtree.KptfileName && dir != "." && other[name] == nil {
			out = append(out, dir)
		}
	}
	return out
}

// removedPackages returns the subpackages of the original that are gone from the local package: what the upstream adds
// to them would be a package without a Kptfile.
func (v versions) removedPackages() directories {
	return slices.DeleteFunc(v.original.packagesWithout(nil), v.local.has)
}

// has reports whether a version has files in a directory.
func (p pkg) has(dir string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(p)), directories{dir}.contain)
}

// movePackages moves the files of subpackages that the upstream moved to their updated paths, in the other versions,
// too. It compares only the two versions of the upstream, so a second merge gives the same result.
func (v versions) movePackages() {
	removed, added := v.original.packagesWithout(v.updated), v.updated.packagesWithout(v.original)
	if len(removed) == 0 || len(added) == 0 {
		return
	}
	moves, before, after := map[string]string{}, v.original.identities(removed), v.updated.identities(added)
	forward, backward := best(before, after), best(after, before)
	for from, to := range forward {
		if backward[to] == from {
			moves[from] = to
		}
	}
	if len(moves) == 0 {
		return
	}
	for _, p := range []pkg{v.original, v.local} {
		for _, name := range slices.Sorted(maps.Keys(p)) {
			to := moved(name, moves)
			if to == name || v.updated[name] != nil || p[to] != nil {
				continue
			}
			p[to] = p[name]
			delete(p, name)
			for _, d := range p[to].docs {
				d.file, d.before = to, name
			}
		}
	}
}

// moved returns the new path of a file, by the longest of the moves that apply to it.
func moved(name string, moves map[string]string) string {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if to := moves[dir]; to != "" {
			return to + strings.TrimPrefix(name, dir)
		}
	}
	return name
}

// maxAlike is the most packages that may share a name or a resource for it to identify them.
const maxAlike = 8

// best returns for each package of a version the package of another version that has most in common with it, if any.
func best(packages, others map[string][]key) map[string]string {
	with := map[key][]string{}
	for _, dir := range slices.Sorted(maps.Keys(others)) {
		for _, k := range others[dir] {
			with[k] = append(with[k], dir)
		}
	}
	out := map[string]string{}
	for dir, keys := range packages {
		common, most, found := map[string]int{}, 0, ""
		for _, k := range keys {
			if len(with[k]) > maxAlike {
				continue
			}
			for _, other := range with[k] {
				common[other]++
			}
		}
		for other, n := range common {
			switch {
			case n > most:
				most, found = n, other
			case n == most:
				found = ""
			}
		}
		if found != "" {
			out[dir] = found
		}
	}
	return out
}

// identities returns what identifies packages: their names and the resources in them.
func (p pkg) identities(dirs directories) map[string][]key {
	out := map[string][]key{}
	for _, dir := range dirs {
		out[dir] = nil
	}
	for _, d := range p.resources() {
		dir := p.home(d.file)
		keys, wanted := out[dir]
		k := keyOf(d)
		if d.isKptfile() {
			k.name = nameOf(d)
		}
		if wanted && nameOf(d) != contextName {
			out[dir] = append(keys, k)
		}
	}
	return out
}

// withdraw finds the subpackages that the upstream removed, and which of them were changed here and stay.
func (m *merged) withdraw(v versions, tuples []*tuple) {
	for _, dir := range v.original.packagesWithout(v.updated) {
		if v.local[path.Join(dir, pkgtree.KptfileName)] != nil && !v.updated.has(dir) {
			m.withdrawn = append(m.withdrawn, dir)
		}
	}
	for _, dir := range m.withdrawn {
		inside := directories{dir}
		changed := slices.ContainsFunc(tuples, func(t *tuple) bool {
			return t.local != nil && t.updated == nil && inside.contain(t.local.file) && m.isChanged(t)
		})
		for name, f := range v.local {
			changed = changed || f.whole && inside.contain(name) && v.file(name).isEdited()
		}
		if changed {
			m.held = append(m.held, dir)
		}
	}
}

// isChanged reports whether a resource that the upstream removed was changed here. Changes by kpt, Porch and renderers
// do not count, nor do another namespace and name: they say which copy of the resource it is, not what is in it. A
// resource in another file is changed: a second merge does not know whether it was moved or copied.
func (m *merged) isChanged(t *tuple) bool {
	rules := m.rulesFor(t)
	if t.original == nil {
		return !rules.context
	}
	was, is := pair{value: rules.without(t.original)}, pair{value: rules.without(t.local)}
	if t.original.file != t.local.file || len(newComments(was, is)) > 0 {
		return true
	}
	if t.local.isKptfile() {
		return !node.Equal(was.value, is.value)
	}
	return !node.Equal(unname(was.value), unname(is.value))
}
