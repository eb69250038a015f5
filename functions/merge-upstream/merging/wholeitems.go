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
			if upstream != nil && !upstream.isUnread() && slices.EqualFunc(f.resources(), upstream.resources(), alike) {
				f.text = upstream.text
			}
		}
	}
}

// alike reports whether two documents hold the same values, except for what only a package has.
func alike(a, b *document) bool { return node.Equal(rules{}.without(a), rules{}.without(b)) }

// wholeItems merges a file of a ResourceList as one value: all of its resources are replaced, or none. A file without
// resources is noted, because a function does not get it.
func (m *merged) wholeItems(name string, original, updated, local *file) {
	if !isSeen(name, original, updated, local) {
		if !sameFile(textOf(original), textOf(updated)) {
			m.unseen = append(m.unseen, name)
		}
		return
	}
	kept, conflicting := m.keptFile(name, original, updated, local)
	takes := kept != nil && kept == textOf(updated)
	unread := takes && updated.isUnread()
	if conflicting || unread {
		c := wholeConflict(name, original, updated, local, kept)
		if c.unread = unread; unread {
			c.Taken = SideLocal
		}
		m.conflicts = append(m.conflicts, c)
	}
	if unread || kept == textOf(local) {
		return
	}
	for _, d := range local.resources() {
		m.results = append(m.results, result{tuple: &tuple{local: d}, outcome: gone})
	}
	for _, d := range updated.resources() {
		if takes {
			m.results = append(m.results, result{tuple: &tuple{updated: d}, outcome: taken})
		}
	}
}

// isSeen reports whether a function gets the resources of a file.
func isSeen(name string, original, updated, local *file) bool {
	switch {
	case len(local.resources()) > 0:
		return true
	case !fn.IsKrmResourceFile(name) || original.isUnread() || updated.isUnread():
		return false
	}
	return len(original.resources())+len(updated.resources()) > 0
}
