// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"strings"

	"github.com/package-variants/package-variants/e2e/examples/walkthrough"
)

// width is the longest that a line of prose gets.
const width = 90

// indent is what stands before commands and what they print.
const indent = "  "

// Colours, as terminals take them.
const (
	plain = "\x1b[0m"
	bold  = "\x1b[1m"
	dim   = "\x1b[2m"
	red   = "\x1b[31m"
	green = "\x1b[32m"
	cyan  = "\x1b[36m"
)

// page writes the demo for a reader. Write errors are not reported: there is no reader left.
type page struct {
	out    io.Writer
	colour bool
}

// colours reports whether to write colours to a file: to a terminal that has them, unless the user wants none
// (https://no-color.org).
func colours(f *os.File, getenv func(string) string) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
}

func (p *page) paint(colour, text string) string {
	if !p.colour || text == "" {
		return text
	}
	return colour + text + plain
}

// title writes the heading of the whole.
func (p *page) title(text string) {
	fmt.Fprintf(p.out, "%s\n%s\n\n", p.paint(bold, text), strings.Repeat("=", len(text)))
}

// heading writes the heading of a step.
func (p *page) heading(text string) {
	fmt.Fprintln(p.out, p.paint(bold+cyan, text))
}

// prose writes a paragraph of Markdown that stands in a file in dir.
func (p *page) prose(markdown, dir string) {
	fmt.Fprintf(p.out, "%s\n\n", wrap(unlink(markdown, dir), width))
}

// quote writes a piece of a file.
func (p *page) quote(text string) {
	for _, line := range strings.Split(text, "\n") {
		fmt.Fprintf(p.out, "%s%s\n", indent, p.paint(dim, line))
	}
	fmt.Fprintln(p.out)
}

// command writes a command, as the user would type it. Further lines of it stand below the first.
func (p *page) command(text string) {
	fmt.Fprintf(p.out, "$ %s\n", p.paint(bold, strings.ReplaceAll(text, "\n", "\n  ")))
}

// output writes what a command printed. That kpt starts a function is left out: it says next how the function ended.
func (p *page) output(r walkthrough.Result) {
	text := walkthrough.Tidy(r.Output)
	if text == "" {
		return
	}
	for _, line := range strings.Split(text, "\n") {
		if !r.IsDiff() && strings.HasPrefix(line, "[RUNNING] ") {
			continue
		}
		fmt.Fprintln(p.out, strings.TrimRight(indent+p.paint(lineColour(line, r.IsDiff()), line), " "))
	}
}

// end ends the commands of a step.
func (p *page) end() { fmt.Fprintln(p.out) }

// lineColour returns the colour of a line: of a diff, or of what kpt says about a function.
func lineColour(line string, diff bool) string {
	switch {
	case !diff && strings.HasPrefix(line, "[PASS]"):
		return green
	case !diff:
		return plain
	case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "):
		return bold
	case strings.HasPrefix(line, "+"):
		return green
	case strings.HasPrefix(line, "-"):
		return red
	case strings.HasPrefix(line, "@@"):
		return cyan
	default:
		return plain
	}
}

var link = regexp.MustCompile(`\[([^\]]+)\]\(([^)]+)\)`)

// unlink writes links as text, with the file that they lead to, as seen from the root of the repository.
func unlink(markdown, dir string) string {
	return link.ReplaceAllStringFunc(markdown, func(s string) string {
		m := link.FindStringSubmatch(s)
		to := m[2]
		if !strings.Contains(to, "://") {
			to = path.Join(dir, to)
		}
		if m[1] == to {
			return to
		}
		return m[1] + " (" + to + ")"
	})
}

// wrap breaks text into lines of at most limit characters, where its words allow.
func wrap(text string, limit int) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > limit {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return strings.Join(append(lines, line), "\n")
}
