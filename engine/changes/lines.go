// SPDX-License-Identifier: Apache-2.0

package changes

import (
	"path"
	"slices"
	"strings"

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

// changedLines returns the lines that differ between two texts: those that go with "- " before them, and those that
// come with "+ ", where the text has them.
func changedLines(before, after string) []string {
	a, b := slices.Collect(strings.Lines(before)), slices.Collect(strings.Lines(after))
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
