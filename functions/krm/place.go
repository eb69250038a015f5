// SPDX-License-Identifier: Apache-2.0

package krm

import (
	"bytes"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// placeFeet attaches the comments at the foot of items to the values that they belong to. In a list, unless an empty
// line follows, YAML attaches the last comment of an item to its innermost last value, whatever the comment's
// indentation. So an item with such a comment is parsed separately, from its lines in the ResourceList.
func placeFeet(items []*yaml.RNode, input []byte) {
	var lines [][]byte
	for _, item := range items {
		n := item.YNode()
		if !hasFoot(n) {
			continue
		}
		if lines == nil {
			lines = bytes.Split(input, []byte("\n"))
		}
		alone, err := yaml.Parse(itemText(lines, n.Line-1))
		if err == nil && !alone.IsNil() && identical(n, alone.YNode()) {
			copyFeet(alone.YNode(), n)
		}
	}
}

// itemText returns the text of the item of a ResourceList whose first key is in the given line, as it would be in a
// file; nothing if it is not in block style.
func itemText(lines [][]byte, first int) string {
	for first >= 0 && first < len(lines) && bytes.HasPrefix(lines[first], []byte("  ")) {
		first-- // a comment above the first key
	}
	if first < 0 || first >= len(lines) || !bytes.HasPrefix(lines[first], []byte("- ")) {
		return ""
	}
	var text bytes.Buffer
	text.Write(lines[first][2:])
	for _, line := range lines[first+1:] {
		rest, inside := bytes.CutPrefix(line, []byte("  "))
		if !inside && len(line) > 0 {
			break
		}
		text.WriteByte('\n')
		text.Write(rest)
	}
	text.WriteByte('\n')
	return text.String()
}

// copyFeet gives to the comments at the foot of from, which holds the same values.
func copyFeet(from, to *yaml.Node) {
	to.FootComment = from.FootComment
	for i := range to.Content {
		copyFeet(from.Content[i], to.Content[i])
	}
}
