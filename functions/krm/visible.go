// SPDX-License-Identifier: Apache-2.0

package krm

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kptdev/krm-functions-sdk/go/fn"
)

// Visible returns a text as it may be shown on a terminal or a page. Control characters, except line feeds and tabs,
// Unicode's controls of direction (its property Bidi_Control), and bytes that are not UTF-8 are escaped as in a string
// of Go: a name of a package could clear the screen with them, or hide what stands next to it. A text that is visible
// already stays as it is.
func Visible(text string) string {
	if !strings.ContainsFunc(text, IsHidden) && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case IsHidden(r):
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		default:
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String()
}

// IsHidden reports whether a terminal or a browser does something with a character other than show it.
func IsHidden(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
}

// makeVisible makes all texts of results visible.
func makeVisible(results fn.Results) {
	for _, r := range results {
		r.Message = Visible(r.Message)
		if ref := r.ResourceRef; ref != nil {
			r.ResourceRef = &fn.ResourceRef{APIVersion: Visible(ref.APIVersion), Kind: Visible(ref.Kind),
				Namespace: Visible(ref.Namespace), Name: Visible(ref.Name)}
		}
		if r.Field != nil {
			r.Field.Path = Visible(r.Field.Path)
		}
		if r.File != nil {
			r.File.Path = Visible(r.File.Path)
		}
	}
}
