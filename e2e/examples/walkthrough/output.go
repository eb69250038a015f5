// SPDX-License-Identifier: Apache-2.0

package walkthrough

import (
	"regexp"
	"strings"
)

// Result is what one command printed.
type Result struct {
	Command string
	// Output is standard output and standard error, in the order in which they came.
	Output string
}

// IsDiff reports whether what the command prints is a diff.
func (r Result) IsDiff() bool { return strings.HasPrefix(r.Command, "git diff") }

// Join returns what a document shows of results: of those that are diffs, or of all others.
func Join(results []Result, diffs bool) string {
	var out strings.Builder
	for _, r := range results {
		if r.IsDiff() == diffs {
			out.WriteString(r.Output)
		}
	}
	return Settle(out.String())
}

var (
	duration = regexp.MustCompile(`(?m)(\[(?:PASS|FAIL)\] .* in )[0-9.]+m?s$`)
	// What git writes about a file before its lines; the lines that begin with --- and +++ say the same to a reader.
	gitHeader = regexp.MustCompile(`^(diff --git |index [0-9a-f]+\.\.|new file mode |deleted file mode )`)
)

// Tidy returns output without what tells a reader nothing: in diffs, the lines of modes and hashes.
func Tidy(output string) string {
	var lines []string
	for _, line := range strings.Split(output, "\n") {
		if !gitHeader.MatchString(line) {
			lines = append(lines, strings.TrimRight(line, " \t"))
		}
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// Settle returns tidy output without what differs from run to run: durations are 0s.
func Settle(output string) string {
	return duration.ReplaceAllString(Tidy(output), "${1}0s")
}
