// SPDX-License-Identifier: Apache-2.0

package plans

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFailureOfSet holds which sets count as failed: those that are stopped until a person helps, unless that is what
// they ask for.
func TestFailureOfSet(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set    Set
		errors []string
		counts map[Action]int
	}{
		"ready":      {set: Set{Condition: Condition{Type: "Ready", Reason: "VariantsReady", Message: "m"}}},
		"deleted":    {set: Set{}},
		"approval":   {set: Set{Condition: Condition{Type: "Reconciling", Reason: "RolloutAwaitingApproval", Message: "m"}}},
		"suspended":  {set: Set{Condition: Condition{Type: "Stalled", Reason: "Suspended", Message: "m"}}},
		"unforeseen": {set: Set{Error: "boom"}, errors: []string{"PackageVariantSet s: boom"}},
		"invalid": {set: Set{Condition: Condition{Type: "Stalled", Reason: "InvalidSpec", Message: "m"}},
			errors: []string{"PackageVariantSet s: InvalidSpec: m"}},
		"not expanded": {set: Set{Condition: Condition{Type: "Stalled", Reason: "ExpansionFailed", Message: "m"}},
			errors: []string{"PackageVariantSet s: ExpansionFailed: m"}},
		"no upstream": {set: Set{Condition: Condition{Type: "Stalled", Reason: "UpstreamNotFound", Message: "m"}},
			errors: []string{"PackageVariantSet s: UpstreamNotFound: m"}},
		"empty": {set: Set{Condition: Condition{Type: "Stalled", Reason: "EmptySelection", Message: "m"}},
			errors: []string{"PackageVariantSet s: EmptySelection: m"}},
		"too many": {set: Set{Condition: Condition{Type: "Stalled", Reason: "TooManyDeletions", Message: "m"}},
			errors: []string{"PackageVariantSet s: TooManyDeletions: m"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.set.Name, c.counts = "s", map[Action]int{Unchanged: 1}
			if len(c.errors) > 0 {
				c.counts[Fail] = 1
			}
			p := &Plan{Sets: []Set{c.set}, Variants: []Variant{{Action: Unchanged}}}
			p.Count()
			if diff := cmp.Diff(c.counts, p.Counts); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.errors, p.Errors()); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}
