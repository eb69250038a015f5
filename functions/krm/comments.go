// SPDX-License-Identifier: Apache-2.0

package krm

import (
	"fmt"

	"github.com/kptdev/krm-functions-sdk/go/fn"
	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/kio/kioutil"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// This file, foot.go, order.go and place.go work around what happens to comments after a function, in kpt, Porch and
// kustomize alike: they run functions by kyaml's runtimeutil.FunctionFilter. Its copyCommentsAndSyncOrder calls
// comments.CopyComments and order.SyncOrder for each resource of the output and the one of the same id annotation in
// the input. Both match the keys of maps by name and the elements of lists by position, so that an element which was
// inserted before others, or has moved, gets the comments and the order of keys of another. And because the resources
// of a ResourceList are items of a list, it is lost which value a comment at their foot belongs to.
//
// All of this could be removed if FunctionFilter matched elements of lists by what identifies them, or copied nothing
// to a resource that comes back with comments. place.go, foot.go and the empty lines that encode.go writes could be
// removed if it passed resources as separate documents. The tests in pairs_test.go and twice_test.go, and e2e/corpus,
// then pass without it.

// guardComments keeps kpt from putting comments where they do not belong. After a function, kpt copies the comments and
// the order of keys of each resource from the function's input to its output, matched by the annotation id: keys of
// maps by name, elements of lists by position. An element that was inserted before others, or that moved up, would get
// those of the element that was there before. A field whose type changed would fail the run, and a YAML alias could end
// up before its anchor. In these cases the output loses its id, and stays as the function wrote it. The results tell
// the user what kpt then cannot keep.
func guardComments(in, out []*yaml.RNode) (results fn.Results) {
	untouched := make(map[*yaml.RNode]bool, len(in))
	byID := make(map[string]*yaml.RNode, len(in))
	for _, item := range in {
		untouched[item] = true
		if id := Annotation(item, kioutil.IdAnnotation); id != "" {
			byID[id] = item
		}
	}
	for _, item := range out {
		if untouched[item] {
			continue
		}
		before := byID[Annotation(item, kioutil.IdAnnotation)]
		if before == nil {
			continue
		}
		read, err := reread(item.YNode())
		if err != nil || wouldMisplace(before.YNode(), withFeetOf(item.YNode(), read)) ||
			wouldMoveAliases(before.YNode(), read) {
			detach(item)
			if mayHideComment(before) {
				results = append(results, detached(before))
			}
			continue
		}
		leaveToKpt(before.YNode(), item.YNode(), read)
	}
	return results
}

// withFeetOf returns read with the comments at the foot of item, which leaveToKpt handles.
func withFeetOf(item, read *yaml.Node) *yaml.Node {
	if !hasFoot(item) || !identical(item, read) {
		return read
	}
	placed := yaml.CopyYNode(read)
	copyFeet(item, placed)
	return placed
}

// mayHideComment reports whether an item can have a comment that kpt does not show: one at the top of its document that
// an empty line sets off. When a first function has run, kpt puts it before the item itself, not before its first key:
// the later ones of a pipeline see it. An item that is from no file has no such comment.
func mayHideComment(item *yaml.RNode) bool {
	n := item.YNode()
	shown := n.HeadComment != "" && n.Style&yaml.FlowStyle == 0
	return Identify(item).File != "" && !shown
}

// detached reports the one comment that kpt keeps by an item's id alone. kpt does not show it to functions, so no
// function can know whether it exists.
func detached(item *yaml.RNode) *fn.Result {
	document := "this file"
	if index := Identify(item).Index; index > 0 {
		document = fmt.Sprintf("document %d of this file", index+1)
	}
	e := Errorf(item, "",
		"if %s begins with a comment and an empty line, such as a license, kpt drops that comment in this run: "+
			"put it back without the empty line; if not, nothing is lost", document)
	return e.Result(fn.Info)
}

// wouldMisplace reports whether kpt's copying of comments from one node to another would change the latter or fail.
func wouldMisplace(from, to *yaml.Node) bool {
	if hasMore(from, to) {
		return true
	}
	switch {
	case node.IsNull(from) || node.IsNull(to):
		return false
	case from.Kind != to.Kind:
		return true
	case to.Kind == yaml.MappingNode:
		return wouldMisplaceIn(from, to)
	case to.Kind == yaml.SequenceNode:
		for i := 0; i < len(to.Content) && i < len(from.Content); i++ {
			if from.Content[i].Value == to.Content[i].Value && wouldMisplace(from.Content[i], to.Content[i]) {
				return true
			}
			// in this order: hasMoved looks at all elements
			if wouldReorder(from.Content[i], to.Content[i]) && hasMoved(from, to, i) {
				return true
			}
		}
	}
	return false
}

// wouldMisplaceIn is wouldMisplace for two mappings, whose keys are matched by name.
func wouldMisplaceIn(from, to *yaml.Node) bool {
	positions := keyPositions(from)
	for i := 0; i+1 < len(to.Content); i += 2 {
		j, found := positions[to.Content[i].Value]
		if !found || isBehindValue(from.Content[j:j+2], to.Content[i:i+2]) {
			continue
		}
		if hasMore(from.Content[j], to.Content[i]) || wouldMisplace(from.Content[j+1], to.Content[i+1]) {
			return true
		}
	}
	return false
}

// isBehindValue reports whether the comment on the line of a key without a value, from, now stands behind its value,
// to: kpt puts it there if the key's comment alone is left to it.
func isBehindValue(from, to []*yaml.Node) bool {
	return node.IsNull(from[1]) && from[0].LineComment != "" &&
		to[1].Kind == yaml.ScalarNode && to[1].Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 &&
		to[0].LineComment == "" && to[1].LineComment == from[0].LineComment
}

// hasMore reports whether from has a comment somewhere where to has none.
func hasMore(from, to *yaml.Node) bool {
	return from.HeadComment != "" && to.HeadComment == "" ||
		from.LineComment != "" && to.LineComment == "" ||
		from.FootComment != "" && to.FootComment == ""
}

// detach removes the annotations by which kpt would match the item with its input, and writes folded scalars as kpt
// does when it copies comments: a run that changes nothing must find them as the run before left them.
func detach(item *yaml.RNode) {
	annotations := node.Get(item.YNode(), "metadata", "annotations")
	kept := annotations.Content[:0]
	for i := 0; i+1 < len(annotations.Content); i += 2 {
		//nolint:staticcheck // kpt sets both
		if key := annotations.Content[i].Value; key != kioutil.IdAnnotation && key != kioutil.LegacyIdAnnotation {
			kept = append(kept, annotations.Content[i], annotations.Content[i+1])
		}
	}
	annotations.Content = kept
	unfold(item.YNode())
}

func unfold(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.Style == yaml.FoldedStyle {
		n.Style = yaml.DoubleQuotedStyle
	}
	for _, c := range n.Content {
		unfold(c)
	}
}
