// SPDX-License-Identifier: Apache-2.0

// Package changes finds what is different in the changes of many packages, so that a person reviews each change once:
// the changed lines of a file, with the values that are known to be a package's own in the place of their names, are
// one change wherever they are equal. No other value is ever left out, because that would hide a wrong one. It takes
// values and computes values; what may be changed here is what counts as equal.
package changes

import (
	"cmp"
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
	// Files are its files that change.
	Files []File
	// Conflicts are the values that both sides changed.
	Conflicts []v1alpha1.Conflict
}

// File is a file that changes. A text is "" where there is no such file.
type File struct {
	Path, Before, After string
}

// Change is a change of one or more packages, or a conflict that they have.
type Change struct {
	// Lines are the lines that go, with "- " before them, and those that come, with "+ ", in the order of the file; of a
	// conflict, what both sides have. Values of packages are written as ‹name›.
	Lines []string
	// Conflict reports whether it is a conflict: some person has to decide.
	Conflict bool
	// Packages are the packages that have it, and Files the files in which they have it, each sorted.
	Packages, Files []string
	// Values are the values for which a name stands, each with the number of packages that have it.
	Values map[string]map[string]int
}

// Distinct returns the distinct changes of packages: conflicts first, then what most packages have, then by their first
// lines. Each package is looked at once.
func Distinct(packages []Package) []*Change {
	found := finding{byLines: map[string]*Change{}, diffs: map[File][]string{}}
	for i := range packages {
		found.add(&packages[i])
	}
	for _, c := range found.all {
		c.Packages, c.Files = unique(c.Packages), unique(c.Files)
	}
	slices.SortStableFunc(found.all, func(a, b *Change) int {
		if a.Conflict != b.Conflict {
			if a.Conflict {
				return -1
			}
			return 1
		}
		return cmp.Or(len(b.Packages)-len(a.Packages), slices.Compare(a.Lines, b.Lines))
	})
	return found.all
}

// finding are the changes that were found so far.
type finding struct {
	all     []*Change
	byLines map[string]*Change
	// diffs has the changed lines of files that were compared: most packages have the same file.
	diffs map[File][]string
}

// add adds the changes of a package.
func (f *finding) add(p *Package) {
	own := newNames(p.Own)
	for _, c := range p.Conflicts {
		f.note(p, own, c.File, []string{c.Place(), c.Sides()}, true)
	}
	for _, file := range p.Files {
		text := File{Before: file.Before, After: file.After}
		if isKptfile(file.Path) {
			text.Before, text.After = withoutLock(file.Before), withoutLock(file.After)
		}
		lines, known := f.diffs[text]
		if !known {
			lines = changedLines(text.Before, text.After)
			f.diffs[text] = lines
		}
		if len(lines) > 0 {
			f.note(p, own, file.Path, lines, false)
		}
	}
}

// note notes a change of a package in a file, or a conflict. The lines of a change begin with a mark of two characters.
func (f *finding) note(p *Package, own *names, path string, lines []string, conflict bool) {
	used := map[string]bool{}
	shown := make([]string, len(lines))
	for i, line := range lines {
		mark := ""
		if !conflict {
			mark, line = line[:2], line[2:]
		}
		shown[i] = mark + own.inPlaceOf(line, used)
	}
	key := strings.Join(shown, "\n")
	if conflict {
		key = "conflict\n" + key
	}
	c := f.byLines[key]
	if c == nil {
		c = &Change{Lines: shown, Conflict: conflict, Values: map[string]map[string]int{}}
		f.byLines[key], f.all = c, append(f.all, c)
	}
	isNew := len(c.Packages) == 0 || c.Packages[len(c.Packages)-1] != p.Name
	if isNew {
		c.Packages = append(c.Packages, p.Name)
	}
	c.Files = append(c.Files, path)
	for name := range used {
		if c.Values[name] == nil {
			c.Values[name] = map[string]int{}
		}
		if isNew {
			c.Values[name][p.Own[name]]++
		}
	}
}

// unique returns texts sorted, each once.
func unique(texts []string) []string {
	set := map[string]bool{}
	for _, text := range texts {
		set[text] = true
	}
	return slices.Sorted(maps.Keys(set))
}
