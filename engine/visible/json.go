// SPDX-License-Identifier: Apache-2.0

package visible

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/package-variants/package-variants/functions/krm"
)

// JSON writes a value as JSON, indented, in which what is hidden is escaped: its texts stay as they are for a program,
// and do nothing to a terminal.
func JSON(to io.Writer, value any) error {
	var raw, shown bytes.Buffer
	encoder := json.NewEncoder(&raw)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	for _, r := range raw.String() {
		if krm.IsHidden(r) {
			fmt.Fprintf(&shown, `\u%04x`, r)
		} else {
			shown.WriteRune(r)
		}
	}
	_, err := to.Write(shown.Bytes())
	return err
}
