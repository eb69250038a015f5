// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kptdev/krm-functions-sdk/go/fn"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// hiddenComments returns the comments of a file that kpt does not show to functions: at the top and at the end of a
// document, behind an empty line, and in a document of their own.
func (f *file) hiddenComments() []string {
	var out []string
	if len(f.resources()) == 0 {
		return out
	}
	for _, d := range f.docs {
		all := []string{d.text}
		if d.root != nil {
			all = []string{d.root.HeadComment, d.root.FootComment}
		}
		for _, comment := range all {
			if _, comment = separator(comment); strings.HasPrefix(comment, "#") {
				out = append(out, strings.TrimSpace(comment))
			}
		}
	}
	return out
}

// withHidden returns the resource of an added document as an item. The comments that kpt does not show to functions are
// put at its first and its last key, where kpt keeps them.
func withHidden(root *yaml.Node) *yaml.RNode {
	body := yaml.CopyYNode(root.Content[0])
	if n := len(body.Content); n > 0 && body.Style&yaml.FlowStyle == 0 {
		first, last := body.Content[0], body.Content[n-2]
		first.HeadComment = joined(root.HeadComment, first.HeadComment)
		last.FootComment = joined(last.FootComment, root.FootComment)
	}
	return yaml.NewRNode(body)
}

// joined returns two comments as one. An empty line between them would hide one of them again.
func joined(a, b string) string { return strings.Trim(a+"\n"+b, "\n") }

// hiddenChanges returns results that name the comments which the upstream has in the files of the package, but which a
// function can neither see nor write there: those that it changed, and all of a file that loses its first resource, for
// kpt then writes the file anew.
func (m *merged) hiddenChanges(v versions, source string) fn.Results {
	var out fn.Results
	for _, name := range v.paths() {
		comments := v.updated[name].hiddenComments()
		if v.local[name] != nil && !m.losesFirst(name) {
			was := v.original[name].hiddenComments()
			comments = slices.DeleteFunc(comments, func(c string) bool { return slices.Contains(was, c) })
		}
		if len(comments) == 0 {
			continue
		}
		visible, stays := m.visibleComments(name)
		for _, comment := range comments {
			if stays && !strings.Contains(visible, comment) {
				e := &krm.Error{File: name, Reason: "has the comment " + strconv.Quote(window([]rune(comment), 0)) +
					" upstream, which kpt does not show to functions: if it is not here, copy it from " + source}
				out = append(out, e.Result(fn.Warning))
			}
		}
	}
	return out
}

// losesFirst reports whether the first resource of a file is removed, or moved to another file.
func (m *merged) losesFirst(name string) bool {
	return slices.ContainsFunc(m.results, func(r result) bool {
		return r.local != nil && r.local.file == name && r.local.index == 0 && (r.outcome == gone || r.moved())
	})
}

// visibleComments returns the comments that the resources of a file have after the merge, and whether there are such
// resources.
func (m *merged) visibleComments(name string) (text string, stays bool) {
	var out strings.Builder
	for _, r := range m.results {
		switch {
		case !r.stays() || r.file() != name:
			continue
		case r.local == nil:
			writeComments(&out, withHidden(r.document()).YNode())
		default:
			writeComments(&out, r.document().Content[0])
		}
		stays = true
	}
	return out.String(), stays
}

func writeComments(out *strings.Builder, n *yaml.Node) {
	for _, comment := range []string{n.HeadComment, n.LineComment, n.FootComment} {
		if comment != "" {
			out.WriteString(comment + "\n")
		}
	}
	for _, c := range n.Content {
		writeComments(out, c)
	}
}
