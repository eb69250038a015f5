// SPDX-License-Identifier: Apache-2.0

package yamledit

import (
	"strings"
)

// gap writes the empty lines and comments before an entry.
func (w *writer) gap(o *entry, p pair, c *collection, column int) {
	wanted := w.new.leaves[w.new.first[p.value]].before
	var after, before []line
	if w.at >= 0 {
		after = gapLines(w.text, w.at, gapEnd(w.text, w.at))
	}
	if o == nil {
		if len(said(wanted)) == 0 && c != nil && w.isSpaced(c) && w.at > c.head {
			w.put("\n")
		}
		if used := w.lay(after, nil, wanted, column); used > 0 {
			w.at = used
		}
		return
	}
	start := lineStart(w.text, o.start)
	if o.before <= w.at && w.at <= start {
		after, before = nil, gapLines(w.text, w.at, start)
	} else {
		before = gapLines(w.text, o.before, start)
	}
	if inner := w.inner(o); len(inner) > 0 && w.keeps(o, p) && !w.forced[p.value] {
		wanted = said(wanted)
		wanted = wanted[:max(0, len(wanted)-len(inner))]
	}
	w.lay(after, before, wanted, column)
}

// isSpaced reports whether empty lines separate all entries of a collection.
func (w *writer) isSpaced(c *collection) bool {
	for _, e := range c.entries[1:] {
		if !strings.HasPrefix(strings.TrimLeft(w.text[e.before:], " \t"), "\n") {
			return false
		}
	}
	return len(c.entries) > 1
}

// lay writes the comments of a gap as they are to be. Of the lines before an entry the comments stay that are wanted,
// and all else; of those after the entry before, only the comments that are wanted, with what is between them. It
// returns the offset behind the last comment of the latter.
func (w *writer) lay(after, before []line, wanted []string, column int) (used int) {
	lines := append(append([]line(nil), after...), before...)
	at := map[int]int{}
	end := 0 // of what stays of the lines after
	for _, m := range common(len(wanted), len(lines), func(i, j int) bool {
		return wanted[i] != "" && wanted[i] == lines[j].comment
	}) {
		at[m[1]] = m[0]
		if m[1] < len(after) {
			end, used = m[1]+1, lines[m[1]].to
		}
	}
	next, gone, blank := 0, false, false
	for j, l := range lines {
		i, stays := at[j]
		isBlank := strings.TrimSpace(w.text[l.from:l.to]) == ""
		switch {
		case stays:
			w.newComments(wanted[next:i], column)
			next = i + 1
			w.copy(l.from, l.to)
		case j >= end && j < len(after):
			continue
		case l.comment != "" && w.known[l.comment]:
			gone = true
			if strings.HasPrefix(w.text[l.from:], "---") {
				w.put("---\n")
			}
			continue
		case isBlank && blank && gone:
			continue
		default:
			w.copy(l.from, l.to)
		}
		blank = isBlank
	}
	w.newComments(wanted[next:], column)
	return used
}

// newComments writes comments in lines of their own.
func (w *writer) newComments(texts []string, column int) {
	for len(texts) > 0 && texts[0] == "" {
		texts = texts[1:]
	}
	for _, text := range texts {
		if text != "" {
			text = spaces(column) + text
		}
		w.put(text + "\n")
	}
}
