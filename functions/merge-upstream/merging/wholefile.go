// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"cmp"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// wholeFile merges a file as one value.
func (m *merged) wholeFile(f fileVersions) {
	kept, conflicting := m.keptFile(f)
	if conflicting {
		m.conflicts = append(m.conflicts, wholeConflict(f, kept))
	}
	switch kept {
	case nil:
		m.whole[f.name] = nil
	case textOf(f.local):
		m.whole[f.name] = &f.local.raw
	default:
		text := f.updated.withLineEndsOf(f.local, f.original)
		m.whole[f.name] = &text
	}
}

// wholeConflict returns the conflict about a file as one value; the text kept is taken.
func wholeConflict(f fileVersions, kept *string) conflict {
	c := conflict{Conflict: Conflict{File: f.name, Taken: SideLocal}}
	hidden := false
	for _, version := range f.existing() {
		c.reason = cmp.Or(c.reason, version.why)
		hidden = hidden || hasSecretText(version.text)
	}
	if kept == textOf(f.updated) {
		c.Taken = SideUpstream
	}
	c.setValues(describeFile(f.original, hidden), describeFile(f.local, hidden), describeFile(f.updated, hidden))
	return c
}

// keptFile returns the text of a file after the merge, which is that of a version; nil if the file is removed.
func (m *merged) keptFile(f fileVersions) (kept *string, conflicting bool) {
	o, u, l := textOf(f.original), textOf(f.updated), textOf(f.local)
	edited := f.isEdited()
	switch {
	case l != nil && m.withdrawn.contain(f.name):
		if m.held.contain(f.name) {
			return l, edited
		}
		return nil, false
	case sameFile(o, u) || sameFile(l, u):
		return l, false
	case l == nil && o == nil && !m.removedPackages.contain(f.name), l != nil && o != nil && !edited:
		return u, false
	case u != nil && l != nil && m.takesUpstream():
		return u, true
	}
	return l, true
}

// isEdited reports whether the package has a file that is not what it was upstream.
func (f fileVersions) isEdited() bool {
	return f.local != nil && (f.original == nil || f.local.text != f.original.text &&
		unmarked(f.name, f.local.text) != unmarked(f.name, f.original.text))
}

// unmarked returns a text without the marks by which kpt and Porch recognize its resources.
func unmarked(name, text string) string {
	docs, why := parse(name, text)
	if why != "" {
		return text
	}
	var out strings.Builder
	for _, d := range docs {
		if d.root == nil {
			out.WriteString(d.text)
			continue
		}
		body := d.body()
		if _, _, ok := upstreamName(body); ok {
			body.Content[position(body, yaml.MetadataField)].LineComment = ""
		}
		d.root.Content[0] = rules{}.without(d)
		plain, err := encode(d.root)
		if err != nil {
			return text
		}
		out.WriteString("---\n" + plain)
	}
	return out.String()
}

func textOf(f *file) *string {
	if f == nil {
		return nil
	}
	return &f.text
}

func sameFile(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func describeFile(f *file, hidden bool) string {
	switch {
	case f == nil:
		return ""
	case hidden:
		return notShown
	case f.why != "" && f.why != noResources:
		return digest(f.text) + ": " + f.why
	}
	return digest(f.text)
}
