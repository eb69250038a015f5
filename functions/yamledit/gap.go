// SPDX-License-Identifier: Apache-2.0

package yamledit

import (
	"slices"
	"strings"
)

// gap writes the empty lines and comments before an entry.
func (w *writer) gap(o *entry, p pair, c *collection, column int) {
	wanted := w.new.leaf(p.value).before
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
		if n := len(wanted); n > 0 && wanted[n-1].of != nil { // or it would stand above this entry
			w.put("\n")
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
		wanted = slices.DeleteFunc(slices.Clone(wanted), func(n note) bool { return n.text == "" })
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
func (w *writer) lay(after, before []line, wanted []note, column int) (used int) {
	lines := slices.Concat(after, before)
	stays := map[int]int{} // the line of each wanted comment that is there
	at := slices.Repeat([]int{-1}, len(lines))
	end := 0 // of what stays of the lines after
	for _, m := range common(len(wanted), len(lines), func(i, j int) bool {
		return wanted[i].text != "" && wanted[i].text == lines[j].comment
	}) {
		stays[m[0]], at[m[1]] = m[1], m[0]
		if m[1] < len(after) {
			end, used = m[1]+1, lines[m[1]].to
		}
	}
	next, gone, blank := 0, false, false
	fresh := func(last bool) { // the wanted comments that are not there, up to the next one that is
		from := next
		for _, there := stays[next]; next < len(wanted) && !there; _, there = stays[next] {
			next++
		}
		w.notes(wanted[from:next], column, last)
	}
	for j, l := range lines {
		isBlank := strings.TrimSpace(w.text[l.from:l.to]) == ""
		switch {
		case at[j] >= 0:
			fresh(true)
			next++
			w.copy(l.from, l.to)
		case j >= end && j < len(after):
			continue
		case l.comment != "" && w.known[l.comment]:
			if gone = true; strings.HasPrefix(w.text[l.from:], "---") {
				text := "---"
				if _, there := stays[next]; next < len(wanted) && !there {
					text += " " + wanted[next].text
					next++
				}
				w.put(text + "\n")
			}
			fresh(false)
			continue
		case isBlank && blank && gone:
			continue
		default:
			w.copy(l.from, l.to)
		}
		blank = isBlank
	}
	fresh(true)
	return used
}

// notes writes comments in lines of their own, with the empty lines between them; those at the end only if nothing of
// the gap stood there.
func (w *writer) notes(notes []note, column int, last bool) {
	for len(notes) > 0 && notes[0].text == "" {
		notes = notes[1:]
	}
	for !last && len(notes) > 0 && notes[len(notes)-1].text == "" {
		notes = notes[:len(notes)-1]
	}
	for _, n := range notes {
		switch of, known := w.columns[n.of]; {
		case n.text == "":
			w.put("\n")
		case known:
			w.put(spaces(of) + n.text + "\n")
		default:
			w.put(spaces(column) + n.text + "\n")
		}
	}
}
