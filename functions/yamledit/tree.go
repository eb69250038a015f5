// SPDX-License-Identifier: Apache-2.0

package yamledit

import (
	"hash/maphash"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// tree is a document with its comments in a form that does not depend on the nodes to which YAML attaches them: the
// comment at the foot of a value and that at the head of the next are in one place.
type tree struct {
	document *yaml.Node
	// leaves are what stands on a line of its own: a scalar or a collection in one line, with its key, or else the key.
	leaves []leaf
	// after are the lines of the comments behind the last leaf.
	after []note
	// first and last are the leaves of an entry, by its value: first is one of it, last is behind it.
	first, last map[*yaml.Node]int
	// parent is the value that a value is in.
	parent map[*yaml.Node]*yaml.Node
	// known are the comments on lines of their own.
	known map[string]bool
	sums  map[*yaml.Node]uint64
}

// leaf has the comments of a leaf: the lines between the leaf before and this one, and the comments on its line.
type leaf struct {
	value  *yaml.Node
	before []note
	line   []string
}

// note is a line of a comment, empty between two comments; of is the value below which it stands, if any.
type note struct {
	text string
	of   *yaml.Node
}

func newTree(document *yaml.Node) *tree {
	t := &tree{
		document: document, sums: map[*yaml.Node]uint64{}, parent: map[*yaml.Node]*yaml.Node{},
		first: map[*yaml.Node]int{}, last: map[*yaml.Node]int{}, known: map[string]bool{},
	}
	if t.note(document.HeadComment, nil); len(t.after) > 0 {
		t.after = append(t.after, note{})
	}
	t.entry(nil, document.Content[0])
	if len(t.after) > 0 && document.FootComment != "" {
		t.after = append(t.after, note{})
	}
	t.note(document.FootComment, nil)
	return t
}

// copied returns a copy of a node in which no two values are the same node.
func copied(n *yaml.Node) *yaml.Node {
	c := *n
	c.Content = nil
	for _, child := range n.Content {
		c.Content = append(c.Content, copied(child))
	}
	return &c
}

// note notes the comments before the next leaf; of is the value below which they stand.
func (t *tree) note(comment string, of *yaml.Node) {
	if comment == "" {
		return
	}
	for text := range strings.SplitSeq(strings.TrimSpace(comment), "\n") {
		if text = marked(text); text != "" || len(t.after) > 0 {
			t.after = append(t.after, note{text, of})
			t.known[text] = true
		}
	}
}

// isBlock reports whether a value is a map or list whose entries have lines of their own.
func isBlock(n *yaml.Node) bool {
	return isCollection(n) && n.Style&yaml.FlowStyle == 0 && len(n.Content) > 0
}

func isCollection(n *yaml.Node) bool {
	return n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode
}

// entry notes the leaves of an entry; the key of an element is nil.
func (t *tree) entry(key, value *yaml.Node) {
	t.first[value] = len(t.leaves)
	l := leaf{value: value}
	foot := ""
	if key != nil {
		t.note(key.HeadComment, nil)
		l.line, foot = comments(key.LineComment), key.FootComment
	}
	switch {
	case !isBlock(value):
		t.note(value.HeadComment, nil)
		l.line = append(l.line, within(value)...)
		t.add(l)
	case key != nil:
		l.line = append(l.line, comments(value.LineComment)...)
		t.add(l)
		t.note(value.HeadComment, nil)
		t.children(value)
	default:
		t.note(value.HeadComment, nil)
		t.note(value.LineComment, nil)
		t.children(value)
	}
	t.note(value.FootComment, value)
	t.note(foot, value)
	t.last[value] = len(t.leaves)
}

func (t *tree) add(l leaf) {
	l.before, t.after = t.after, nil
	t.leaves = append(t.leaves, l)
}

func (t *tree) children(n *yaml.Node) {
	for _, p := range pairs(n) {
		t.parent[p.value] = n
		t.entry(p.key, p.value)
	}
}

// pair is an entry of a map, or an element of a list, which has no key.
type pair struct{ key, value *yaml.Node }

func pairs(n *yaml.Node) []pair {
	var out []pair
	for i := 0; i < len(n.Content); i++ {
		p := pair{value: n.Content[i]}
		if n.Kind == yaml.MappingNode {
			i++
			p = pair{p.value, n.Content[i]}
		}
		out = append(out, p)
	}
	return out
}

// isEntry reports whether a value is that of an entry with a line of its own.
func (t *tree) isEntry(n *yaml.Node) bool {
	_, is := t.first[n]
	return is
}

// comments returns the lines of a comment without the empty ones.
func comments(comment string) []string {
	var out []string
	for text := range strings.SplitSeq(comment, "\n") {
		if text = marked(text); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// marked returns a line of a comment with its mark, which the encoder adds where it is missing.
func marked(text string) string {
	if text = strings.TrimSpace(text); text != "" && text[0] != '#' {
		return "# " + text
	}
	return text
}

// within returns the comments in a value that is a leaf, except those at its head and foot.
func within(n *yaml.Node) []string {
	var out []string
	for _, c := range n.Content {
		out = append(append(append(out, comments(c.HeadComment)...), within(c)...), comments(c.FootComment)...)
	}
	return append(out, comments(n.LineComment)...)
}

// hasComments reports whether there are comments in a leaf, not only on its line. A block is none.
func hasComments(n *yaml.Node) bool {
	return !isBlock(n) && len(within(n)) > len(comments(n.LineComment))
}

// said returns the lines of a gap's comments without the empty ones.
func said(notes []note) []string {
	var out []string
	for _, n := range notes {
		if n.text != "" {
			out = append(out, n.text)
		}
	}
	return out
}

// leaf returns the leaf with which the entry of a value begins.
func (t *tree) leaf(value *yaml.Node) leaf { return t.leaves[t.first[value]] }

// sameComments reports whether the entries of two values have the same comments, but for those before and behind them.
func sameComments(a *tree, x *yaml.Node, b *tree, y *yaml.Node) bool {
	i, j := a.first[x], b.first[y]
	if a.last[x]-i != b.last[y]-j {
		return false
	}
	for n := range a.last[x] - i {
		if !slices.Equal(a.leaves[i+n].line, b.leaves[j+n].line) ||
			n > 0 && !slices.Equal(said(a.leaves[i+n].before), said(b.leaves[j+n].before)) {
			return false
		}
	}
	return true
}

var seed = maphash.MakeSeed()

// styles are those of scalars that count as a difference of text.
var styles = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

// sum returns a number that is the same for nodes that are written alike, but for their comments.
func (t *tree) sum(n *yaml.Node) uint64 {
	if n == nil {
		return 0
	}
	if known, ok := t.sums[n]; ok {
		return known
	}
	type own struct {
		kind               yaml.Kind
		style              yaml.Style
		tag, value, anchor string
		content            uint64
	}
	o := own{kind: n.Kind, tag: n.ShortTag(), value: n.Value, anchor: n.Anchor}
	switch {
	case n.Kind == yaml.ScalarNode && o.tag == yaml.NodeTagNull:
		o.value = ""
	case n.Kind == yaml.ScalarNode:
		o.style = n.Style & styles
	case n.Kind == yaml.AliasNode:
		o.tag = ""
	case len(n.Content) > 0:
		o.style = n.Style & yaml.FlowStyle
	}
	for _, c := range n.Content {
		o.content = maphash.Comparable(seed, [2]uint64{o.content, t.sum(c)})
	}
	t.sums[n] = maphash.Comparable(seed, o)
	return t.sums[n]
}

// differing returns the innermost value of a wanted document that is another one in the document that was read; nil if
// there is none.
func differing(read, wanted *yaml.Node) *yaml.Node {
	if read.Kind != wanted.Kind || read.Anchor != wanted.Anchor || len(read.Content) != len(wanted.Content) {
		return wanted
	}
	if tag := wanted.ShortTag(); wanted.Kind != yaml.AliasNode && tag != read.ShortTag() ||
		tag != yaml.NodeTagNull && read.Value != wanted.Value {
		return wanted
	}
	for i, c := range wanted.Content {
		if d := differing(read.Content[i], c); d != nil {
			if wanted.Kind == yaml.MappingNode && d == c && i%2 == 0 {
				return wanted.Content[i+1]
			}
			return d
		}
	}
	return nil
}

// differingComments returns the value of a wanted document at which its comments are not those that were read; nil if
// all are. Both have the same values.
func differingComments(read, wanted *tree) *yaml.Node {
	for i, l := range wanted.leaves {
		if i >= len(read.leaves) || !slices.Equal(l.line, read.leaves[i].line) ||
			!slices.Equal(said(l.before), said(read.leaves[i].before)) {
			return l.value
		}
	}
	if !slices.Equal(said(read.after), said(wanted.after)) {
		return wanted.leaves[len(wanted.leaves)-1].value
	}
	return nil
}
