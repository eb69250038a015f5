// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/internal/pkgtree"
)

// versions are the three versions of a package.
type versions struct {
	original, updated, local pkg
	// resourcesOnly says that the local version lacks the files that are no resources, as in a ResourceList.
	resourcesOnly bool
}

func (v versions) all() []pkg { return []pkg{v.original, v.updated, v.local} }

// resources returns the documents that hold one, by file.
func (p pkg) resources() []*document {
	var out []*document
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if !p[name].whole {
			out = append(out, p[name].resources()...)
		}
	}
	return out
}

// settleWholeFiles marks a file as whole in all versions if it is whole in one. An upstream Kptfile that cannot be read
// is ignored, because the package's own Kptfile must not be replaced as a whole.
func (v versions) settleWholeFiles() {
	v.leaveOut()
	v.findCopies()
	for _, p := range v.all() {
		for _, f := range p {
			if f.why == "" {
				f.why = ambiguous(f.docs)
				f.whole = f.why != ""
			}
		}
	}
	for _, p := range []pkg{v.original, v.updated} {
		for name, f := range p {
			if path.Base(name) == pkgtree.KptfileName && (f.whole || len(f.resources()) == 0) &&
				v.local[name] != nil && !v.local[name].whole {
				delete(p, name)
			}
		}
	}
	for _, name := range v.paths() {
		all := v.file(name)
		if !all.isWhole() {
			continue
		}
		for _, f := range all.existing() {
			f.whole, f.single, f.docs = true, f.docs, nil
		}
	}
}

// fileVersions is a file in the three versions; nil where it does not exist.
type fileVersions struct {
	name                     string
	original, updated, local *file
}

// file returns the versions of a file.
func (v versions) file(name string) fileVersions {
	return fileVersions{name, v.original[name], v.updated[name], v.local[name]}
}

// existing returns the versions of a file that exist, the package's first.
func (f fileVersions) existing() []*file {
	return slices.DeleteFunc([]*file{f.local, f.updated, f.original}, func(f *file) bool { return f == nil })
}

// isWhole reports whether a file is merged as a single value. It is if it is whole in a version or has no resources in
// any version, or if the upstream removed it and a version has no resources.
func (f fileVersions) isWhole() bool {
	var with, without bool
	for _, version := range f.existing() {
		switch {
		case version.whole:
			return true
		case len(version.resources()) == 0:
			without = true
		default:
			with = true
		}
	}
	return without && (!with || f.updated == nil)
}

// paths returns the paths of all files, sorted.
func (v versions) paths() []string {
	all := map[string]bool{}
	for _, p := range v.all() {
		for name := range p {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// merged is a package that is being merged.
type merged struct {
	options Options
	// removedPackages are the subpackages that were removed here. withdrawn are those that were removed upstream, and
	// held are those of them that were changed here.
	removedPackages, withdrawn, held directories
	// namespaces are the namespaces that a variant's functions set in the package's resources.
	namespaces []string
	// tracked reports whether the package's resources say which upstream resources they come from.
	tracked bool
	// renamed are the resources that were renamed here, by the directory and the name that they have now.
	renamed map[inDirectory]*tuple
	// moves are the namespaces of the upstream's resources here, and here the resources that the package keeps.
	moves moves
	here  map[key]bool
	// results are the results for the resources.
	results []result
	// whole are the texts of the files that are merged as one value; nil for a file that does not exist.
	whole map[string]*string
	// unseen are the files that the upstream changed but that a ResourceList does not contain.
	unseen []string
	// conflicts are in the order of files.
	conflicts []conflict
}

func (m *merged) takesUpstream() bool {
	return m.options.OnConflict == TakeUpstream
}

// merge merges the three versions.
func (v versions) merge(options Options) (*merged, error) {
	if f := v.local[pkgtree.KptfileName]; f == nil || f.whole || len(f.resources()) == 0 {
		return nil, errors.New("the package's Kptfile is no YAML of a single Kptfile: correct it first")
	}
	if err := v.notePairs(); err != nil {
		return nil, err
	}
	v.movePackages()
	m := &merged{options: options, removedPackages: v.removedPackages(),
		whole: map[string]*string{}, namespaces: namespacesOf(v.local[pkgtree.KptfileName])}
	tuples := v.match()
	if unrelated(tuples) {
		return nil, errors.New("the package has no resource in common with the original upstream, nor with the updated " +
			"one: pass the revisions of the package that it was made from (upstreamLock in its Kptfile says which)")
	}
	m.tracked, m.moves = isTracked(tuples), m.movesHere(tuples)
	m.withdraw(v, tuples)
	staying := slices.DeleteFunc(slices.Clone(tuples), m.goes)
	m.renamed, m.here = renamedHere(staying), keysHere(staying)
	for _, t := range tuples {
		r, err := m.followed(t)
		if err != nil {
			return nil, err
		}
		m.results = append(m.results, r)
	}
	if err := errors.Join(m.dropMarks(), m.dropPairs()); err != nil {
		return nil, err
	}
	for _, name := range v.paths() {
		all := v.file(name)
		switch {
		case !slices.ContainsFunc(all.existing(), func(f *file) bool { return f.whole }):
		case v.resourcesOnly:
			m.wholeItems(all)
		default:
			m.wholeFile(all)
		}
	}
	m.settleDirectories(v.local)
	slices.SortStableFunc(m.conflicts, func(a, b conflict) int { return strings.Compare(a.File, b.File) })
	return m, nil
}

// followed merges a resource, and notes in it which upstream resource it comes from.
func (m *merged) followed(t *tuple) (result, error) {
	r, err := m.resource(t)
	if err == nil {
		r, err = m.identify(r)
	}
	if err == nil && t.local != nil && t.local.file == pkgtree.KptfileName {
		r, err = m.setUpstream(r)
	}
	if err != nil {
		return result{}, err
	}
	return r.move(), nil
}

// unrelated reports whether the package and the upstreams have resources, but none in common. Resources that every
// package has do not count.
func unrelated(tuples []*tuple) bool {
	var here, original bool
	for _, t := range tuples {
		if k := t.key(); t.any().isKptfile() || k.kind == "ConfigMap" && k.name == contextName {
			continue
		}
		if t.local != nil && (t.original != nil || t.updated != nil) {
			return false
		}
		here = here || t.local != nil
		original = original || t.original != nil
	}
	return here && original
}
