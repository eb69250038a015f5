// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"strings"
	"testing"
)

// TestPrintHostile checks that people see what a terminal or a browser would otherwise obey, such as the reason that
// somebody gives for a suspension.
func TestPrintHostile(t *testing.T) {
	t.Parallel()
	const hostile, shown = "a\x1b[2J\u202eb", `a\x1b[2J\u202eb`
	for format, printer := range Printers {
		if format == "json" { // for programs
			continue
		}
		var out strings.Builder
		suspended := &Node{Kind: "PackageVariant", Name: hostile, Revision: hostile, State: "Suspended", Reason: hostile,
			Message: hostile}
		if err := printer(&out, []*Node{{Kind: "Package", Name: hostile, Children: []*Node{suspended}}}, now); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(out.String(), "\x1b\u202e") {
			t.Errorf("%s: what is hostile is raw: %q", format, out.String())
		}
		got := strings.ReplaceAll(out.String(), `\\`, `\`) // as Graphviz reads it
		if n := strings.Count(got, shown); n < 3 {
			t.Errorf("%s: it is shown %d times:\n%s", format, n, got)
		}
	}
}
