// SPDX-License-Identifier: Apache-2.0

package plans

import (
	"errors"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/reconcile"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestFailureOfSet checks which sets count as failed: those that are stopped until a person helps, unless they ask for
// that or were stopped before.
func TestFailureOfSet(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set    Set
		errors []string
		counts map[Action]int
	}{
		"ready":     {set: Set{Condition: Condition{Type: "Ready", Reason: "VariantsReady", Message: "m"}}},
		"deleted":   {set: Set{}},
		"approval":  {set: Set{Condition: Condition{Type: "Reconciling", Reason: "RolloutAwaitingApproval", Message: "m"}}},
		"suspended": {set: Set{Condition: Condition{Type: "Stalled", Reason: "Suspended", Message: "m"}}},
		"broken before": {set: Set{Stalled: Still, Condition: Condition{Type: "Stalled", Reason: "InvalidSpec", Message: "m"}},
			counts: map[Action]int{Stalled: 1}},
		"unforeseen": {set: Set{Error: "boom"}, errors: []string{"PackageVariantSet s: boom"},
			counts: map[Action]int{Fail: 1}},
		"broken": {set: Set{Stalled: Breaks, Condition: Condition{Type: "Stalled", Reason: "InvalidSpec", Message: "m"}},
			errors: []string{"PackageVariantSet s: breaks: InvalidSpec: m"}, counts: map[Action]int{Fail: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.set.Name = "s"
			counts := map[Action]int{Unchanged: 1}
			maps.Copy(counts, c.counts)
			p := &Plan{Sets: []Set{c.set}, Variants: []Variant{{Action: Unchanged}}}
			p.Count()
			if diff := cmp.Diff(counts, p.Counts); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.errors, p.Errors()); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWavesOfUnexpandable checks that a set that cannot be expanded has the waves that its status keeps.
func TestWavesOfUnexpandable(t *testing.T) {
	t.Parallel()
	set := &v1alpha2.PackageVariantSet{}
	set.Status.Rollout = &v1alpha2.RolloutStatus{Waves: []v1alpha2.WaveStatus{{Name: "rest",
		State: "Progressing", Targets: 2, Failed: 1}}}
	got := (&setRecord{after: set}).describe().Waves
	if diff := cmp.Diff([]Wave{{Name: "rest", State: "Progressing", Targets: 2, Failed: 1}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestStallOf checks what counts as broken, by the condition Stalled alone.
func TestStallOf(t *testing.T) {
	t.Parallel()
	condition := func(status metav1.ConditionStatus, reason string) []metav1.Condition {
		return []metav1.Condition{{Type: "Ready", Status: "False", Reason: reason}, {Type: "Stalled", Status: status, Reason: reason}}
	}
	for name, c := range map[string]struct {
		before, after []metav1.Condition
		want          Stall
	}{
		"not looked at": {},
		"waits":         {nil, condition("False", "Pending"), ""},
		"mended":        {condition("True", "InvalidSpec"), condition("False", "UpToDate"), ""},
		"new":           {nil, condition("True", "InvalidSpec"), Breaks},
		"waited before": {condition("False", "Pending"), condition("True", "AnyReason"), Breaks},
		"broken before": {condition("True", "InvalidSpec"), condition("True", "AnyReason"), Still},
		"suspended":     {nil, condition("True", "Suspended"), ""},
		"was suspended": {condition("True", "Suspended"), condition("True", "InvalidSpec"), Breaks},
	} {
		if got := stallOf(c.before, c.after); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestFailsForAReason checks that a plan fails for the last look only, and says why: what failed before was tried again.
func TestFailsForAReason(t *testing.T) {
	t.Parallel()
	failed, done := &reconcile.Look{Err: errors.New("boom")}, &reconcile.Look{}
	for name, c := range map[string]struct {
		looks []*reconcile.Look
		want  string
	}{
		"in the end":  {[]*reconcile.Look{done, failed}, "fail: this would fail: boom"},
		"in between":  {[]*reconcile.Look{failed, done}, "unchanged: "},
		"not at all":  {[]*reconcile.Look{done}, "unchanged: "},
		"no look yet": {nil, "unchanged: "},
	} {
		r := &record{looks: c.looks}
		if got := string(r.action("")) + ": " + r.failure(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestUnmet checks which conditions are reported besides Ready.
func TestUnmet(t *testing.T) {
	t.Parallel()
	got := Unmet([]metav1.Condition{
		{Type: "Approved", Status: "False", Reason: "GatesNotMet", Message: "a gate"}, {Type: "Ready", Status: "True", Reason: "UpToDate"},
		{Type: "ConfigInjected", Status: "False", Reason: "InjectionUnmet", Message: "a point"},
	})
	want := []Condition{{"ConfigInjected", "InjectionUnmet", "a point"}, {"Approved", "GatesNotMet", "a gate"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := Unmet([]metav1.Condition{{Type: "Approved", Status: "False", Reason: "NotReady"}}); got != nil {
		t.Errorf("of a variant that is not ready: %v", got)
	}
}

// TestCount checks that a variant counts for each action that applies to it.
func TestCount(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		action Action
		steps  []Step
		want   map[Action]int
	}{
		"one action": {Create, []Step{{Do: "Create"}, {Do: "Mutate"}}, map[Action]int{Create: 1}},
		"moved":      {Create, []Step{{Do: "Create"}, {Do: "Delete", Revision: "a"}}, map[Action]int{Create: 1, Prune: 1}},
		"published":  {Upgrade, []Step{{Do: "Create"}, {Do: "Approve"}}, map[Action]int{Upgrade: 1, Publish: 1}},
		"moved, and published": {Publish, []Step{{Do: "ProposeDeletion", Revision: "a"}, {Do: "Approve"}},
			map[Action]int{Publish: 1, Prune: 1}},
		"pruned alone": {Prune, []Step{{Do: "Delete", Revision: "a"}}, map[Action]int{Prune: 1}},
		"deleted":      {Delete, []Step{{Do: "Delete", Revision: "a"}, {Do: "RemoveFinalizer"}}, map[Action]int{Delete: 1}},
		"deletion that fails": {Fail, []Step{{Do: "Delete", Revision: "a"}, {Do: "RemoveFinalizer"}},
			map[Action]int{Fail: 1, Delete: 1}},
		"deletion without a finalizer that fails": {Fail, []Step{{Do: "Delete"}}, map[Action]int{Fail: 1, Delete: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &Plan{Variants: []Variant{{Action: c.action, Steps: c.steps}}}
			p.Count()
			if diff := cmp.Diff(c.want, p.Counts); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
		})
	}
}
