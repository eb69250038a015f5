// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"cmp"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Held returns the side of a conflict whose value the files of a package have now, SideLocal or SideUpstream; "" if it
// is neither, or if the conflict does not tell enough, as of a Secret.
func Held(files map[string]string, c *Conflict) string {
	here := heldAt(files, c)
	local, updated := here.is(c.Local), here.is(c.Updated)
	switch {
	case local && !updated:
		return SideLocal
	case updated && !local:
		return SideUpstream
	}
	return ""
}

// Settled reports whether the files of a package have something else in the place of a conflict than its merge left
// there: then somebody has decided. It is false where the conflict does not tell enough, as of maps and of the order of
// lists.
func Settled(files map[string]string, c *Conflict) bool {
	here, left, other := heldAt(files, c), c.Local, c.Updated
	if c.Taken == SideUpstream {
		left, other = other, left
	}
	for _, side := range []string{left, other} {
		if side == notShown || strings.HasPrefix(side, inOrderOf) || strings.HasPrefix(side, commentedBy) {
			return false
		}
	}
	isList := strings.HasPrefix(left, "[") || here.elements != nil && strings.HasPrefix(left, shortened)
	told := here.plain && isList == (here.elements != nil) && here.text != Removed
	return !here.is(left) && (told || here.text == other)
}

// held is what files have in the place of a conflict, as conflicts show it; of a list also its elements.
type held struct {
	text     string
	elements []string
	// plain says that it is a scalar, or a list, or nothing.
	plain bool
}

// is reports whether it is, or can be, a value that a conflict shows, which may be a part of it.
func (h held) is(shown string) bool {
	p := cutOff(shown)
	switch without, isWithout := strings.CutPrefix(shown, lacks); {
	case shown == notShown:
		return false
	case shown == h.text || p.isOf(h.text):
		return true
	case isWithout:
		return !slices.ContainsFunc(h.elements, func(e string) bool {
			_, value, _ := strings.Cut(e, " ")
			return strings.Contains(without+", [", "] "+value+", [")
		})
	}
	return p.isOfSome(h.elements)
}

// part is what a conflict shows of a text: all of it, unless it is cut at an end.
type part struct {
	text             string
	cutFront, cutEnd bool
}

// cutOff returns the part of a value that a conflict shows.
func cutOff(shown string) part {
	text, cutFront := strings.CutPrefix(shown, shortened)
	text, cutEnd := strings.CutSuffix(text, shortened)
	return part{text, cutFront, cutEnd}
}

// isOf reports whether it is a part of a text, which is cut.
func (p part) isOf(text string) bool {
	switch {
	case p.cutFront && p.cutEnd:
		return strings.Contains(text, p.text)
	case p.cutFront:
		return strings.HasSuffix(text, p.text)
	}
	return p.cutEnd && strings.HasPrefix(text, p.text)
}

// isOfSome reports whether it is a part of what others shows of some of the elements of a list.
func (p part) isOfSome(elements []string) bool {
	if !p.cutEnd {
		p.text += between
	}
	if !p.cutFront {
		return p.begins(elements)
	}
	for i, e := range elements {
		e += between
		for at := range e {
			rest, found := strings.CutPrefix(p.text, e[at:])
			behind := part{text: rest, cutEnd: p.cutEnd}
			if found && behind.begins(elements[i+1:]) || p.cutEnd && strings.HasPrefix(e[at:], p.text) {
				return true
			}
		}
	}
	return false
}

// begins is isOfSome for a part that begins with an element.
func (p part) begins(elements []string) bool {
	for _, e := range elements {
		switch e += between; {
		case p.cutEnd && strings.HasPrefix(e, p.text):
			return true
		case strings.HasPrefix(p.text, e):
			p.text = p.text[len(e):]
		}
	}
	return p.text == ""
}

// heldAt returns what files have in the place of a conflict.
func heldAt(files map[string]string, c *Conflict) held {
	text, there := files[c.File]
	if !there {
		return held{text: Removed}
	}
	f := read(map[string]string{c.File: text}, nil)[c.File]
	if c.Resource == "" {
		return held{text: describeFile(f, false)}
	}
	i := slices.IndexFunc(f.docs, func(d *document) bool { return d.root != nil && describe(d) == c.Resource })
	switch {
	case i < 0:
		return held{text: Removed}
	case c.Field == "":
		return held{text: showAll(f.docs[i], false)}
	}
	n := valueAt(f.docs[i].body(), c.Field)
	out := held{text: cmp.Or(show(n, false), Removed), plain: n == nil || n.Kind != yaml.MappingNode}
	if n != nil && n.Kind == yaml.SequenceNode {
		out.elements = []string{}
		for i := range n.Content {
			out.elements = append(out.elements, elementShown(n, i))
		}
	}
	return out
}

// valueAt returns the value that a field path of a conflict names; nil if there is none, and the map with it if that
// has the key twice.
func valueAt(n *yaml.Node, path string) *yaml.Node {
	n, path = node.Resolve(n), strings.TrimPrefix(path, ".")
	switch {
	case path == "":
		return n
	case n.Kind == yaml.MappingNode: // keys may have dots in them
		for i := 0; i+1 < len(n.Content); i += 2 {
			rest, found := strings.CutPrefix(path, n.Content[i].Value)
			if !found || rest != "" && rest[0] != '.' && rest[0] != '[' {
				continue
			}
			switch value := valueAt(n.Content[i+1], rest); {
			case len(fieldsOf(n).at[keyID(n.Content[i])]) > 1:
				return n
			case value != nil:
				return value
			}
		}
	case n.Kind == yaml.SequenceNode:
		label, rest, _ := strings.Cut(strings.TrimPrefix(path, "["), "]")
		for _, e := range n.Content {
			if isLabelled(e, label) {
				return valueAt(e, rest)
			}
		}
	}
	return nil
}

// isLabelled reports whether an element of a list is the one with a label.
func isLabelled(element *yaml.Node, label string) bool {
	if element.Kind != yaml.MappingNode {
		return element.Value == label
	}
	for part := range strings.SplitSeq(label, ",") {
		key, value, _ := strings.Cut(part, "=")
		if cmp.Or(node.GetString(element, key), keyDefaults[key]) != value {
			return false
		}
	}
	return true
}
