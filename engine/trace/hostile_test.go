// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/markdown/markdowntest"
	"github.com/package-variants/package-variants/engine/visible"
	"github.com/package-variants/package-variants/functions/krm"
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

// quoted is a string of a graph.
var quoted = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"`)

// TestHostileTexts checks that each node stays one row of text, and one line of a graph, with its texts as they are.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	printed := func(format, text string) string {
		var out strings.Builder
		n := &Node{Kind: "PackageVariant", Name: text, Revision: text, State: text, Reason: text, Message: text}
		if err := Printers[format](&out, []*Node{{Kind: "Package", Name: "p", Children: []*Node{n}}}, now); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	unquote := strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n")
	for _, text := range markdowntest.Texts {
		if n := strings.Count(printed("wide", text), "\n"); n != 3 {
			t.Errorf("%q: there are %d rows, want 3", text, n)
		}
		got := printed("dot", text)
		if diff := cmp.Diff(quoted.ReplaceAllString(printed("dot", "x"), "TEXT"), quoted.ReplaceAllString(got, "TEXT")); diff != "" {
			t.Errorf("graph of %q (-want +got):\n%s", text, diff)
		}
		all := quoted.FindAllString(got, -1)
		label, tooltip := all[len(all)-3], all[len(all)-1]
		shown := krm.Visible(text)
		message := strings.Split(shown, "\n")
		for i := range message {
			message[i] = visible.Line(message[i])
		}
		want := []string{"\"PackageVariant\n" + visible.Line(shown+" "+shown) + "\n" + visible.Line(shown+", "+shown) + `"`,
			`"` + strings.Join(message, "\n") + `"`}
		if diff := cmp.Diff(want, []string{html.UnescapeString(unquote.Replace(label)),
			html.UnescapeString(unquote.Replace(tooltip))}); diff != "" {
			t.Errorf("label and tooltip of %q (-want +got):\n%s", text, diff)
		}
	}
}
