// SPDX-License-Identifier: Apache-2.0

package yamledit

import (
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// entry is an entry of a map, or an element of a list, as it stands in a text. All but the nodes are offsets.
type entry struct {
	key, value *yaml.Node // key is nil for an element
	// in has the entries of a value that is a map or list; nil for another one.
	in *collection
	// before is where the gap before the entry begins: behind the entry before. The gap before the first entry of an
	// element is that of the element: leads says so.
	before int
	leads  bool
	// start is where the key or the dash begins, keyEnd is behind it, and colon behind the colon, or the dash.
	start, keyEnd, colon int
	// from and to are where the value, with its anchor and tag, begins and ends, and end is behind its last line.
	from, to, end int
	// opaque reports whether the key is marked by a question mark.
	opaque bool
}

// collection is a map or list as it stands in a text.
type collection struct {
	entries []*entry
	// column is where the keys or dashes of one in lines begin.
	column int
	// head is the end of what stands before the entries of one in lines: the line of its key, or the dash before the
	// first entry if inline reports that both stand on one line.
	head   int
	inline bool
	// bare reports whether one in flow style has no brackets.
	bare bool
}

// scanner finds the places of nodes in the text that they were read from. The nodes say what comes next, so their lines
// and columns are not needed.
type scanner struct {
	text   string
	at     int
	failed bool
}

// scan returns the entry that stands for the root of a document; nil if its values are not found in the text.
func scan(text string, document *yaml.Node) *entry {
	s := &scanner{text: text}
	for s.at < len(text) {
		s.space()
		if s.peek() == '%' {
			s.at = lineEnd(text, s.at)
			continue
		}
		if strings.HasPrefix(text[s.at:], "---") && lineStart(text, s.at) == s.at {
			s.at += 3
		}
		break
	}
	root := &entry{value: document.Content[0], colon: s.at}
	s.value(root, -1, false)
	s.finish(root)
	root.start, root.keyEnd, root.colon = root.from, root.from, root.from
	s.space()
	if s.failed || s.at < len(text) && !strings.HasPrefix(text[s.at:], "...") {
		return nil
	}
	return root
}

// peek returns the next character; a line end behind the text.
func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return '\n'
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// skip moves on over the characters of a set.
func (s *scanner) skip(set string) {
	for s.at < len(s.text) && strings.IndexByte(set, s.text[s.at]) >= 0 {
		s.at++
	}
}

// space moves on over white space and comments.
func (s *scanner) space() {
	for {
		s.skip(" \t\n")
		if s.at >= len(s.text) || s.text[s.at] != '#' || s.at > 0 && !isSpace(s.text[s.at-1]) {
			return
		}
		s.at = lineEnd(s.text, s.at)
	}
}

// expect moves on over a character that has to be there.
func (s *scanner) expect(c byte) {
	if s.peek() != c {
		s.failed = true
		return
	}
	s.at++
}

func isEmptyScalar(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.Style&styles == 0
}

// value reads the value of an entry: e.from and e.to. The indentation is the column of the collection around it.
func (s *scanner) value(e *entry, indent int, flow bool) {
	n := e.value
	if isEmptyScalar(n) && n.Anchor == "" && n.Style&yaml.TaggedStyle == 0 {
		e.from, e.to = s.at, s.at
		return
	}
	head := s.at
	s.space()
	e.from = s.at
	if to := s.properties(n, flow); to > 0 {
		head = to
	}
	switch {
	case isEmptyScalar(n):
		s.at = head
	case n.Kind == yaml.AliasNode:
		s.expect('*')
		s.literally(n.Value)
	case n.Kind == yaml.ScalarNode:
		s.scalar(n, indent)
	case n.Style&yaml.FlowStyle != 0 || flow:
		s.flow(e)
	case isCollection(n):
		s.block(e, head)
	default:
		s.failed = true
	}
	e.to = s.at
}

// properties moves on over the anchor and the tag of a value, and returns where they end; 0 if there are none.
func (s *scanner) properties(n *yaml.Node, flow bool) (to int) {
	for s.peek() == '&' || s.peek() == '!' {
		for !isSpace(s.peek()) && (!flow || strings.IndexByte(",[]{}", s.peek()) < 0) {
			s.at++
		}
		if to = s.at; isEmptyScalar(n) {
			s.skip(" ")
		} else {
			s.space()
		}
	}
	return to
}

// scalar moves on over a scalar.
func (s *scanner) scalar(n *yaml.Node, indent int) {
	switch s.peek() {
	case '\'':
		for s.at++; s.peek() != '\'' && s.at < len(s.text) || strings.HasPrefix(s.text[s.at:], "''"); s.at++ {
			if s.text[s.at] == '\'' {
				s.at++
			}
		}
		s.expect('\'')
	case '"':
		for s.at++; s.peek() != '"' && s.at < len(s.text); s.at++ {
			if s.text[s.at] == '\\' {
				s.at++
			}
		}
		s.expect('"')
	case '|', '>':
		s.at, _ = blockEnd(s.text, s.at, indent)
	default:
		s.literally(n.Value)
	}
}

// literally moves on over a text, whose white space may be any.
func (s *scanner) literally(value string) {
	for i := 0; i < len(value) && !s.failed; i++ {
		if !isSpace(value[i]) {
			s.skip(" \t\n")
			s.expect(value[i])
		}
	}
}

// blockEnd returns where a text that is written as a block ends, and how far its lines are indented, 0 if it has none.
func blockEnd(text string, at, indent int) (end, column int) {
	end = lineEnd(text, at)
	header := text[at:end]
	indicators := header[1 : 1+len(header[1:])-len(strings.TrimLeft(header[1:], "+-0123456789"))]
	if digits := strings.Trim(indicators, "+-"); digits != "" {
		column = max(indent, 0) + int(digits[0]-'0')
	}
	for next := end; next < len(text); {
		from := next
		next = lineEnd(text, from)
		content := strings.TrimRight(text[from:next], "\n")
		spaces := len(content) - len(strings.TrimLeft(content, " "))
		switch {
		case spaces < len(content) && column == 0 && spaces > indent:
			column = spaces
		case spaces < len(content) && (column == 0 || spaces < column):
			return end, column
		}
		if spaces < len(content) || strings.Contains(indicators, "+") || column > 0 && spaces > column {
			end = next
		}
	}
	return end, column
}

// block reads a map or list in lines; head is where what stands before it ends.
func (s *scanner) block(of *entry, head int) {
	n := of.value
	start := lineStart(s.text, s.at)
	c := &collection{column: s.at - start, head: min(lineEnd(s.text, head), start)}
	if c.inline = strings.TrimSpace(s.text[start:s.at]) != ""; c.inline {
		c.head = s.at
	}
	of.in = c
	step := stepOf(n)
	for i, before := 0, c.head; i < len(n.Content) && !s.failed; i += step {
		e := &entry{before: before, leads: i == 0 && of.key == nil, value: n.Content[i+step-1]}
		s.space()
		e.start = s.at
		s.failed = s.failed || s.at-lineStart(s.text, s.at) != c.column
		if step == 1 {
			s.expect('-')
			e.keyEnd, e.colon = s.at, s.at
		} else {
			s.key(e, n.Content[i], c.column, false)
		}
		s.value(e, c.column, false)
		s.finish(e)
		c.entries = append(c.entries, e)
		before = e.end
	}
}

// key reads the key of an entry, and the colon behind it.
func (s *scanner) key(e *entry, key *yaml.Node, indent int, flow bool) {
	e.key = key
	if e.opaque = s.peek() == '?' && s.at+1 < len(s.text) && isSpace(s.text[s.at+1]); e.opaque {
		s.at++
	}
	k := entry{value: key}
	s.value(&k, indent, flow)
	e.keyEnd = s.at
	if e.opaque || flow {
		s.space()
	} else {
		s.skip(" \t")
	}
	switch {
	case s.peek() == ':':
		s.at++
	case e.opaque || flow: // without a value
		s.at = e.keyEnd
	default:
		s.failed = true
	}
	e.colon = s.at
}

// finish moves on to the line after an entry.
func (s *scanner) finish(e *entry) {
	if s.at == 0 || s.at == e.colon || s.text[s.at-1] != '\n' {
		s.skip(" \t")
		if c := s.peek(); c != '\n' && (c != '#' || !isSpace(s.text[s.at-1])) {
			s.failed = true
		}
		s.at = lineEnd(s.text, s.at)
	}
	e.end = s.at
}

// flow reads a map or list in flow style.
func (s *scanner) flow(of *entry) {
	n := of.value
	step := stepOf(n)
	brackets := [...]string{1: "[]", 2: "{}"}[step]
	of.in = &collection{bare: step == 2 && s.peek() != '{'} // the one entry of a map in a list
	if !of.in.bare {
		s.expect(brackets[0])
	}
	before := s.at
	for i := 0; i < len(n.Content) && !s.failed; i += step {
		e := &entry{before: before, value: n.Content[i+step-1]}
		s.commas()
		e.start, e.keyEnd, e.colon = s.at, s.at, s.at
		if step == 2 {
			s.key(e, n.Content[i], 0, true)
		}
		s.value(e, 0, true)
		before = e.to
		of.in.entries = append(of.in.entries, e)
	}
	if !of.in.bare {
		s.commas()
		s.expect(brackets[1])
	}
}

// commas moves on over commas, white space and comments.
func (s *scanner) commas() {
	for s.space(); s.peek() == ','; s.space() {
		s.at++
	}
}

// stepOf returns how many nodes an entry of a collection has.
func stepOf(n *yaml.Node) int {
	if n.Kind == yaml.MappingNode {
		return 2
	}
	return 1
}
