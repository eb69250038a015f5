// SPDX-License-Identifier: Apache-2.0

package yamledit

import (
	"sort"
	"strings"
)

const byteOrderMark = "\ufeff"

// source is a text in the form in which it is edited: without a byte order mark, with the line ends of Unix, and with
// one at its end. YAML attaches comments to other values where lines end as on Windows.
type source struct {
	text string
	// marked reports whether the text has a byte order mark, and open whether its last line has no end.
	marked, open bool
	// windows are the offsets of the line ends that are those of Windows.
	windows []int
}

func newSource(given string) source {
	var s source
	given, s.marked = strings.CutPrefix(given, byteOrderMark)
	var b strings.Builder
	for {
		at := strings.Index(given, "\r\n")
		if at < 0 {
			break
		}
		b.WriteString(given[:at])
		s.windows = append(s.windows, b.Len())
		b.WriteByte('\n')
		given = given[at+2:]
	}
	b.WriteString(given)
	s.text = b.String()
	if s.open = !strings.HasSuffix(s.text, "\n"); s.open {
		s.text += "\n"
	}
	return s
}

// piece is a part of a result: what the source has from one offset to another, or new text.
type piece struct {
	from, to int
	text     string
}

// restored returns the text of pieces with the line ends of the source; new lines end as most of its lines do. A last
// line end that the source does not have is left out, unless ended is true.
func (s source) restored(pieces []piece, ended bool) string {
	end := "\n"
	if 2*len(s.windows) > strings.Count(s.text, "\n") {
		end = "\r\n"
	}
	var b strings.Builder
	if s.marked {
		b.WriteString(byteOrderMark)
	}
	for _, p := range pieces {
		b.WriteString(strings.ReplaceAll(p.text, "\n", end))
		for at := sort.SearchInts(s.windows, p.from); at < len(s.windows) && s.windows[at] < p.to; at++ {
			b.WriteString(s.text[p.from:s.windows[at]] + "\r\n")
			p.from = s.windows[at] + 1
		}
		b.WriteString(s.text[p.from:p.to])
	}
	out := b.String()
	if s.open && !ended {
		out = strings.TrimSuffix(strings.TrimSuffix(out, "\n"), "\r")
	}
	return out
}

// lineStart returns the offset at which the line of an offset begins.
func lineStart(text string, at int) int { return strings.LastIndexByte(text[:at], '\n') + 1 }

// lineEnd returns the offset behind the line of an offset, with its end.
func lineEnd(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// line is a line of a gap: the offsets of its beginning and end, and the comment on it.
type line struct {
	from, to int
	comment  string
}

// gapLines returns the lines of a gap between two offsets. The comment of a document's separator is that of its line.
func gapLines(text string, from, to int) []line {
	var out []line
	for from < to {
		end := min(lineEnd(text, from), to)
		l := line{from: from, to: end}
		content := strings.TrimSpace(strings.TrimPrefix(text[from:end], "---"))
		if strings.HasPrefix(content, "#") {
			l.comment = content
		}
		out = append(out, l)
		from = end
	}
	return out
}

// gapEnd returns the offset behind the empty lines and the comments that begin at an offset.
func gapEnd(text string, at int) int {
	for at < len(text) {
		end := lineEnd(text, at)
		if content := strings.TrimSpace(text[at:end]); content != "" && content[0] != '#' {
			break
		}
		at = end
	}
	return at
}

// Split cuts a text before each line that separates documents.
func Split(text string) []string {
	var documents []string
	start := 0
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		if at > start && IsSeparator(strings.TrimRight(text[at:end], "\r\n")) {
			documents, start = append(documents, text[start:at]), at
		}
		at = end
	}
	return append(documents, text[start:])
}

// IsSeparator reports whether a line, without its end, separates documents.
func IsSeparator(line string) bool {
	return line == "---" || strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "---\t")
}
