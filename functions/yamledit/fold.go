// SPDX-License-Identifier: Apache-2.0

package yamledit

import (
	"regexp"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// word matches a word of a folded text.
var word = regexp.MustCompile(`\S+`)

// refolded returns a text that is folded over several lines, as it stands in a document, with only those words changed
// that are different; false if it is none, or would be read as something else.
func refolded(text string, was, is *yaml.Node) (string, bool) {
	if !strings.Contains(text, "\n") || was.Kind != is.Kind || was.Style != is.Style || was.Style == yaml.LiteralStyle {
		return "", false
	}
	before, after := strings.Fields(was.Value), strings.Fields(is.Value)
	start, end := 0, len(text)
	switch text[0] {
	case '>':
		start = strings.IndexByte(text, '\n')
	case '"', '\'':
		start, end = 1, end-1
	}
	words := word.FindAllStringIndex(text[start:end], -1)
	if len(words) != len(before) || len(before)*len(after) == 0 {
		return "", false
	}
	same, rest := edges(before, after)
	from, to := between(words, same, rest)
	put := strings.Join(after[same:len(after)-rest], " ")
	switch {
	case put == "" && rest > 0: // what follows moves up
		to = words[len(words)-rest][0]
	case put == "":
		from = words[same-1][1]
	case from == to && same > 0:
		put = " " + put
	case from == to:
		put += " "
	}
	text = text[:start+from] + put + text[start+to:]
	return text, reads("k: "+text, is.Value)
}

// edges returns how many words two texts have in common at the beginning, and then at the end.
func edges(a, b []string) (same, rest int) {
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	for rest < min(len(a), len(b))-same && a[len(a)-1-rest] == b[len(b)-1-rest] {
		rest++
	}
	return same, rest
}

// between returns where the words between the first and the last ones begin and end; without any, where new ones go.
func between(words [][]int, same, rest int) (from, to int) {
	switch last := len(words) - rest; {
	case same < last:
		return words[same][0], words[last-1][1]
	case same > 0:
		return words[same-1][1], words[same-1][1]
	}
	return words[0][0], words[0][0]
}
