// SPDX-License-Identifier: Apache-2.0

package changes

import (
	"crypto/sha256"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/pmezard/go-difflib/difflib"
)

// isKptfile reports whether a file is the Kptfile of a package.
func isKptfile(name string) bool { return path.Base(name) == "Kptfile" }

// withoutLock returns a Kptfile without what every upgrade changes in it: its fields upstream and upstreamLock.
func withoutLock(text string) string {
	var out strings.Builder
	left := false
	for line := range strings.Lines(text) {
		if line[0] != ' ' && line[0] != '-' && line[0] != '#' && strings.TrimSpace(line) != "" {
			left = strings.HasPrefix(line, "upstream:") || strings.HasPrefix(line, "upstreamLock:")
		}
		if !left {
			out.WriteString(line)
		}
	}
	return out.String()
}

// identifying are the lines that say what a resource is upstream, and nothing else: its annotation, and in a Kptfile a
// pair and the key of all pairs.
var identifying = regexp.MustCompile(strings.ReplaceAll(`^ +(internal\.kpt\.dev/upstream-identifier: '?ID'?|ID: ID|`+
	`config\.porch\.kpt\.dev/upstream-identifiers: \|-?)\s*$`, "ID", `[\w./:-]*(\|[\w./:-]*){3}`))

// withoutIdentifiers returns a text without such lines, and without annotations that have nothing else. The first
// upgrade after an adoption writes them into each package with the names that its resources have there.
func withoutIdentifiers(text string) string {
	if !strings.Contains(text, "upstream-identifier") {
		return text
	}
	lines := slices.Collect(strings.Lines(text))
	var out []string
	for i, line := range lines {
		if !identifying.MatchString(line) {
			out = append(out, line)
			continue
		}
		last, ends := len(out)-1, i+1 == len(lines) || indentOf(lines[i+1]) < indentOf(line)
		if ends && last >= 0 && strings.TrimSpace(out[last]) == "annotations:" && indentOf(out[last]) < indentOf(line) {
			out = out[:last]
		}
	}
	return strings.Join(out, "")
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// changedLines returns the lines that differ between two texts: those that go with "- " before them, and those that
// come with "+ ", where the text has them. What is no text is one line. A text is "" where there is no file.
func changedLines(before, after string) []string {
	a, b := linesOf(before), linesOf(after)
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] { // most of a file, for which comparing is dear
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	var out []string
	for _, op := range difflib.NewMatcherWithJunk(a, b, false, nil).GetOpCodes() {
		if op.Tag == 'e' {
			continue
		}
		for _, line := range a[op.I1:op.I2] {
			out = append(out, "- "+strings.TrimRight(line, "\r\n"))
		}
		for _, line := range b[op.J1:op.J2] {
			out = append(out, "+ "+strings.TrimRight(line, "\r\n"))
		}
	}
	return out
}

// linesOf returns the lines of a text.
func linesOf(text string) []string {
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		return []string{fmt.Sprintf("(no text: %d bytes, sha256 %.6x)", len(text), sha256.Sum256([]byte(text)))}
	}
	return slices.Collect(strings.Lines(text))
}

// isOfFile reports whether a conflict is about a whole file, of which it has digests.
func isOfFile(c v1alpha1.Conflict) bool { return c.Resource == "" && c.Field == "" }

// conflictLines say what both sides have of a conflict: of a whole file, the lines that differ.
func conflictLines(c *v1alpha1.Conflict, p *Package) []string {
	if isOfFile(*c) && p.Upstream != nil {
		if lines := changedLines(p.After[c.File], p.Upstream[c.File]); len(lines) > 0 {
			return append([]string{c.Place() + ": both sides changed it; - is in the draft, + is upstream"}, lines...)
		}
	}
	return []string{c.Place() + ": " + c.Sides()}
}
