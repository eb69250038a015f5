// SPDX-License-Identifier: Apache-2.0

package functionrunner

import (
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// merge returns the original with what a function changed: what differs between after, which it returned, and before,
// which a function that does nothing returns. What does not differ is the original's own: on its way through YAML, a
// node may lose a comment or get another style. lists says that the function removes elements of lists one by one, as
// functions do in a Kptfile; elsewhere they replace a list, with the comments around what goes. Nodes that are given are
// not changed, but may be shared by the result.
func merge(original, before, after *yaml.Node, lists bool) *yaml.Node {
	if same(before, after) {
		return original
	}
	if original.Kind != before.Kind || before.Kind != after.Kind || len(original.Content) != len(before.Content) {
		replaced := *after
		replaced.FootComment = blocks(original.FootComment, after.FootComment)
		return &replaced
	}
	merged := *original
	for _, field := range []struct {
		to            *string
		before, after string
	}{
		{&merged.Tag, before.Tag, after.Tag}, {&merged.Value, before.Value, after.Value}, {&merged.Anchor, before.Anchor, after.Anchor},
		{&merged.LineComment, before.LineComment, after.LineComment},
	} {
		if field.before != field.after {
			*field.to = field.after
		}
	}
	if before.Style != after.Style {
		merged.Style = after.Style
	}
	if before.HeadComment != after.HeadComment {
		merged.HeadComment = blocks(apart(merged.HeadComment), after.HeadComment)
	}
	if before.FootComment != after.FootComment {
		merged.FootComment = blocks(merged.FootComment, after.FootComment)
	}
	mergeChildren(&merged, original, before, after, lists)
	return &merged
}

// mergeChildren gives merged the children that after has, in its order: the keys and values of a mapping, or the
// elements of a sequence.
func mergeChildren(merged, original, before, after *yaml.Node, lists bool) {
	step := 1
	if after.Kind == yaml.MappingNode {
		step = 2
	}
	places := align(before, after, step)
	kept := map[int][]*yaml.Node{} // by the place in before
	for i, place := range places {
		for k := 0; k < step && place >= 0; k++ {
			kept[place] = append(kept[place], merge(original.Content[place+k], before.Content[place+k], after.Content[i*step+k], lists))
		}
	}
	if step == 2 || lists {
		handOn(merged, original, kept, step)
	}
	merged.Content = nil
	for i, place := range places {
		children := after.Content[i*step : (i+1)*step]
		if place >= 0 {
			children = kept[place]
		}
		merged.Content = append(merged.Content, children...)
	}
}

// handOn gives the comments around children that are gone to their neighbours, as the functions do, unless they describe
// what is gone.
func handOn(merged, original *yaml.Node, kept map[int][]*yaml.Node, step int) {
	rest, last := "", -1
	edit := func(place int) *yaml.Node {
		n := *kept[place][0]
		kept[place][0] = &n
		return &n
	}
	for place := 0; place < len(original.Content); place += step {
		if kept[place] == nil {
			head := original.Content[place].HeadComment
			if step == 2 { // keys go one after the other, each with what the one before has left to it
				head, rest = blocks(rest, head), ""
			}
			rest = blocks(rest, apart(head))
			for _, gone := range original.Content[place : place+step] {
				rest = blocks(rest, gone.FootComment)
			}
			continue
		}
		if rest != "" {
			n := edit(place)
			n.HeadComment, rest = blocks(rest, n.HeadComment), ""
		}
		last = place
	}
	switch {
	case rest == "":
	case last >= 0:
		n := edit(last)
		n.FootComment = blocks(n.FootComment, rest)
	default:
		merged.FootComment = blocks(merged.FootComment, rest)
	}
}

// align returns for each child of after, a pair of a mapping or an element of a sequence, where it stands in before; -1
// for a new one. Keys are matched by name; elements if they are equal, and else by what names them.
func align(before, after *yaml.Node, step int) []int {
	places := make([]int, len(after.Content)/step)
	taken := map[int]bool{-1: true}
	find := func(matches func(child *yaml.Node) bool) int {
		for place := 0; place < len(before.Content); place += step {
			if !taken[place] && matches(before.Content[place]) {
				taken[place] = true
				return place
			}
		}
		return -1
	}
	for i := range places {
		child := after.Content[i*step]
		places[i] = find(func(n *yaml.Node) bool {
			return same(n, child) || step == 2 && n.Kind == child.Kind && n.Value == child.Value && len(n.Content) == 0
		})
	}
	for i := range places {
		if id := name(after.Content[i*step]); places[i] < 0 && id != "" {
			places[i] = find(func(n *yaml.Node) bool { return name(n) == id })
		}
	}
	return places
}

// name returns what tells an element of a sequence from the others, where there is such: a function of a pipeline, a
// condition, a readiness gate.
func name(n *yaml.Node) string {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if slices.Contains([]string{"name", "type", "conditionType"}, n.Content[i].Value) {
			return n.Content[i+1].Value
		}
	}
	return ""
}

// same reports whether two nodes are written in the same way.
func same(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.Style == b.Style && a.Tag == b.Tag && a.Value == b.Value && a.Anchor == b.Anchor &&
		a.HeadComment == b.HeadComment && a.LineComment == b.LineComment && a.FootComment == b.FootComment &&
		slices.EqualFunc(a.Content, b.Content, same)
}

// bare removes the comments that YAML does not bring back where they were: those that an empty line sets off, and those
// at the foot.
func bare(n *yaml.Node) {
	n.HeadComment, n.FootComment = strings.TrimPrefix(strings.TrimPrefix(n.HeadComment, apart(n.HeadComment)), "\n\n"), ""
	for _, child := range n.Content {
		bare(child)
	}
}

// apart returns the blocks of a comment but for the last, which describes what follows it.
func apart(comment string) string {
	return comment[:max(0, strings.LastIndex(comment, "\n\n"))]
}

// blocks joins two comments, either of which may be empty.
func blocks(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}
