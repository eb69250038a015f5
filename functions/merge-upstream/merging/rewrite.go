// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"regexp"
	"strings"

	"github.com/package-variants/package-variants/functions/yamledit"
)

// rewritten returns the text of a file that the merge changes. Documents without a resource, such as a comment between
// two separators, stay at the top, or after the resource that they follow; a header stays at the top, too.
func (a *assembly) rewritten() string {
	out, first, behind := a.layout()
	header := ""
	if first != nil && out == "" && (len(a.results) == 0 || a.results[0].local != first) {
		header = headerOf(first.text)
	}
	for i, r := range a.results {
		text := r.rewritten()
		if r.local == first && !r.moved() {
			line, rest := separator(text)
			text = line + strings.TrimPrefix(rest, header)
		}
		switch {
		case i > 0 && !yamledit.IsSeparator(firstLine(text)):
			text = "---\n" + text
		case i == 0 && out == "" && r.local != first:
			text = atTop(text, header)
		}
		out = terminated(out) + text
		if !r.moved() && behind[r.local] != "" {
			out = terminated(out) + behind[r.local]
		}
	}
	return out
}

// atTop returns the text of a resource that becomes the first of its file, below a header.
func atTop(text, header string) string {
	line, rest := separator(text)
	switch {
	case header != "" && !strings.HasPrefix(rest, strings.TrimRight(header, "\n")):
		return header + rest
	case line == "---\n":
		return rest
	}
	return text
}

// rewritten returns the text of a resource in a file that the merge changes, with the separator that it has there.
func (r result) rewritten() string {
	switch r.outcome {
	case keep:
		return r.local.text
	case changed:
		return r.text
	}
	return terminated(r.takenText())
}

// layout returns the text above the first resource of the file, that resource, and the text after each resource. The
// text after one that goes comes after the one before it.
func (a *assembly) layout() (top string, first *document, behind map[*document]string) {
	behind = map[*document]string{}
	if a.local == nil {
		return "", nil, behind
	}
	stays := map[*document]bool{}
	for _, r := range a.results {
		stays[r.local] = !r.moved()
	}
	var last *document
	for _, d := range a.local.docs {
		if d.root != nil && first == nil {
			first = d
		}
		switch {
		case d.root != nil && stays[d]:
			last = d
		case d.root != nil:
		case last == nil:
			top = terminated(top) + d.text
		default:
			behind[last] += d.text
		}
	}
	return top, first, behind
}

// license matches a comment that is about the whole file.
var license = regexp.MustCompile(`(?i)\b(copyright|license|spdx)`)

// headerOf returns the comments at the top of a file that belong to no resource: those that an empty line separates
// from the first resource, or that are a license.
func headerOf(text string) string {
	_, text = separator(text)
	end, header := 0, 0
	for end < len(text) {
		line := firstLine(text[end:])
		blank := strings.TrimSpace(line) == ""
		if !blank && !strings.HasPrefix(line, "#") {
			break
		}
		if end += len(line) + 1; blank {
			header = end
		}
	}
	if end = min(end, len(text)); header == 0 && license.MatchString(text[:end]) {
		header = end
	}
	return text[:min(header, len(text))]
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
