// SPDX-License-Identifier: Apache-2.0

// Package walkthrough reads a document, the README of an example or a page like it, as a walkthrough, commands and what
// they print, and runs it.
//
// A block marked sh holds commands. The blocks marked console and diff that follow it in the same section hold what
// the commands print: the output of git diff is in the diff block, if there is one, and all the rest in the console
// block.
package walkthrough

import (
	"fmt"
	"slices"
	"strings"
)

// The languages of blocks that mean something here. Text outside of blocks has none.
const (
	Prose    = ""
	Commands = "sh"
	Console  = "console"
	Diff     = "diff"
)

// fence begins and ends a block.
const fence = "```"

// Document is a README, or a page.
type Document struct {
	// Title is the heading of the document.
	Title string
	// Sections are the parts of the document by its second-level headings. The first has none.
	Sections []*Section

	lines   []string
	changes map[*Part]string
}

// Section is what stands under a heading.
type Section struct {
	Heading string
	Parts   []*Part
}

// Part is a paragraph, or a block between fences.
type Part struct {
	// Lang is the language of a block, as its opening fence names it, or Prose.
	Lang string
	// Text is the text without the fences and without a newline at its end.
	Text string

	first, last int // the lines of the text in the document: [first, last)
}

// Parse reads a document. A fence that is not closed, or a block of output that no commands precede, is an error.
func Parse(markdown string) (*Document, error) {
	d := &Document{lines: strings.Split(strings.TrimRight(markdown, "\n"), "\n"), changes: map[*Part]string{}}
	section := &Section{}
	d.Sections = []*Section{section}
	commands := false
	for i := 0; i < len(d.lines); {
		line, next := d.lines[i], i+1
		switch {
		case strings.HasPrefix(line, fence):
			p := d.part(strings.TrimPrefix(line, fence), i+1, func(line string) bool { return line == fence })
			if p.last == len(d.lines) {
				return nil, fmt.Errorf("line %d: the fence is not closed", i+1)
			}
			if (p.Lang == Console || p.Lang == Diff) && !commands {
				return nil, fmt.Errorf("line %d: no commands stand before this output in its section", i+1)
			}
			commands = commands || p.Lang == Commands
			section.Parts = append(section.Parts, p)
			next = p.last + 1
		case strings.HasPrefix(line, "# "):
			d.Title = strings.TrimPrefix(line, "# ")
		case strings.HasPrefix(line, "## "):
			section, commands = &Section{Heading: strings.TrimPrefix(line, "## ")}, false
			d.Sections = append(d.Sections, section)
		case line != "":
			p := d.part(Prose, i, func(line string) bool { return line == "" || strings.HasPrefix(line, fence) })
			section.Parts = append(section.Parts, p)
			next = p.last
		}
		i = next
	}
	return d, nil
}

// part returns the part from a line up to one that ends it, or up to the end of the document.
func (d *Document) part(lang string, first int, ends func(line string) bool) *Part {
	p := &Part{Lang: lang, first: first, last: len(d.lines)}
	if n := slices.IndexFunc(d.lines[first:], ends); n >= 0 {
		p.last = first + n
	}
	p.Text = strings.Join(d.lines[p.first:p.last], "\n")
	return p
}

// Replace gives a part another text, which String then writes.
func (d *Document) Replace(p *Part, text string) { d.changes[p] = text }

// String returns the document, with the texts that were replaced.
func (d *Document) String() string {
	var out []string
	next := 0
	for _, s := range d.Sections {
		for _, p := range s.Parts {
			text, changed := d.changes[p]
			if !changed {
				continue
			}
			out = append(out, d.lines[next:p.first]...)
			if text != "" {
				out = append(out, text)
			}
			next = p.last
		}
	}
	return strings.Join(append(out, d.lines[next:]...), "\n") + "\n"
}

// List returns the commands of a block of them: one a line, unless a line ends in a backslash. Comments are left out.
func (p *Part) List() []string {
	var list []string
	text := strings.ReplaceAll(p.Text, "\\\n", "\\\x00")
	for _, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			list = append(list, strings.ReplaceAll(line, "\x00", "\n"))
		}
	}
	return list
}

// Outputs returns the blocks that hold what the commands at position i of the section print; either may be nil.
func (s *Section) Outputs(i int) (console, diff *Part) {
	for _, p := range s.Parts[i+1:] {
		switch p.Lang {
		case Commands:
			return console, diff
		case Console:
			console = p
		case Diff:
			diff = p
		}
	}
	return console, diff
}
