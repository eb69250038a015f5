// SPDX-License-Identifier: Apache-2.0

package changes

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// shortest is the length, in bytes, of the shortest value that a name stands for: a shorter one is in too many texts.
const shortest = 3

// names are the names of the values of a package.
type names struct {
	values, names []string
}

// bare matches values that say something else at another place: numbers, and the words of YAML.
var bare = regexp.MustCompile(`^([0-9.]*|true|false|null)$`)

// newNames returns the names that stand for a package's own values: the longest value first. Of two names with one
// value, the first counts.
func newNames(own map[string]string) *names {
	n := &names{}
	for name := range own {
		n.names = append(n.names, name)
	}
	slices.SortFunc(n.names, func(a, b string) int {
		return cmp.Or(len(own[b])-len(own[a]), strings.Compare(a, b))
	})
	n.names = slices.DeleteFunc(n.names, func(name string) bool {
		value := own[name]
		if len(value) < shortest || bare.MatchString(value) || strings.ContainsAny(name+value, "\x00\r\n") ||
			slices.Contains(n.values, value) {
			return true
		}
		n.values = append(n.values, value)
		return false
	})
	return n
}

// mark returns what stands in a line in the place of a value: no text has it, so that no text is taken for a name.
func mark(name string) string { return "\x00" + name + "\x00" }

// found is where a value stands in a line, and the index of its name.
type found struct{ from, to, name int }

// inPlaceOf returns a line with marked names in the place of values that are whole tokens, and notes which names it
// uses. What begins the line of a diff is no part of it.
func (n *names) inPlaceOf(line string, used map[string]bool) string {
	var all []found
	start := 0
	if strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "+ ") {
		start = 2
	}
	for i, value := range n.values {
		for from := start; ; {
			at := strings.Index(line[from:], value)
			if at < 0 {
				break
			}
			f := found{from + at, from + at + len(value), i}
			from = f.from + 1
			overlaps := func(other found) bool { return f.from < other.to && other.from < f.to }
			if isToken(line, f.from-1) || isToken(line, f.to) || slices.ContainsFunc(all, overlaps) {
				continue
			}
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b found) int { return a.from - b.from })
	var out strings.Builder
	end := 0
	for _, f := range all {
		out.WriteString(line[end:f.from] + mark(n.names[f.name]))
		end, used[n.names[f.name]] = f.to, true
	}
	return out.String() + line[end:]
}

// isToken reports whether a token goes on at a byte of a line: with a letter, a digit or a dash.
func isToken(line string, at int) bool {
	if at < 0 || at >= len(line) {
		return false
	}
	b := line[at]
	return b == '-' || b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b >= 0x80
}
