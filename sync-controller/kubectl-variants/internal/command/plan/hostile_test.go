// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// TestPrintHostile checks that people see what a terminal or a browser would otherwise obey, in a plan and in what is
// said of a plan that failed.
func TestPrintHostile(t *testing.T) {
	t.Parallel()
	const hostile, shown = "a\x1b[2J\u202eb", `a\x1b[2J\u202eb`
	condition := plans.Condition{Reason: "Suspended", Message: hostile}
	for _, format := range []string{"text", "markdown", "html"} {
		for name, printed := range map[string]func(o *options) error{
			"a plan": func(o *options) error {
				plan := &plans.Plan{About: plans.About{Snapshot: hostile}, Notes: []string{hostile},
					Sets:     []plans.Set{{Name: hostile, Condition: condition}},
					Variants: []plans.Variant{{Name: hostile, Action: plans.Wait, Condition: condition}}}
				plan.Count()
				return o.print(plan)
			},
			"a failure": func(o *options) error {
				failure := errors.New(hostile)
				o.from = hostile
				if err := o.printFailure(failure); !errors.Is(err, failure) {
					return err
				}
				return nil
			},
		} {
			var out bytes.Buffer
			o := &options{env: cli.New(genericiooptions.IOStreams{Out: &out}), format: format}
			if err := printed(o); err != nil {
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
