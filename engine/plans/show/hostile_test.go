// SPDX-License-Identifier: Apache-2.0

package show

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/engine/plans"
)

// TestPrintHostile checks that people see what a terminal or a browser would otherwise obey, in a plan and in what is
// said of a plan that failed.
func TestPrintHostile(t *testing.T) {
	t.Parallel()
	const hostile, shown = "a\x1b[2J\u202eb", `a\x1b[2J\u202eb`
	condition := plans.Condition{Reason: "Suspended", Message: hostile}
	for _, format := range []string{"text", "markdown", "html"} {
		for name, printed := range map[string]func(w io.Writer) error{
			"a plan": func(w io.Writer) error {
				plan := &plans.Plan{About: plans.About{Over: hostile}, Notes: []string{hostile},
					Sets:     []plans.Set{{Name: hostile, Condition: condition}},
					Variants: []plans.Variant{{Name: hostile, Action: plans.Wait, Condition: condition}}}
				plan.Count()
				return Print(w, format, plan, false)
			},
			"a failure": func(w io.Writer) error {
				return Failure(w, format, &plans.About{Over: hostile}, errors.New(hostile))
			},
		} {
			var out bytes.Buffer
			if err := printed(&out); err != nil {
				t.Fatal(err)
			}
			if strings.ContainsAny(out.String(), "\x1b\u202e") {
				t.Errorf("%s as %s: what is hostile is raw: %q", name, format, out.String())
			}
			got := strings.NewReplacer(`\\`, `\`, `\[`, `[`).Replace(out.String()) // as Markdown reads it
			if !strings.Contains(got, shown) && (format != "text" || name == "a plan") {
				t.Errorf("%s as %s: it is not shown:\n%s", name, format, got)
			}
		}
	}
}
