// SPDX-License-Identifier: Apache-2.0

package yamledit

import "strings"

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
