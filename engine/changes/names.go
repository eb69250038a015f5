// SPDX-License-Identifier: Apache-2.0

package changes

import (
	"cmp"
	"slices"
	"strings"
)

// shortest is the length, in bytes, of the shortest value that a name stands for: a shorter one is in too many texts.
const shortest = 3

// names are the names of the values of a package.
type names struct {
	values, names []string
}

// newNames returns the names that stand for a package's own values: the longest value first, and no number, which says
// something else at another place. Of two names with one value, the first counts.
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
		if len(value) < shortest || strings.Trim(value, "0123456789.") == "" || slices.Contains(n.values, value) {
			return true
		}
		n.values = append(n.values, value)
		return false
	})
	return n
}

// inPlaceOf returns a line with names in the place of values that are whole tokens, and notes which names it uses.
func (n *names) inPlaceOf(line string, used map[string]bool) string {
	for i, value := range n.values {
		if !strings.Contains(line, value) {
			continue
		}
		var out strings.Builder
		for rest, before := line, byte(0); ; {
			at := strings.Index(rest, value)
			if at < 0 {
				out.WriteString(rest)
				break
			}
			end := at + len(value)
			if at > 0 {
				before = rest[at-1]
			}
			if out.WriteString(rest[:at]); isToken(before) || end < len(rest) && isToken(rest[end]) {
				out.WriteString(value)
			} else {
				out.WriteString("‹" + n.names[i] + "›")
				used[n.names[i]] = true
			}
			before, rest = value[len(value)-1], rest[end:]
		}
		line = out.String()
	}
	return line
}

// isToken reports whether a byte goes on with a token: a letter, a digit, a dash, or one of the bytes of the brackets
// in which a name is, so that no value is found in a name.
func isToken(b byte) bool {
	return b == '-' || b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b >= 0x80
}
