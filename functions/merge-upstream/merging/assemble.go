// SPDX-License-Identifier: Apache-2.0

package merging

import "strings"

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
	// local is the package's file; nil for a new one. Like is the one whose line ends it has, and was that upstream until
	// now: its own, or those that its first resource came from.
	local, like, was *file
	// results are the resources in the file after the merge, in order.
	results []result
	// removed reports whether the merge removes resources from the file.
	removed bool
}

func (m *merged) assemblies(v versions) map[string]*assembly {
	all := map[string]*assembly{}
	at := func(name string) *assembly {
		if all[name] == nil {
			all[name] = &assembly{local: v.local[name], like: v.local[name], was: v.original[name]}
		}
		return all[name]
	}
	for name, f := range v.local {
		if _, whole := m.whole[name]; !whole && !f.whole {
			at(name)
		}
	}
	for _, r := range m.results {
		if r.local != nil && (r.outcome == gone || r.moved()) {
			at(r.local.file).removed = true
		}
		if r.stays() {
			a := at(r.file())
			if a.results = append(a.results, r); a.like == nil && r.local != nil {
				a.like, a.was = v.local[r.local.file], v.original[r.local.file]
			}
		}
	}
	for name, a := range all {
		a.results = inOrder(name, a.results)
	}
	return all
}

// inOrder returns the resources of a file in the order of a merged list, except that the package keeps its own order in
// a conflict.
func inOrder(name string, results []result) []result {
	rows := make([]row, len(results))
	for i, r := range results {
		rows[i] = newRow()
		for version, d := range []*document{r.local, r.original, r.updated} {
			if d != nil && d.file == name {
				rows[i].at[version] = d.index
			}
		}
	}
	order := arrange(rows, func(int) bool { return true }, func(_, _, _ []int) bool { return false })
	out := make([]result, len(order))
	for i, at := range order {
		out[i] = results[at]
	}
	return out
}

// stays reports whether the resource is in the package after the merge.
func (r result) stays() bool { return r.outcome != gone && (r.local != nil || r.outcome != keep) }

// moved reports whether the resource changes its file.
func (r result) moved() bool { return r.outcome != gone && r.local != nil && r.file() != r.local.file }

// takenText returns the text of a resource that is taken. The package's separator and empty lines at the end stay, if
// they are not those of the original.
func (r result) takenText() string {
	if r.local == nil || r.original == nil {
		return r.updated.text
	}
	line, text := separator(r.updated.text)
	was, _ := separator(r.original.text)
	is, _ := separator(r.local.text)
	text = follow(was, is, line) + text
	if end := emptyLines(r.local.text); end != emptyLines(r.original.text) {
		return strings.TrimRight(text, "\n") + "\n" + end
	}
	return text
}

// emptyLines returns the empty lines at the end of a text.
func emptyLines(text string) string {
	return strings.TrimPrefix(text[len(strings.TrimRight(text, "\n")):], "\n")
}

// text returns the text of the file; false if the file is removed.
func (a *assembly) text(original, updated *file) (string, bool) {
	if a.isUpstreams(original, updated) {
		return updated.withLineEndsOf(a.like, a.was), true
	}
	if !a.isTouched() {
		return a.local.raw, true
	}
	out := a.rewritten()
	if a.like != nil && a.like.crlf {
		out = strings.ReplaceAll(out, "\n", "\r\n")
	}
	return out, len(a.results) > 0 || out != "" && updated != nil
}

// isTouched reports whether the merge changes the file.
func (a *assembly) isTouched() bool {
	last := -1
	for _, r := range a.results {
		if r.outcome != keep || r.local == nil || r.local.index < last {
			return true
		}
		last = r.local.index
	}
	return a.removed
}

// isUpstreams reports whether the file gets the upstream's text unchanged: it was the same as the original, or is new.
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
	for _, r := range a.results {
		if !left[r.updated] || !r.isUpstreams() {
			return false
		}
		delete(left, r.updated)
	}
	return len(left) == 0
}

// isUpstreams reports whether the resource has the text that it has upstream.
func (r result) isUpstreams() bool {
	return r.outcome == taken || r.outcome == keep && sameText(r.local, r.updated)
}

// withLineEndsOf returns the text of the file with the package's line ends, unless the original upstream had the same
// ones: then the upstream's new line ends are taken.
func (f *file) withLineEndsOf(local, original *file) string {
	if local == nil || !local.crlf || original != nil && original.crlf {
		return f.raw
	}
	return strings.ReplaceAll(f.text, "\n", "\r\n")
}

func terminated(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}
