// SPDX-License-Identifier: Apache-2.0

// Package markdown writes texts of others into the comments, descriptions and titles of a forge, where nothing of them
// has a meaning: values of packages, names of files, words of servers. Markdown is GitHub's
// (https://github.github.com/gfm) and that of GitLab and Gitea, which extend it; a forge finds more in a text than
// Markdown:
//
//   - Mentions and references (@acme/admins, #1, !12, ABC-12) become links and notify people. All three forges leave
//     them alone in code.
//   - GitLab looks for closing keywords (fixes #1) in the source of a description, whether it is code or not, and Gitea
//     looks for references inside <code> elements. So what begins a reference does not stand in the source at all.
//   - GitLab executes a line that begins with /close, /merge and the like as a command of the account that posts it
//     (https://docs.gitlab.com/user/project/quick_actions). It takes the first ``` in a block of code for its end, even
//     if the block began with more of them. So no line of others begins with a slash, not even in a block.
//   - URLs and addresses of mail become links even in a <code> element, some of them when entities are resolved.
package markdown

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/package-variants/package-variants/engine/visible"
	"github.com/package-variants/package-variants/functions/krm"
)

// apart is a comment, which nobody sees: what stands before and after it is not read as one.
const apart = "<!-- -->"

var (
	// risky is what a forge might find in the source of a code span, and what ends one: a backtick, or a bar in a table.
	risky = regexp.MustCompile("[`|@#!<&]|://|(?i:www\\.)|][(\\[]|\\[\\[|" + key.String())
	// key is a reference to an issue of GitHub (GH-1) or of Jira (ABC-12).
	key = regexp.MustCompile(`([A-Z][A-Z0-9_]+)-([0-9])`)
	// bracketed begins a reference of GitLab such as [issue:12], and unlinked takes the links from texts in brackets.
	bracketed = regexp.MustCompile(`\[([A-Za-z_]+:)`)
	unlinked  = strings.NewReplacer("://", "_//", "](", "_(", "][", "__", "[[", "__", "]:", "_:")
	www       = regexp.MustCompile(`(?i)(www)\.`)
	// entities are numbers where HTML 4 has no name, as parsers of forges know no others.
	entities = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `\`, "&#92;", "`", "&#96;", "*", "&#42;",
		"_", "&#95;", "[", "&#91;", "]", "&#93;", "{", "&#123;", "|", "&#124;", "~", "&#126;", "$", "&#36;", "#", "&#35;",
		"!", "&#33;", "@", "&#64;"+apart, "://", ":"+apart+"//")
)

// Code returns a text as code in a line of Markdown or a cell of a table, on one line; "" if there is no text. It is a
// code span, which people can read in the source, or else a code element.
func Code(text string) string {
	if text = visible.Line(text); text == "" || risky.MatchString(text) {
		return Element(text)
	}
	return "`" + text + "`"
}

// Element returns a text as a code element, for where Markdown is not read: inside a block of HTML.
func Element(text string) string {
	if text = visible.Line(text); text == "" {
		return ""
	}
	text = key.ReplaceAllString(entities.Replace(text), "$1&#45;$2")
	return "<code>" + www.ReplaceAllString(text, "$1"+apart+".") + "</code>"
}

// Block returns a text of several lines as a block of code in a language, with a line feed at its end. A line that
// begins with a slash is indented.
func Block(language, text string) string {
	text = strings.ReplaceAll("\n"+strings.TrimSuffix(krm.Visible(text), "\n"), "\n/", "\n /")
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + text + "\n" + fence + "\n"
}

// maxTitle is the most characters of a title: GitLab takes 255, GitHub 256.
const maxTitle = 200

// Title returns the title of a pull request. Forges show it as text, but find references and mentions in it, and it
// becomes the message of a commit where branches are squashed, which may be the description of the next pull request.
// There is no way to escape them, so an underscore stands for each character that begins one, or the target of a link,
// and for what is not visible.
func Title(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r > unicode.MaxASCII && r != unicode.ReplacementChar && unicode.IsGraphic(r), unicode.IsSpace(r),
			unicode.IsLetter(r), unicode.IsDigit(r), strings.ContainsRune(`-_./:,;()[]+='"?`, r):
			return r
		}
		return '_'
	}, text)
	text = unlinked.Replace(bracketed.ReplaceAllString(visible.Line(text), "_$1"))
	text = key.ReplaceAllString(text, "${1}_$2")
	text = www.ReplaceAllString(text, "${1}_")
	if characters := []rune(text); len(characters) > maxTitle {
		return strings.TrimSpace(string(characters[:maxTitle-len("...")])) + "..."
	}
	return text
}

// Cut returns a text of at most so many bytes, which says that it is cut if it is.
func Cut(text string, most int) string {
	const cut = "... (cut)"
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-len(cut)], "") + cut
}
