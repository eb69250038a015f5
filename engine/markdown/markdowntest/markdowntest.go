// SPDX-License-Identifier: Apache-2.0

// Package markdowntest has texts that attack what shows them, and what tests look at to see that they failed.
package markdowntest

import (
	"regexp"
	"strings"
)

// Texts are values, names and messages by which their author tries to notify people, close issues, give commands to a
// forge, load something from the network, or hide something.
var Texts = []string{
	"@acme/admins", "mail me@acme.org", "fixes #1", "Closes: acme/web#1, !12 and GH-1", "resolves ABC-12",
	"https://evil.example/x", "see www.evil.example", "<https://evil.example>", "[click](http://evil.example)",
	"![x](http://evil.example/x.png)", "[[_TOC_]]", "[a]: http://evil.example", "<!-- ", "-->",
	"<img src=http://evil.example/x onerror=alert(1)>", "</code></pre></details></script><script>alert(1)</script>",
	"&#64;acme &#8238; &lt;b&gt;", ":tada:", "$x$", "*a* _b_ ~~c~~", "a | b |", "`", "``` ````", "x`@acme/admins`y",
	`\`, `\N\G"`, `"><a href=x>`, "' onclick='alert(1)", "{{.}} %{x} ${y}",
	"x\n/close", "x\n\n/merge\n", "/approve", "x\r\n/close", "x\n```\n/close\n",
	"x\n# Heading\n", "x\n\n- [x] done", "x\n---\n", "> quoted\n\ny", "x\n</details>\n\n# y",
	"a\x1b[2Jb\x00", "a\u202eb\u2066c\u200fd", "a\xffb",
}

var (
	span    = regexp.MustCompile("`[^`\n]+`")
	element = regexp.MustCompile("<code>(?:[^][<>`*_{|~$\\\\\n]|<!-- -->)+</code>")
	// found are mentions, references, URLs and markup, as GitLab and Gitea find them in code, too.
	found = regexp.MustCompile(`@|[^&#]#[0-9]|![0-9]|://|(?i:www\.)|[A-Z][A-Z0-9_]+-[0-9]|]\(|<(?:img|script|a) `)
	// commands and hidden are not even to be in a block.
	commands = regexp.MustCompile(`(?m)^/.*`)
	hidden   = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
)

// Bare returns the source of Markdown with CODE in place of each code span and code element, and without the text of
// blocks. It has all of the source that a renderer may take for more than text.
func Bare(source string) string {
	return element.ReplaceAllString(span.ReplaceAllString(withoutBlocks(source), "CODE"), "CODE")
}

// Found returns what a forge finds in the source of Markdown without rendering it.
func Found(source string) []string {
	all := append(commands.FindAllString(source, -1), hidden.FindAllString(source, -1)...)
	return append(all, found.FindAllString(withoutBlocks(source), -1)...)
}

// withoutBlocks returns the source of Markdown without the text of fenced blocks.
func withoutBlocks(source string) string {
	var out strings.Builder
	fence := ""
	for line := range strings.Lines(source) {
		marks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence == "":
			if len(marks) >= len("```") {
				fence, line = marks, "BLOCK\n"
			}
			out.WriteString(line)
		case strings.TrimRight(line, "\n") == fence:
			fence = ""
		}
	}
	return out.String()
}
