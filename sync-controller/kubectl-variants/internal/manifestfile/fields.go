// SPDX-License-Identifier: Apache-2.0

package manifestfile

import (
	"bytes"
	"fmt"

	"github.com/package-variants/package-variants/engine/naming"
)

// unknownField begins the decoder's error for an unknown field.
const unknownField = "json: unknown field "

// fieldOf returns the line of an unknown field, and a reason that suggests the field that may be meant.
func fieldOf(o any, kind, field string, text []byte, begin int) (int, string) {
	reason := fmt.Sprintf("a %s has no field %q", kind, field)
	if meant := naming.Field(o, field); meant != "" {
		reason += fmt.Sprintf(": did you mean %q?", meant)
	}
	before, _, found := bytes.Cut(text, []byte(field+":"))
	if !found {
		return begin, reason
	}
	return begin + bytes.Count(before, []byte("\n")), reason
}
