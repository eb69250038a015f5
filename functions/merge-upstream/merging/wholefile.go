// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// wholeFile merges a file as one value. A version that does not have the file is nil.
func (m *merged) wholeFile(name string, original, updated, local *file) {
	kept, conflicting := m.keptFile(name, original, updated, local)
	if conflicting {
		m.conflicts = append(m.conflicts, wholeConflict(name, original, updated, local, kept))
	}
	switch kept {
	case nil:
		m.whole[name] = nil
	case textOf(local):
		m.whole[name] = &local.raw
	default:
		text := updated.withLineEndsOf(local, original)
		m.whole[name] = &text
	}
}

// wholeConflict returns the conflict about a file as one value; the text kept is taken.
func wholeConflict(name string, original, updated, local *file, kept *string) conflict {
	o, u, l := textOf(original), textOf(updated), textOf(local)
	hidden := slices.ContainsFunc([]*string{o, u, l}, func(text *string) bool {
		return text != nil && hasSecretText(*text)
	})
	c := conflict{Conflict: Conflict{File: name, Taken: SideLocal}}
	for _, f := range []*file{local, updated, original} {
		if f != nil && c.reason == "" {
			c.reason = f.why
		}
	}
	if kept == u {
		c.Taken = SideUpstream
	}
	c.setValues(describeFile(original, hidden), describeFile(local, hidden), describeFile(updated, hidden))
	return c
}

// keptFile returns the text of a file after the merge, which is that of a version; nil if the file is removed.
func (m *merged) keptFile(name string, original, updated, local *file) (kept *string, conflicting bool) {
	o, u, l := textOf(original), textOf(updated), textOf(local)
	edited := l != nil && isEdited(name, original, local)
	switch {
	case l != nil && m.withdrawn.contain(name):
		if m.held.contain(name) {
			return l, edited
		}
		return nil, false
	case sameFile(o, u) || sameFile(l, u):
		return l, false
	case l == nil && o == nil && !m.removedPackages.contain(name), l != nil && o != nil && !edited:
		return u, false
	case u != nil && l != nil && m.takesUpstream():
		return u, true
	}
	return l, true
}

// isEdited reports whether a file is not what it was upstream.
func isEdited(name string, original, local *file) bool {
	return original == nil || local.text != original.text && unmarked(name, local.text) != unmarked(name, original.text)
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
		plain, err := encode(d.root, "")
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
