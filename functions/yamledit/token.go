// SPDX-License-Identifier: Apache-2.0

package yamledit

import (
	"bytes"
	"cmp"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// properties returns the anchor and the tag of a collection as they are written; "" without them.
func properties(n *yaml.Node) string {
	var out []string
	if n.Anchor != "" {
		out = append(out, "&"+n.Anchor)
	}
	if tag := n.ShortTag(); n.Style&yaml.TaggedStyle != 0 || isCollection(n) && !strings.HasPrefix(tag, "!!") {
		out = append(out, tag)
	}
	return strings.Join(out, " ")
}

// inline returns the text of a leaf without its comment: its first line is for the line of the key or dash that begins
// in a column, and further ones are indented. The lines of a literal block begin in the column of those of o, if it is
// one.
func (w *writer) inline(o *entry, n *yaml.Node, column int) string {
	switch {
	case n.Kind == yaml.AliasNode:
		return "*" + n.Value
	case isCollection(n) && hasComments(n):
		return indented(w.encoded(n), column)
	case isCollection(n):
		return w.inFlow(n, "")
	case n.Style == yaml.LiteralStyle || n.Style == 0 && strings.Contains(n.Value, "\n") && n.Anchor == "":
		indent := 0
		if o != nil && strings.HasPrefix(w.text[o.from:], "|") {
			_, indent = blockEnd(w.text, o.from, column)
		}
		if text, ok := literal(n.Value, cmp.Or(indent, column+w.layout.step())); ok {
			return text
		}
	}
	text := w.encoded(n)
	if strings.Contains(text, "\n") && !reads("k: "+text, n.Value) {
		quoted := *n
		quoted.Style = yaml.DoubleQuotedStyle
		text = w.encoded(&quoted)
	}
	return indented(text, column)
}

func indented(text string, column int) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines[1:] {
		if l != "" {
			lines[i+1] = spaces(column) + l
		}
	}
	return strings.Join(lines, "\n")
}

// reads reports whether a map in a text is read with a string as its one value.
func reads(text, value string) bool {
	var root yaml.Node
	err := yaml.Unmarshal([]byte(text), &root)
	return err == nil && len(root.Content) == 1 && len(root.Content[0].Content) == 2 &&
		root.Content[0].Content[1].Value == value && root.Content[0].Content[1].ShortTag() == yaml.NodeTagString
}

// encoded returns a value as the encoder writes it behind a key.
func (w *writer) encoded(n *yaml.Node) string {
	const key = "k"
	text := w.encode(&yaml.Node{Kind: yaml.MappingNode,
		Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: key}, bare(n)}})
	return strings.TrimPrefix(strings.TrimSuffix(strings.TrimPrefix(text, key+":"), "\n"), " ")
}

func (w *writer) encode(n *yaml.Node) string {
	var out bytes.Buffer
	if err := yaml.NewEncoder(&out).Encode(n); err != nil {
		w.failed = true
	}
	return out.String()
}

// keyText returns the text of a key; a dash for an element, which has no key.
func (w *writer) keyText(key *yaml.Node) string {
	if key == nil {
		return "-"
	}
	c := bare(key)
	text := w.encode(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{c, {Kind: yaml.ScalarNode, Value: "v"}}})
	text, simple := strings.CutSuffix(text, ": v\n")
	w.failed = w.failed || !simple || strings.HasPrefix(text, "?")
	return text
}

// bare returns a copy of a node without comments, and without the tag of a key <<, which the encoder would write.
func bare(n *yaml.Node) *yaml.Node {
	c := *n
	c.HeadComment, c.LineComment, c.FootComment = "", "", ""
	if c.Tag == "!!merge" {
		c.Tag = ""
	}
	return &c
}

// literal returns a text as a literal block whose lines are indented to a column; false if it cannot be one.
func literal(value string, column int) (string, bool) {
	body, header := strings.TrimRight(value, "\n"), "|"
	switch len(value) - len(body) {
	case 0:
		header += "-"
	case 1:
	default:
		header += "+"
	}
	if body == "" || strings.HasPrefix(body, "\n") || body[0] == ' ' || body[0] == '\t' {
		return "", false
	}
	text := header + strings.TrimSuffix(indented("\n"+value, column), "\n")
	return text, reads("k: "+text+"\n", value)
}
