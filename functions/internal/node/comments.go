// SPDX-License-Identifier: Apache-2.0

package node

import (
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// RemoveChildren removes n children of parent from position i on, and moves the comments that do not describe them to
// the neighbours.
func RemoveChildren(parent *yaml.Node, i, n int) {
	rest := leadingBlocks(parent.Content[i].HeadComment)
	for _, gone := range parent.Content[i : i+n] {
		rest = joinBlocks(rest, gone.FootComment)
	}
	if n == 2 {
		rest = joinBlocks(rest, footOfCompact(parent.Content[i], parent.Content[i+1]))
	}
	parent.Content = slices.Delete(parent.Content, i, i+n)
	switch {
	case rest == "":
	case i < len(parent.Content):
		parent.Content[i].HeadComment = joinBlocks(rest, parent.Content[i].HeadComment)
	case i >= n:
		parent.Content[i-n].FootComment = joinBlocks(parent.Content[i-n].FootComment, rest)
	default:
		parent.FootComment = joinBlocks(parent.FootComment, rest)
	}
}

// footOfCompact returns the comment below a list that begins in the column of its key. The comment may belong to the
// map that contains the key, but YAML attaches it to the list's last element, which is in the same column.
func footOfCompact(key, list *yaml.Node) string {
	if list.Kind != yaml.SequenceNode || list.Column != key.Column || len(list.Content) == 0 {
		return ""
	}
	return list.Content[len(list.Content)-1].FootComment
}

// OwnComment returns the last block of a head comment, which describes what follows it.
func OwnComment(comment string) string {
	return strings.TrimSpace(comment[len(leadingBlocks(comment)):])
}

// leadingBlocks returns the blocks of a head comment except the last, which describes what follows it.
func leadingBlocks(comment string) string {
	i := strings.LastIndex(comment, "\n\n")
	if i < 0 {
		return ""
	}
	return comment[:i]
}

func joinBlocks(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}
