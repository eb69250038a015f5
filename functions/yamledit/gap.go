// SPDX-License-Identifier: Apache-2.0

package yamledit

import (
	"slices"
	"strings"
)

// gap writes the empty lines and comments before an entry.
func (w *writer) gap(o *entry, p pair, c *collection, column int) {
	wanted := w.new.leaf(p.value).before
	var after []line
	if w.at >= 0 {
		after = gapLines(w.text, w.at, gapEnd(w.text, w.at))
	}
	if o == nil {
		w.gapOfNew(after, wanted, c, column)
		return
	}
	start, before := lineStart(w.text, o.start), o.before
	if before == w.at && !o.leads && slices.Equal(said(wanted), said(w.old.leaf(o.value).before)) {
		w.copy(before, start)
		return
	}
	if before <= w.at && w.at <= start {
		after, before = nil, w.at
	}
	if inner := w.inner(o); len(inner) > 0 && w.keeps(o, p) && !w.forced[p.value] {
		wanted = slices.DeleteFunc(slices.Clone(wanted), func(n note) bool { return n.text == "" })
		wanted = wanted[:max(0, len(wanted)-len(inner))]
	}
	lines := gapLines(w.text, before, start)
	w.lay(after, lines, wanted, column)
	w.setApart(lines, wanted)
}

// setApart writes an empty line behind a new comment below the entry before, if one sets that apart from this entry.
func (w *writer) setApart(gap []line, wanted []note) {
	if len(gap) == 0 || len(wanted) == 0 || !w.isBlank(gap[len(gap)-1]) {
		return
	}
	if last := wanted[len(wanted)-1]; last.of != nil && !w.old.known[last.text] {
		w.put("\n")
	}
}

func (w *writer) isBlank(l line) bool { return strings.TrimSpace(w.text[l.from:l.to]) == "" }

// gapOfNew writes what stands before a new entry.
func (w *writer) gapOfNew(after []line, wanted []note, c *collection, column int) {
	if len(said(wanted)) == 0 && c != nil && w.isSpaced(c) && w.at > c.head {
		w.put("\n")
	}
	if used := w.lay(after, nil, wanted, column); used > 0 {
		w.at = used
	}
	if n := len(wanted); n > 0 && wanted[n-1].of != nil { // or it would stand above this entry
		w.put("\n")
	}
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
	c := wantedComments{writer: w, notes: wanted, column: column, there: map[int]bool{}}
	at, end := make([]bool, len(lines)), 0 // of what stays of the lines after
	for _, m := range common(len(wanted), len(lines), func(i, j int) bool {
		return wanted[i].text != "" && wanted[i].text == lines[j].comment
	}) {
		c.there[m[0]], at[m[1]] = true, true
		if m[1] < len(after) {
			end, used = m[1]+1, lines[m[1]].to
		}
	}
	gone, blank := false, false
	for j, l := range lines {
		isBlank := w.isBlank(l)
		switch {
		case at[j]:
			c.put(true)
			c.next++
			w.copy(l.from, l.to)
		case j >= end && j < len(after):
			continue
		case l.comment != "" && w.old.known[l.comment]:
			c.instead(l)
			gone = true
			continue
		case isBlank && blank && gone:
			continue
		default:
			w.copy(l.from, l.to)
		}
		blank = isBlank
	}
	c.put(true)
	return used
}

// wantedComments are the comments that a gap is to have, the column of new ones, which of them are there, and the next
// one to be written.
type wantedComments struct {
	*writer
	notes  []note
	column int
	there  map[int]bool
	next   int
}

// instead writes new comments in place of one that goes. That of a separator is replaced on its line.
func (c *wantedComments) instead(gone line) {
	if strings.HasPrefix(c.text[gone.from:], "---") {
		text := "---"
		if c.next < len(c.notes) && !c.there[c.next] {
			text += " " + c.notes[c.next].text
			c.next++
		}
		c.writer.put(text + "\n")
	}
	c.put(false)
}

// put writes the comments that are not there, up to the next one that is, with the empty lines between them; those
// behind the last one only if there is nothing in its place.
func (c *wantedComments) put(ended bool) {
	from := c.next
	for c.next < len(c.notes) && !c.there[c.next] {
		c.next++
	}
	notes := c.notes[from:c.next]
	for len(notes) > 0 && notes[0].text == "" {
		notes = notes[1:]
	}
	for !ended && len(notes) > 0 && notes[len(notes)-1].text == "" {
		notes = notes[:len(notes)-1]
	}
	for _, n := range notes {
		column, known := c.writer.column(n.of)
		if !known {
			column = c.column
		}
		if n.text != "" {
			n.text = spaces(column) + n.text
		}
		c.writer.put(n.text + "\n")
	}
}
