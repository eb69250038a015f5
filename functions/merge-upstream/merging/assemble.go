// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"slices"
	"strings"
)

// files returns the texts of the merged package's files.
func (m *merged) files(v versions) map[string]string {
	out := map[string]string{}
	for name, text := range m.whole {
		if text != nil {
			out[name] = *text
		}
	}
	for name, a := range m.assemblies(v) {
		if text, ok := a.text(v.original[name], v.updated[name]); ok {
			out[name] = text
		}
	}
	return out
}

// assembly is what a merged file is made of.
type assembly struct {
	local *file
	// here are the results of the resources that stand in the file, by document; added those of others that belong there.
	here  map[*document]result
	added []result
}

func (m *merged) assemblies(v versions) map[string]*assembly {
	all := map[string]*assembly{}
	at := func(name string) *assembly {
		if all[name] == nil {
			all[name] = &assembly{local: v.local[name], here: map[*document]result{}}
		}
		return all[name]
	}
	for name, f := range v.local {
		if _, whole := m.whole[name]; !whole && !f.whole {
			at(name)
		}
	}
	for _, r := range m.results {
		if r.local != nil {
			at(r.local.file).here[r.local] = r
		}
		if r.outcome != keep && r.outcome != gone && (r.local == nil || r.moved()) {
			at(r.file()).added = append(at(r.file()).added, r)
		}
	}
	return all
}

// moved reports whether the resource changes its file.
func (r result) moved() bool { return r.outcome != gone && r.local != nil && r.file() != r.local.file }

// body returns the text of a resource that is changed or taken.
func (r result) body() string {
	if r.outcome == changed {
		return r.text
	}
	_, text := separator(r.updated.text)
	return text
}

// text returns the text of the file; false if nothing is left of it.
func (a *assembly) text(original, updated *file) (string, bool) {
	if a.isUpstreams(original, updated) {
		return updated.withLineEndsOf(a.local, original), true
	}
	out, resources, touched := a.existing()
	if !touched && len(a.added) == 0 {
		return a.local.raw, true
	}
	for _, r := range a.added {
		if out != "" {
			out = terminated(out) + "---\n"
		}
		out += terminated(r.body())
	}
	if a.local != nil && a.local.crlf {
		out = strings.ReplaceAll(out, "\n", "\r\n")
	}
	return out, resources+len(a.added) > 0
}

// existing returns the text of the documents that stand in the file and stay there, how many of them are resources, and
// whether the merge touched any.
func (a *assembly) existing() (text string, resources int, touched bool) {
	var out strings.Builder
	for _, d := range a.local.documents() {
		text := d.text
		if r, isResource := a.here[d]; isResource {
			if r.outcome == gone || r.moved() {
				touched = true
				continue
			}
			if r.outcome != keep {
				line, _ := separator(d.text)
				text, touched = line+terminated(r.body()), true
			}
			resources++
		}
		if out.Len() == 0 && touched && isSeparatorOnly(text) {
			_, text = separator(text)
		}
		out.WriteString(text)
	}
	return out.String(), resources, touched
}

// isUpstreams reports whether the file becomes the upstream's as it is: it was the original's, or is new.
func (a *assembly) isUpstreams(original, updated *file) bool {
	if updated == nil || a.local != nil && (original == nil || a.local.text != original.text) {
		return false
	}
	left := map[*document]bool{}
	for _, d := range updated.docs {
		if d.root != nil {
			left[d] = true
		}
	}
	for _, r := range a.remaining() {
		if !left[r.updated] || !r.isUpstreams() {
			return false
		}
		delete(left, r.updated)
	}
	return len(left) == 0
}

// remaining returns the results of the resources that stand in the file after the merge.
func (a *assembly) remaining() []result {
	out := slices.Clone(a.added)
	for _, r := range a.here {
		if r.outcome != gone && !r.moved() {
			out = append(out, r)
		}
	}
	return out
}

// isUpstreams reports whether the resource has the text that it has upstream.
func (r result) isUpstreams() bool {
	return r.outcome == taken || r.outcome == keep && sameText(r.local, r.updated)
}

func (f *file) documents() []*document {
	if f == nil {
		return nil
	}
	return f.docs
}

// withLineEndsOf returns the text of the file with the line ends that it has in the package, unless the original
// upstream had the same: then they are the upstream's to change.
func (f *file) withLineEndsOf(local, original *file) string {
	if local == nil || !local.crlf || original != nil && original.crlf {
		return f.raw
	}
	return strings.ReplaceAll(f.text, "\n", "\r\n")
}

func isSeparatorOnly(text string) bool {
	line, _ := separator(text)
	return line == "---\n"
}

func terminated(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}
