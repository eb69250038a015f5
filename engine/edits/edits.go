// SPDX-License-Identifier: Apache-2.0

// Package edits finds which files people changed in a draft that was asked for and is found in a state that no answer
// named, for example because the controller was killed between two calls. It takes files as values, and reads and
// writes nothing. What may be changed here is the normal form: with less of it, a draft waits for a person without
// need.
package edits

import (
	"maps"
	"slices"
)

// Find returns the files of a draft that a person changed, by path, each with what happened to it, such as "a.yaml was
// added". A file is nobody's change if, in normal form, it is as in one of others, or is missing as it is there: what
// the draft was made from, the clone of the upstream or the published revision, and what it is to become. A file that a
// stopped save left half-written counts as a change.
//
// Not compared are the order of keys and of resources, the style of values and the ends of lines of YAML, where a
// comment stands, kpt's marks (kpt-merge comments, and annotations of internal.kpt.dev), files that have only comments,
// and of the package's Kptfile the comments, the condition Rendered and status.renderStatus. Other files, and YAML that
// cannot be read, are compared as text.
func Find(found map[string]string, others ...map[string]string) []string {
	paths := map[string]bool{}
	for _, files := range append(slices.Clip(others), found) {
		for path := range files {
			paths[path] = true
		}
	}
	var changes []string
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if what := change(path, found, others); what != "" {
			changes = append(changes, path+" "+what)
		}
	}
	return changes
}

// change says what happened to a file; "" for nothing.
func change(path string, found map[string]string, others []map[string]string) string {
	text, exists := found[path]
	for _, files := range others {
		if other, there := files[path]; there == exists && other == text {
			return ""
		}
	}
	now, added := normalIn(found, path), true
	for _, files := range others {
		other := normalIn(files, path)
		if other == now {
			return ""
		}
		added = added && other == ""
	}
	switch {
	case now == "":
		return "is missing"
	case added:
		return "was added"
	}
	return "was changed"
}
