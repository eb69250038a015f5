// SPDX-License-Identifier: Apache-2.0

package yamledit

import (
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// writer writes a document from front to back, as parts of the text that it was read from and as new text.
type writer struct {
	edit
	text string
	// forced are the values whose entries are written as new ones, and edited those whose entries are not copied.
	forced map[*yaml.Node]bool
	edited []*yaml.Node
	// columns are those of the entries that are written, by their values.
	columns map[*yaml.Node]int
	// copied are the maps and lists that are written as they were read, with the entries that they were.
	copied map[*yaml.Node]*entry

	pieces []piece
	// at is the offset up to which the text is written or left out; -1 inside an entry that is written as a new one.
	at int
	// failed reports whether something cannot be written at all.
	failed bool
}

func (w *writer) copy(from, to int) {
	if from < to {
		w.pieces = append(w.pieces, piece{from: from, to: to})
	}
}

func (w *writer) put(text string) { w.pieces = append(w.pieces, piece{text: text}) }

func spaces(n int) string { return strings.Repeat(" ", n) }

// document writes the document, whose value is like an element without a dash; false if it has to be written as a new
// one.
func (w *writer) document() bool {
	o, p := w.root, pair{value: w.new.document.Content[0]}
	if !isCollection(p.value) {
		return false
	}
	w.gap(o, p, nil, 0)
	w.copy(lineStart(w.text, o.start), o.start)
	w.entry(o, p, 0)
	if w.at == o.end && slices.Equal(said(w.new.after), said(w.old.after)) {
		w.copy(o.end, len(w.text))
	} else {
		w.lay(nil, gapLines(w.text, w.at, len(w.text)), w.new.after, 0)
	}
	return !w.failed
}

// block writes a map or list in lines whose keys or dashes begin in a column; c is what it was in the text, nil if it
// is new. If it is inline, its first entry stands on the line of a dash.
func (w *writer) block(c *collection, n *yaml.Node, column int, inline bool) {
	entries := pairs(n)
	was := make([]*entry, len(entries))
	if c != nil {
		was = align(w.old, w.new, c, n)
	}
	for i, p := range entries {
		w.columns[p.value] = column
		if i > 0 || !inline {
			w.gap(was[i], p, c, column)
			w.put(spaces(column))
		}
		w.entry(was[i], p, column)
	}
}

// column returns the column of the entry of a value; false if it has none.
func (w *writer) column(value *yaml.Node) (int, bool) {
	if column, known := w.columns[value]; known || value == nil {
		return column, known
	}
	if c := w.collection(w.new.parent[value]); c != nil {
		return c.column, true
	}
	return 0, false
}

// collection returns what a map or list was in the text, if it is written as it was; nil if it is not.
func (w *writer) collection(n *yaml.Node) *collection {
	if n == nil {
		return nil
	}
	if o := w.copied[n]; o != nil {
		return o.in
	}
	parent := w.new.parent[n]
	c := w.collection(parent)
	if c == nil {
		return nil
	}
	i := slices.IndexFunc(pairs(parent), func(p pair) bool { return p.value == n })
	return c.entries[i].in
}

// inner returns the comments between the colon or the dash of an entry and its value that have lines of their own.
func (w *writer) inner(o *entry) []line {
	from, to := min(lineEnd(w.text, o.colon), o.from), o.from
	if isBlock(o.value) {
		if o.key != nil || o.in.inline {
			return nil
		}
		from, to = o.colon, o.in.entries[0].start
	}
	return slices.DeleteFunc(gapLines(w.text, from, to), func(l line) bool { return l.comment == "" })
}

// keeps reports whether an entry can keep the comments between its key or dash and its value.
func (w *writer) keeps(o *entry, p pair) bool {
	return len(w.inner(o)) == 0 || slices.Equal(said(w.new.leaf(p.value).before), said(w.old.leaf(o.value).before))
}

// entry writes an entry from its key or dash on; o is what it was in the text, nil if it is new.
func (w *writer) entry(o *entry, p pair, column int) {
	at := w.at
	if o == nil {
		w.fresh(nil, p, column)
		w.at = at
		return
	}
	mark := len(w.pieces)
	switch {
	case w.forced[p.value] || !w.keeps(o, p):
		w.fresh(o, p, column)
	case w.old.sum(o.key) == w.new.sum(p.key) && w.old.sum(o.value) == w.new.sum(p.value) &&
		sameComments(w.old, o.value, w.new, p.value):
		if w.copy(o.start, o.end); isBlock(p.value) {
			w.copied[p.value] = o
		}
	default:
		w.edited = append(w.edited, p.value)
		if o.opaque || !w.changed(o, p, column) {
			w.pieces = w.pieces[:mark]
			w.fresh(o, p, column)
		}
	}
	w.at = max(at, w.at, o.end) // what stood after an entry that moved up is not left out
}

func sameProperties(a, b *yaml.Node) bool {
	return a.Anchor == b.Anchor && a.Style&yaml.TaggedStyle == b.Style&yaml.TaggedStyle && a.ShortTag() == b.ShortTag()
}

// changed writes an entry by replacing what is different in it; false if it has to be written as a new one.
func (w *writer) changed(o *entry, p pair, column int) bool {
	c := o.in
	switch {
	case isBlock(o.value) != isBlock(p.value), c != nil && isCollection(p.value) && !sameProperties(o.value, p.value):
		return false
	case !isBlock(p.value):
		return w.leaf(o, p, column)
	case o.value.Kind != p.value.Kind:
		return false
	case p.key == nil:
		w.at = c.entries[0].start
		w.copy(o.start, w.at)
		w.block(c, p.value, c.column, true)
		return true
	}
	w.key(o, p)
	if !w.tail(o, p, o.keyEnd, c.head) {
		return false
	}
	w.at = c.head
	w.block(c, p.value, c.column, false)
	return true
}

// key writes the key, or the dash, of an entry.
func (w *writer) key(o *entry, p pair) {
	if o != nil && !o.opaque && w.old.sum(o.key) == w.new.sum(p.key) {
		w.copy(o.start, o.keyEnd)
		return
	}
	w.put(w.keyText(p.key))
}

// tail writes the rest of a line, from an offset to its end, with the comment that it has to have.
func (w *writer) tail(o *entry, p pair, from, to int) bool {
	was, is := w.old.leaf(o.value).line, w.new.leaf(p.value).line
	if slices.Equal(was, is) {
		w.copy(from, to)
		return true
	}
	if hasComments(p.value) || hasComments(o.value) {
		return false
	}
	before, _, found := strings.Cut(w.text[from:to], "#")
	comment := w.lineComment(p.value)
	if found && comment != "" {
		comment = comment[1:]
	} else {
		before = strings.TrimRight(before, " \t\n")
	}
	w.copy(from, from+len(before))
	w.put(comment + "\n")
	return true
}

// leaf writes an entry whose value is and was a leaf by replacing the value.
func (w *writer) leaf(o *entry, p pair, column int) bool {
	if w.old.sum(o.value) == w.new.sum(p.value) {
		w.key(o, p)
		if header := w.text[o.from:o.to]; strings.HasPrefix(header, "|") || strings.HasPrefix(header, ">") {
			head := lineEnd(w.text, o.from)
			w.copy(o.keyEnd, o.from)
			ok := w.tail(o, p, o.from, head)
			w.copy(head, o.end)
			return ok
		}
		w.copy(o.keyEnd, o.to)
		return w.tail(o, p, o.to, o.end)
	}
	if o.in != nil && (o.in.entries != nil || w.json) && isCollection(p.value) {
		w.key(o, p)
		w.copy(o.keyEnd, o.from)
		return w.flow(o, p.value) && w.tail(o, p, o.to, o.end)
	}
	was := w.text[o.from:o.to]
	text, folded := refolded(was, o.value, p.value)
	if !folded {
		if text = w.inline(o, p.value, column); strings.Contains(was+text, "\n") {
			return false
		}
	}
	w.key(o, p)
	if o.from > o.colon && text != "" {
		w.copy(o.keyEnd, o.from)
	} else {
		w.copy(o.keyEnd, o.colon)
		text = strings.TrimRight(" "+text, " ")
	}
	w.put(text)
	return w.tail(o, p, o.to, o.end)
}

// lineComment returns the comment on the line of an entry as it is to be, with a space before it.
func (w *writer) lineComment(value *yaml.Node) string {
	if line := w.new.leaf(value).line; len(line) > 0 {
		return " " + strings.Join(line, " ")
	}
	return ""
}

// fresh writes an entry as a new one; o is what it was in the text, if anything.
func (w *writer) fresh(o *entry, p pair, column int) {
	w.at, w.failed = -1, w.failed || o == w.root
	w.key(o, p)
	if p.key != nil {
		w.put(":")
	}
	v := p.value
	switch {
	case isBlock(v) && p.key == nil && properties(v) == "":
		width := w.layout.offset(2, dashes)
		w.put(spaces(width - 1))
		w.block(nil, v, column+width, true)
	case isBlock(v):
		head, below := "", w.below(o, p, column)
		if of := properties(v); of != "" {
			head = " " + of
		}
		if p.key != nil {
			w.put(head + w.lineComment(v) + "\n")
			w.block(nil, v, below, false)
			return
		}
		w.put(head + "\n" + spaces(below))
		w.block(nil, v, below, true)
	default:
		text, body, several := strings.Cut(w.inline(o, v, column), "\n")
		text = strings.TrimRight(" "+text, " ")
		if !hasComments(v) { // else they are written already
			text += w.lineComment(v)
		}
		if several {
			text += "\n" + body
		}
		w.put(text + "\n")
	}
}

// below returns the column for the entries of a new collection.
func (w *writer) below(o *entry, p pair, column int) int {
	switch {
	case o != nil && isBlock(o.value) && o.value.Kind == p.value.Kind && !o.in.inline:
		return o.in.column
	case p.key != nil && p.value.Kind == yaml.SequenceNode:
		return column + w.layout.offset(0, listsLike(p.key.Value, column)...)
	}
	return column + w.layout.step()
}
