// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// What a path is on a side, in a conflict about a path that is a file on one side and a directory on the other.
const aFile, aDirectory = "a file", "a directory"

// settleDirectories leaves out a file or directory that the upstream adds if the package has a directory or a file with
// the same path, and records a conflict. The package stays as it is there.
func (m *merged) settleDirectories(local pkg) {
	here, clashing := map[string]bool{}, map[string]string{}
	for _, name := range m.staying(local, true) {
		here[name] = true
	}
	directories := map[string]bool{}
	for name := range here {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			directories[dir] = true
		}
	}
	for _, name := range m.staying(local, false) {
		if directories[name] {
			clashing[name] = aDirectory
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if here[dir] {
				clashing[dir] = aFile
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(clashing)) {
		c := conflict{Conflict: Conflict{File: name, Taken: SideLocal, Local: aFile, Updated: aDirectory}}
		if clashing[name] == aDirectory {
			c.Local, c.Updated = aDirectory, aFile
		}
		m.conflicts = append(m.conflicts, c)
		m.keepOut(local, func(added string) bool { return added == name || strings.HasPrefix(added, name+"/") })
	}
}

// staying returns the paths of the merged files that the package already has, or of those that it gets.
func (m *merged) staying(local pkg, already bool) []string {
	var out []string
	for _, r := range m.results {
		if r.stays() && already == (r.local != nil && !r.moved()) {
			out = append(out, r.file())
		}
	}
	for name, text := range m.whole {
		if text != nil && already == (local[name] != nil) {
			out = append(out, name)
		}
	}
	return out
}

// keepOut drops the resources and files that the merge would add to the files that which selects.
func (m *merged) keepOut(local pkg, which func(file string) bool) {
	for i, r := range m.results {
		switch {
		case !r.stays() || r.local != nil && !r.moved() || !which(r.file()):
		case r.local == nil:
			m.results[i].outcome = keep
		default: // stays where it is
			stays, updated := *r.tuple, *r.updated
			updated.file, stays.updated = r.local.file, &updated
			m.results[i].tuple = &stays
		}
	}
	for name := range m.whole {
		if local[name] == nil && which(name) {
			m.whole[name] = nil
		}
	}
}
