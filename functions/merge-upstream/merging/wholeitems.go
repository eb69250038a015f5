// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"slices"
	"strings"

	"github.com/kptdev/krm-functions-sdk/go/fn"
	"github.com/package-variants/package-variants/functions/internal/node"
)

// giveTexts sets the text of files among the items that are merged as single values. Items have no text of their own,
// so a file gets the text of an upstream version with the same resources, or else the text of its resources.
func (v versions) giveTexts() {
	for name, f := range v.local {
		if !f.whole {
			continue
		}
		var own strings.Builder
		for _, d := range f.resources() {
			own.WriteString("---\n" + d.text)
		}
		f.text = own.String()
		for _, upstream := range []*file{v.original[name], v.updated[name]} { // the latter if both have the same
			if upstream != nil && !upstream.isOpaque() && slices.EqualFunc(f.resources(), upstream.resources(), alike) {
				f.text = upstream.text
			}
		}
	}
}

// alike reports whether two documents hold the same values, except for what only a package has.
func alike(a, b *document) bool { return node.Equal(rules{}.without(a), rules{}.without(b)) }

// wholeItems merges a file of a ResourceList as one value: all of its resources are replaced, or none. A file without
// resources is noted, because a function does not get it.
func (m *merged) wholeItems(f fileVersions) {
	if !f.isSeen() {
		if !sameFile(textOf(f.original), textOf(f.updated)) {
			m.unseen = append(m.unseen, f.name)
		}
		return
	}
	kept, conflicting := m.keptFile(f)
	takes := kept != nil && kept == textOf(f.updated)
	opaque := takes && f.updated.isOpaque()
	if conflicting || opaque {
		c := wholeConflict(f, kept)
		if c.unwritable = opaque; opaque {
			c.Taken = SideLocal
		}
		m.conflicts = append(m.conflicts, c)
	}
	if opaque || kept == textOf(f.local) {
		return
	}
	for _, d := range f.local.resources() {
		m.results = append(m.results, result{tuple: &tuple{local: d}, outcome: gone})
	}
	for _, d := range f.updated.resources() {
		if takes {
			m.results = append(m.results, result{tuple: &tuple{updated: d}, outcome: taken})
		}
	}
}

// isSeen reports whether a function gets the resources of a file.
func (f fileVersions) isSeen() bool {
	switch {
	case len(f.local.resources()) > 0:
		return true
	case !fn.IsKrmResourceFile(f.name) || f.original.isOpaque() || f.updated.isOpaque():
		return false
	}
	return len(f.original.resources())+len(f.updated.resources()) > 0
}
