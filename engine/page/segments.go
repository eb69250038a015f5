// SPDX-License-Identifier: Apache-2.0

package page

import "strings"

// Segment is a part of a message: a text, and the command that it ends with, if any.
type Segment struct{ Text, Command string }

// Segments splits a message after each kubectl command in it, so that users can copy the command. A command follows
// "by: " or another command, and ends at a semicolon.
func Segments(message string) []Segment {
	var out []Segment
	var texts []string
	add := func(command string) {
		out, texts = append(out, Segment{strings.Join(texts, "; "), command}), nil
	}
	for part := range strings.SplitSeq(message, "; ") {
		text, command, found := strings.Cut(part, "by: kubectl ")
		switch {
		case found:
			texts = append(texts, text+"by:")
			add("kubectl " + command)
		case len(out) > 0 && len(texts) == 0 && strings.HasPrefix(part, "kubectl "):
			add(part)
		default:
			texts = append(texts, part)
		}
	}
	if len(texts) > 0 {
		add("")
	}
	return out
}
