// SPDX-License-Identifier: Apache-2.0

// Package edits finds what people changed in a draft that was asked for and is found in a state that no answer named,
// for example because the controller was killed between two calls. Such a draft may be as it was made, as it is to be
// saved, or between the two. Everything else in it is an edit, and an edited draft waits for a person.
//
// The package takes files as values, and reads and writes nothing. It does not predict what Porch writes: a Porch that
// formats, marks or renders files in another way makes no edit, or at worst a draft waits for a person without need.
package edits

import (
	"maps"
	"slices"
	"strings"
)

// Edit is what a person changed in a file. Change is a short text that begins with a field, a resource or a verb, such
// as "Deployment web: spec.replicas was changed" or "was added". It has no values, so it never shows a Secret.
type Edit struct{ Path, Change string }

// Find returns the edits in the files of a draft, at most one for each file, by path. None means that nobody edited the
// draft: each of its files, fields and comments is the source's or the saved one's, and none that both have is missing.
// The source is what the draft was made from: the clone of the upstream, or the published revision. Saved is what the
// draft is to become.
//
//   - Lists whose elements have merge keys in the schema of their resource are compared by element, and resources in a
//     file by what kpt identifies them by. Any other list is one value, and so is an empty map.
//   - Of what only one of the two has, or what has another type in each, nothing may be missing: it is in the draft as
//     a whole, or not at all.
//   - Files that are not YAML, that cannot be read, or that have a key twice are compared as text, and so are aliases.
//   - Not compared are the order of keys and of resources, the style of values and the ends of lines, kpt's marks
//     (kpt-merge comments, and annotations of internal.kpt.dev), files that have only comments, and of the package's
//     Kptfile the comments, the condition Rendered and status.renderStatus. Comments on lines of their own are compared
//     by line within their resource, because YAML libraries attach them to different fields.
//
// So one edit is not found: one that only takes back what is in saved and not in the source.
func Find(source, saved, found map[string]string) []Edit {
	paths := map[string]bool{}
	for _, files := range []map[string]string{source, saved, found} {
		for path := range files {
			paths[path] = true
		}
	}
	var edits []Edit
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		text, exists := found[path]
		if exists && (same(source, path, text) || same(saved, path, text)) {
			continue
		}
		change := compare(read(found, path), read(source, path), read(saved, path))
		if change != nil {
			edits = append(edits, Edit{Path: path, Change: change.String()})
		}
	}
	return edits
}

// same reports whether files have a file with this text.
func same(files map[string]string, path, text string) bool {
	other, exists := files[path]
	return exists && other == text
}

// change is the first difference in a file: where it is, from the file to the innermost key, and what it is.
type change struct {
	at   []key
	what string
}

// The words for what happened to a file, a resource, a field or a comment.
const (
	added     = "was added"
	changed   = "was changed"
	missing   = "is missing"
	reordered = "has its elements in another order"
)

// compare returns the first difference between what was found and each of the source and what is saved; nil if there is
// none. A nil node stands for what does not exist.
func compare(found, source, saved *node) *change {
	switch {
	case found == nil && source != nil && saved != nil:
		return &change{what: missing}
	case found == nil:
		return nil
	case source == nil && saved == nil:
		return &change{what: added}
	}
	source, saved = source.ifLike(found), saved.ifLike(found)
	switch {
	case source == nil && saved == nil:
		return &change{what: changed}
	case source == nil:
		source = saved
	case saved == nil:
		saved = source
	}
	return compareEntries(found, source, saved)
}

// compareEntries compares the entries of nodes that have the same shape.
func compareEntries(found, source, saved *node) *change {
	for _, e := range found.entries {
		if c := compare(e.value, source.get(e.key), saved.get(e.key)); c != nil {
			return c.in(e.key)
		}
	}
	for _, e := range source.entries {
		if found.get(e.key) == nil && saved.get(e.key) != nil {
			return (&change{what: missing}).in(e.key)
		}
	}
	if found.kind == elements && !found.isOrderedAs(source) && !found.isOrderedAs(saved) {
		return &change{what: reordered}
	}
	return nil
}

// in returns the change as one below a key.
func (c *change) in(k key) *change {
	c.at = append(c.at, k) // from the inside; String reverses it
	return c
}

// maxShown bounds the text of a change, in bytes.
const maxShown = 200

// String returns a text such as "Deployment web: the comment on spec.replicas was changed".
func (c *change) String() string {
	var resource, subject string
	var field strings.Builder
	for _, k := range slices.Backward(c.at) {
		switch k.kind {
		case resources:
			resource = k.resource()
		case fields:
			field.WriteString("." + k.name)
		case elements:
			field.WriteString("[" + k.name + "]")
		case remarks:
			subject = "the comment on "
			field.WriteString("." + k.name)
		case comments:
			subject = "a comment"
		}
	}
	subject += strings.TrimPrefix(field.String(), ".")
	switch {
	case resource != "" && subject != "":
		subject = resource + ": " + subject
	case resource != "":
		subject = resource
	case subject == "" && len(c.at) > 0:
		subject = "a document"
	}
	if len(subject) > maxShown {
		subject = strings.ToValidUTF8(subject[:maxShown], "") + "…"
	}
	return strings.TrimSpace(subject + " " + c.what)
}
