// SPDX-License-Identifier: Apache-2.0

package yamledit

import (
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// flow writes the value of an entry in flow style by what is different in it; false if comments would be lost.
func (w *writer) flow(o *entry, n *yaml.Node) bool {
	if o.in == nil || len(n.Content) == 0 || len(o.in.entries) == 0 || !sameProperties(n, o.value) {
		w.put(w.inFlow(n, w.indentation(o)))
		return !hasComments(o.value) && !hasComments(n)
	}
	was := align(w.old, w.new, o.in, n)
	if !slices.Equal(was, o.in.entries) && (o.in.bare || hasComments(o.value)) {
		return false
	}
	first := o.in.entries[0]
	like := o.in.entries[min(1, len(o.in.entries)-1)] // what a new entry is separated like
	w.copy(o.from, first.start)
	for i, p := range pairs(n) {
		e := was[i]
		if e != nil && e != first {
			like = e
		}
		if i > 0 {
			w.put(w.separator(like, first))
		}
		if !w.flowEntry(e, like, p) {
			return false
		}
	}
	w.copy(o.in.entries[len(o.in.entries)-1].to, o.to)
	return true
}

// separator returns what separates an entry in flow style from the one before it, or would if it is the first.
func (w *writer) separator(e, first *entry) string {
	before := w.text[e.before:e.start]
	switch {
	case e != first:
		return before
	case before == "":
		return ", "
	}
	return "," + before
}

// flowEntry writes an entry in flow style; e is what it was in the text, nil if it is new, and then has a line of its
// own if the entry like it has.
func (w *writer) flowEntry(e, like *entry, p pair) bool {
	if e == nil {
		line := ""
		if strings.Contains(w.text[like.before:like.start], "\n") {
			line = w.indentation(like)
		}
		w.put(w.entryInFlow(p, line))
		return true
	}
	if w.old.sum(e.key) == w.new.sum(p.key) {
		w.copy(e.start, e.keyEnd)
	} else {
		w.put(w.inFlow(p.key, ""))
	}
	switch {
	case w.old.sum(e.value) == w.new.sum(p.value):
		w.copy(e.keyEnd, e.to)
		return true
	case e.from < e.to:
		w.copy(e.keyEnd, e.from)
	default:
		w.put(": ")
	}
	return w.flow(e, p.value)
}

// indentation returns what the line of an entry begins with in JSON of several lines, and "" elsewhere.
func (w *writer) indentation(o *entry) string {
	if w.layout.indent == "" {
		return ""
	}
	at := lineStart(w.text, o.start)
	return "\n" + w.text[at:at+len(w.text[at:])-len(strings.TrimLeft(w.text[at:], " \t"))]
}

// inFlow returns the text of a value within flow style. In JSON of several lines, its entries have lines of their own
// below the given beginning of a line; "" stands for one line.
func (w *writer) inFlow(n *yaml.Node, line string) string {
	switch {
	case n.Kind == yaml.AliasNode:
		return "*" + n.Value
	case n.Kind == yaml.ScalarNode && w.json:
		text, err := scalarJSON(n)
		w.failed = w.failed || err != nil
		return text
	case n.Kind == yaml.ScalarNode && isEmptyScalar(n) && n.ShortTag() == yaml.NodeTagNull:
		return strings.TrimPrefix(properties(n)+" null", " ")
	case n.Kind == yaml.ScalarNode:
		c := bare(n)
		if strings.Contains(c.Value, "\n") {
			c.Style = yaml.DoubleQuotedStyle
		}
		text := w.encoded(&yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle, Content: []*yaml.Node{c}})
		return strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	}
	inner, first, separator, last := "", "", ", ", ""
	if line != "" && len(n.Content) > 0 {
		inner = line + w.layout.indent
		first, separator, last = inner, ","+inner, line
	}
	var entries []string
	for _, p := range pairs(n) {
		entries = append(entries, w.entryInFlow(p, inner))
	}
	brackets := [...]string{1: "[]", 2: "{}"}[stepOf(n)]
	text := brackets[:1] + first + strings.Join(entries, separator) + last + brackets[1:]
	return strings.TrimPrefix(properties(n)+" "+text, " ")
}

func (w *writer) entryInFlow(p pair, line string) string {
	if p.key == nil {
		return w.inFlow(p.value, line)
	}
	return w.inFlow(p.key, "") + ": " + w.inFlow(p.value, line)
}
