// SPDX-License-Identifier: Apache-2.0

// Package changes finds what is different in the changes of many packages, so that a person reviews each change once:
// the changed lines of a file, with the values that are known to be a package's own in the place of their names, are
// one change wherever they are equal. No other value is ever left out, because that would hide a wrong one. It takes
// values and computes values; what may be changed here is what counts as equal, and how it is told.
package changes

import (
	"cmp"
	"crypto/sha256"
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
)

// Package is a package that changes.
type Package struct {
	// Name is what people call it: fra/web.
	Name string
	// Own are the values that are known to be its own, such as its Repository's labels, by their names.
	Own map[string]string
	// Before and After are its files, by their paths.
	Before, After map[string]string
	// Conflicts are the values that both sides changed.
	Conflicts []v1alpha1.Conflict
	// Upstream are the files of the upstream, for conflicts that are about a whole file; nil if there are none.
	Upstream map[string]string
}

// NeedsUpstream reports whether a conflict is about a whole file.
func (p *Package) NeedsUpstream() bool { return slices.ContainsFunc(p.Conflicts, isOfFile) }

// Change is a change of one or more packages, or a conflict that they have.
type Change struct {
	// Conflict reports whether it is a conflict: some person has to decide.
	Conflict bool `json:"conflict,omitempty"`
	// Lines are the lines that go, with "- " before them, and those that come, with "+ ", in the order of the file; of a
	// conflict, what both sides have. Where packages differ in a value of their own, it is written as ‹name›.
	Lines []string `json:"lines"`
	// Packages are the packages that have it, and Files the files in which they have it, each sorted.
	Packages []string `json:"packages"`
	Files    []string `json:"files"`
	// Values are the values for which a name stands, each with the number of packages that have it.
	Values map[string]map[string]int `json:"values,omitempty"`
}

// Finder finds distinct changes. It keeps the lines that change, and no file. Its zero value has no changes.
type Finder struct {
	found map[string]*finding
	// diffs has the changed lines of files that were compared, by the texts: most packages have the same file.
	diffs map[[2][sha256.Size]byte][]string
}

// finding is a change on its way: the names of values are marked in its lines.
type finding struct {
	conflict        bool
	lines           []string
	packages, files map[string]bool
	// values has the values of packages, by the names that stand for them, and the packages.
	values map[string]map[string]string
}

// Add adds the changes of a package, which is looked at once.
func (f *Finder) Add(p *Package) {
	own := newNames(p.Own)
	for i := range p.Conflicts {
		c := &p.Conflicts[i]
		f.note(p, own, c.File, conflictLines(c, p), true)
	}
	all := maps.Clone(p.Before)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, p.After)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if lines := f.changed(path, p.Before[path], p.After[path]); len(lines) > 0 {
			f.note(p, own, path, lines, false)
		}
	}
}

// changed returns the changed lines of a file.
func (f *Finder) changed(path, before, after string) []string {
	if before == after {
		return nil
	}
	if isKptfile(path) {
		before, after = withoutLock(before), withoutLock(after)
	}
	before, after = withoutIdentifiers(before), withoutIdentifiers(after)
	texts := [2][sha256.Size]byte{sha256.Sum256([]byte(before)), sha256.Sum256([]byte(after))}
	lines, known := f.diffs[texts]
	if !known {
		if f.diffs == nil {
			f.diffs = map[[2][sha256.Size]byte][]string{}
		}
		lines = changedLines(before, after)
		f.diffs[texts] = lines
	}
	return lines
}

// note notes a change of a package in a file, or a conflict.
func (f *Finder) note(p *Package, own *names, path string, lines []string, conflict bool) {
	one := finding{conflict: conflict, lines: make([]string, len(lines)), packages: map[string]bool{p.Name: true},
		files: map[string]bool{path: true}, values: map[string]map[string]string{}}
	used := map[string]bool{}
	for i, line := range lines {
		one.lines[i] = own.inPlaceOf(line, used)
	}
	for name := range used {
		one.values[name] = map[string]string{p.Name: p.Own[name]}
	}
	if f.found == nil {
		f.found = map[string]*finding{}
	}
	add(f.found, &one)
}

// add adds a finding to those with equal lines.
func add(all map[string]*finding, one *finding) {
	key := strings.Join(one.lines, "\n")
	if one.conflict {
		key = "conflict\n" + key
	}
	same := all[key]
	if same == nil {
		all[key] = one
		return
	}
	maps.Copy(same.packages, one.packages)
	maps.Copy(same.files, one.files)
	for name, values := range one.values { // equal lines have equal names
		maps.Copy(same.values[name], values)
	}
}

// Distinct returns the distinct changes: conflicts first, then what most packages have, then by their lines. A value
// that all packages of a change have stands in its lines as it is. Nothing must be added after that.
func (f *Finder) Distinct() []*Change {
	found := map[string]*finding{}
	for _, one := range f.found {
		one.tellShared()
		add(found, one)
	}
	out := make([]*Change, 0, len(found))
	for _, one := range found {
		out = append(out, one.change())
	}
	slices.SortFunc(out, func(a, b *Change) int {
		if a.Conflict != b.Conflict {
			if a.Conflict {
				return -1
			}
			return 1
		}
		return cmp.Or(len(b.Packages)-len(a.Packages), slices.Compare(a.Lines, b.Lines))
	})
	return out
}

// tellShared puts the values that all packages have in the place of their names.
func (f *finding) tellShared() {
	var pairs []string
	for name, values := range f.values {
		shared := slices.Compact(slices.Sorted(maps.Values(values)))
		if len(shared) == 1 {
			pairs = append(pairs, mark(name), shared[0])
			delete(f.values, name)
		}
	}
	replace(f.lines, pairs)
}

// change returns a finding as people read it.
func (f *finding) change() *Change {
	c := &Change{Conflict: f.conflict, Lines: f.lines, Packages: slices.Sorted(maps.Keys(f.packages)),
		Files: slices.Sorted(maps.Keys(f.files))}
	var pairs []string
	for name, values := range f.values {
		if c.Values == nil {
			c.Values = map[string]map[string]int{}
		}
		c.Values[name] = map[string]int{}
		for _, value := range values {
			c.Values[name][value]++
		}
		pairs = append(pairs, mark(name), "‹"+name+"›")
	}
	replace(c.Lines, pairs)
	return c
}

// replace replaces the first of each pair of texts by the second.
func replace(lines, pairs []string) {
	replacer := strings.NewReplacer(pairs...)
	for i := range lines {
		lines[i] = replacer.Replace(lines[i])
	}
}
