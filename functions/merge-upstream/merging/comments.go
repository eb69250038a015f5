// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// commentSet says which comments of the upstream a merge brings. YAML attaches some comments to another value when they
// are read again, so that a second merge would bring them again: then fewer are brought.
type commentSet int

const (
	allComments commentSet = iota
	noFootComments
	noComments
)

// comments are those at a value.
type comments struct{ head, line, foot string }

func commentsOf(n *yaml.Node) comments {
	if n == nil {
		return comments{}
	}
	return comments{n.HeadComment, n.LineComment, n.FootComment}
}

// commentsWith returns the comments that go with an entry of a map, or with an element of a list, which has no key. One
// at the foot of it stays.
func commentsWith(p pair) []string {
	var out []string
	add := func(comment string) {
		if comment = strings.TrimSpace(comment); comment != "" {
			out = append(out, comment)
		}
	}
	var within func(n *yaml.Node)
	within = func(n *yaml.Node) {
		add(node.OwnComment(n.HeadComment))
		add(n.LineComment)
		for _, c := range n.Content {
			within(c)
			add(c.FootComment)
		}
	}
	for _, n := range []*yaml.Node{p.key, p.value} {
		if n != nil {
			within(n)
		}
	}
	return out
}

// newComments returns the comments that go with what is here in place of something, and do not go with that. kpt's is
// nobody's.
func newComments(original, local pair) []string {
	before := map[string]bool{}
	for _, c := range commentsWith(original) {
		before[c] = true
	}
	return slices.DeleteFunc(commentsWith(local), func(c string) bool {
		_, isMark := markOf(c)
		return isMark || before[c]
	})
}

// merged returns the package's comments with what the upstream changed in those that are unchanged here.
func (w *walker) merged(original, local, updated comments) comments {
	if w.comments == noComments || w.inFlow > 0 {
		return local
	}
	out := comments{follow(original.head, local.head, updated.head), follow(original.line, local.line, updated.line),
		follow(original.foot, local.foot, updated.foot)}
	if w.comments == noFootComments {
		out.foot = local.foot
	}
	return out
}

// follow returns the upstream's version of what is unchanged here, and else the package's.
func follow[T comparable](original, local, updated T) T {
	if local == original {
		return updated
	}
	return local
}

// mergeStyle merges what a value, or a key, has besides its value: comments, quotes and the anchor. They are written to
// merged, the node that holds the value after the merge.
func (w *walker) mergeStyle(s sources, merged *yaml.Node) {
	var was yaml.Node
	if s.original != nil {
		was = *s.original
	}
	c := w.merged(commentsOf(s.original), commentsOf(s.local), commentsOf(s.updated))
	if keepsOwn(s, merged) {
		c.line = s.local.LineComment
	}
	anchor := follow(was.Anchor, s.local.Anchor, s.updated.Anchor)
	if merged != s.local {
		anchor = s.updated.Anchor
	}
	style := merged.Style
	if s.all(yaml.ScalarNode) && merged.ShortTag() == s.updated.ShortTag() {
		style = quotes(was.Style, s.local.Style, s.updated.Style)
		if style == 0 && merged.Value != s.updated.Value && node.String(merged.Value).Style != 0 {
			style = merged.Style
		}
	}
	w.changed = w.changed || c != commentsOf(s.local) || anchor != s.local.Anchor || style != merged.Style
	merged.HeadComment, merged.LineComment, merged.FootComment = c.head, c.line, c.foot
	merged.Anchor, merged.Style = anchor, style
	if w.anchors.of != nil && s.updated.Anchor != "" {
		w.anchors.of[s.updated] = merged
	}
}

// keepsOwn reports whether the package keeps its own scalar although the upstream has changed it: what the upstream
// says behind its value is about that.
func keepsOwn(s sources, merged *yaml.Node) bool {
	return s.all(yaml.ScalarNode) && merged.Value != s.updated.Value &&
		(s.original == nil || s.original.Value != s.updated.Value)
}

// quotes returns the style for a scalar: the package's, or the upstream's if it changed or holds several lines.
func quotes(original, local, updated yaml.Style) yaml.Style {
	blocks := yaml.LiteralStyle | yaml.FoldedStyle
	if (local|updated)&blocks != 0 {
		return updated
	}
	return follow(original, local, updated)
}

// pairStyle merges the style of an entry of a map whose value is merged already.
func (w *walker) pairStyle(f field, value *yaml.Node, path string) pair {
	key := f.local.key
	keys := sources{f.original.key, key, f.updated.key}
	if path == yaml.MetadataField { // kpt's comment is nobody's change
		keys.original, keys.updated = withoutMark(keys.original), withoutMark(keys.updated)
		if _, ok := markOf(key.LineComment); ok {
			keys.original = nil
		}
	}
	if path == yaml.APIVersionField && w.otherPlace {
		return pair{key, value}
	}
	w.mergeStyle(keys, key)
	w.mergeStyle(f.values(), value)
	if value.LineComment != "" && value.Style&yaml.FlowStyle == 0 && len(value.Content) > 0 {
		key.LineComment, value.LineComment = value.LineComment, "" // below the key, it would be another value's
	}
	return pair{key, value}
}

// collection merges how a map or list is written: in lines or in one.
func (w *walker) collection(s sources) {
	flow := yaml.FlowStyle
	style := follow(s.original.Style&flow, s.local.Style&flow, s.updated.Style&flow)
	if style == s.local.Style&flow || w.inFlow > 0 || style == flow && !sameNode(s.original, s.local) {
		return
	}
	s.local.Style = s.local.Style&^flow | style
	w.changed = true
}

// enter notes that the walk is in a map or list until the returned function is called.
func (w *walker) enter(n *yaml.Node) (leave func()) {
	if n.Style&yaml.FlowStyle == 0 {
		return func() {}
	}
	w.inFlow++
	return func() { w.inFlow-- }
}
