// SPDX-License-Identifier: Apache-2.0

package yamledit

import (
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// flow writes the value of an entry, a map or list in flow style, by its entries that are different; false if it has to
// be written as a new one.
func (w *writer) flow(o *entry, n *yaml.Node) bool {
	c := w.collections[o.value]
	if n.Kind != o.value.Kind || len(n.Content) == 0 || len(c.entries) == 0 || !sameProperties(n, o.value) {
		return w.value(o, n, "")
	}
	entries, was := pairs(n), align(w.old, w.new, c, n)
	if !slices.Equal(was, c.entries) &&
		(c.open == 0 || c.closed == 0 || strings.Contains(w.text[c.open:c.closed], "#")) {
		return false
	}
	w.copy(o.from, c.entries[0].start)
	like := c.entries[min(1, len(c.entries)-1)] // what a new entry is separated like
	for i, p := range entries {
		e := was[i]
		line := w.between(c, e, like, i)
		if e != nil && e != c.entries[0] {
			like = e
		}
		if e == nil {
			w.put(w.flowEntry(p, line))
			continue
		}
		if w.old.sum(e.key) == w.new.sum(p.key) {
			w.copy(e.start, e.keyEnd)
		} else {
			w.put(w.inFlow(p.key, ""))
		}
		switch {
		case w.old.sum(e.value) == w.new.sum(p.value):
			w.copy(e.keyEnd, e.to)
			continue
		case e.to > e.from:
			w.copy(e.keyEnd, e.from)
		default:
			w.put(": ")
		}
		if w.collections[e.value] == nil || !isCollection(p.value) {
			w.put(w.inFlow(p.value, line))
		} else if !w.flow(e, p.value) {
			return false
		}
	}
	w.copy(c.entries[len(c.entries)-1].end, o.to)
	return true
}

// value writes the value of an entry in flow style as a new one.
func (w *writer) value(o *entry, n *yaml.Node, line string) bool {
	if strings.Contains(w.text[o.from:o.to], "#") || len(within(n)) > len(comments(n.LineComment)) {
		return false
	}
	if w.layout.indent != "" {
		at := lineStart(w.text, o.start)
		line = "\n" + w.text[at:at+len(w.text[at:])-len(strings.TrimLeft(w.text[at:], " \t"))]
	}
	w.put(w.inFlow(n, line))
	return true
}

// between writes what separates an entry in flow style, the i-th, from the one before, as another one is if it is new,
// and returns what begins its line if the entries have lines of their own, else "".
func (w *writer) between(c *collection, e, like *entry, i int) (line string) {
	first := w.text[c.open:c.entries[0].start]
	separator := "," + first
	if first == "" || first == " " {
		separator = ", "
	}
	if like != c.entries[0] {
		separator = w.text[like.before:like.start]
	}
	switch {
	case i == 0:
		separator = first
	case e != nil && e != c.entries[0]:
		w.copy(e.before, e.start)
	default:
		w.put(separator)
	}
	if at := strings.LastIndexByte(separator, '\n'); at >= 0 && w.layout.indent != "" {
		return separator[at:]
	}
	return ""
}
