// SPDX-License-Identifier: Apache-2.0

package git

import (
	"strings"
	"unicode"
)

// IsRefName reports whether git takes a full name of a ref, by the rules of git check-ref-format.
func IsRefName(name string) bool {
	for component := range strings.SplitSeq(name, "/") {
		if component == "" || strings.HasPrefix(component, ".") || strings.HasSuffix(component, ".lock") {
			return false
		}
	}
	return strings.HasPrefix(name, "refs/") && !strings.HasSuffix(name, ".") && !strings.ContainsAny(name, " ~^:?*[\\") &&
		!strings.Contains(name, "..") && !strings.Contains(name, "@{") &&
		!strings.ContainsFunc(name, func(r rune) bool { return r <= unicode.MaxASCII && unicode.IsControl(r) })
}
