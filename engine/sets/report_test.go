// SPDX-License-Identifier: Apache-2.0

package sets

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/rollout"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var errBoom = errors.New("boom")

// conditioned returns a variant of generation 2 whose condition Ready is about a generation.
func conditioned(name string, status metav1.ConditionStatus, reason string, generation int64) *v1alpha1.PackageVariant {
	pv := ownVariant(name, "a")
	pv.Generation = 2
	pv.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: status, Reason: reason,
		ObservedGeneration: generation}}
	return &pv
}

func TestJudge(t *testing.T) {
	ready := func(name string) step {
		return step{do: keep, want: conditioned(name, metav1.ConditionTrue, "UpToDate", 2)}
	}
	moved := func(name string) step {
		return step{do: keep, want: conditioned(name, metav1.ConditionTrue, "BranchMoved", 2)}
	}
	failing := func(name string) step {
		return step{do: keep, want: conditioned(name, metav1.ConditionFalse, "RenderFailed", 2)}
	}
	fresh := func(name string) step { pv := ownVariant(name, "a"); return step{do: create, want: &pv} }
	boom := func(name string) step {
		return step{do: create, want: fresh(name).want, err: fmt.Errorf("cannot create PackageVariant %s: %w", name, errBoom)}
	}
	injected := func(s step, status metav1.ConditionStatus, generation int64) step {
		s.want.Status.Conditions = append(s.want.Status.Conditions,
			metav1.Condition{Type: v1alpha1.ConditionConfigInjected, Status: status, ObservedGeneration: generation})
		return s
	}
	wanted := func(s step) step {
		s.of = s.want
		return s
	}
	spared := func(s step) step {
		s.have, s.spared = s.want, true
		return s
	}
	maybe := func(s step) step {
		s = spared(s)
		s.undecided = true
		return s
	}
	conflict := &packages.Error{Kind: packages.ErrStale, Err: errBoom}
	exists := conflict
	for name, test := range map[string]struct {
		wanted    int
		notes     []string
		empty     []string
		excluded  []mutate.Excluded
		steps     []step
		held      hold
		condition v1alpha1.Condition
		counts    counts
		wait      time.Duration
		err       error
	}{
		"all are ready": {
			wanted: 2, steps: []step{ready("a"), ready("b"), {do: remove, have: fresh("c").want}},
			condition: v1alpha1.Condition{Type: "Ready", Reason: "VariantsReady",
				Message: "2 of 2 variants are ready"}, counts: counts{2, 2, 2, 0},
		},
		"injection is told of those that are not ready, too": {
			wanted: 4, steps: []step{injected(ready("a"), "True", 2), injected(ready("b"), "False", 2),
				injected(failing("c"), "True", 2), injected(fresh("d"), "True", 1)},
			condition: v1alpha1.Condition{Type: "Reconciling", Reason: "VariantsNotReady",
				Message: "2 of 4 variants are not ready: c (RenderFailed), d (Pending)"}, counts: counts{4, 4, 2, 2},
		},
		"a branch has moved": {
			wanted: 3, steps: []step{moved("a"), ready("b"), moved("c")}, counts: counts{3, 3, 3, 0},
			condition: v1alpha1.Condition{Type: "Ready", Reason: "VariantsReady",
				Message: "3 of 3 variants are ready; 2 of them were made from an older commit of the branch that is the " +
					"upstream: to follow it, publish it and name its revision in spec.upstream"},
		},
		"a branch has moved, and a target selects nothing": {
			wanted: 1, notes: []string{"spec.targets[1] selects none"}, steps: []step{moved("a")}, counts: counts{1, 1, 1, 0},
			condition: v1alpha1.Condition{Type: "Ready", Reason: "VariantsReady",
				Message: "1 of 1 variants are ready; 1 of them were made from an older commit of the branch that is the " +
					"upstream: to follow it, publish it and name its revision in spec.upstream; spec.targets[1] selects none"},
		},
		"a branch has moved before the spec did": {
			wanted: 1, steps: []step{{do: update, want: conditioned("a", metav1.ConditionTrue, "BranchMoved", 1)}},
			counts: counts{1, 1, 0, 0},
			condition: v1alpha1.Condition{Type: "Reconciling", Reason: "VariantsNotReady",
				Message: "1 of 1 variants are not ready: a (Pending)"},
		},
		"a target selects nothing": {
			wanted: 1, notes: []string{"spec.targets[1] selects none"}, steps: []step{ready("a")},
			condition: v1alpha1.Condition{Type: "Ready", Reason: "VariantsReady",
				Message: "1 of 1 variants are ready; spec.targets[1] selects none"}, counts: counts{1, 1, 1, 0},
		},
		"nothing was ever selected": {
			condition: v1alpha1.Condition{Type: "Ready", Reason: "VariantsReady", Message: "0 of 0 variants are ready"},
		},
		"all are gone, as is allowed": {
			steps:     []step{{do: remove, have: fresh("a").want}},
			condition: v1alpha1.Condition{Type: "Ready", Reason: "VariantsReady", Message: "0 of 0 variants are ready"},
		},
		"some are not ready": {
			wanted: 6, steps: []step{ready("a"), failing("b"), fresh("c"), {do: waiting, have: fresh("d").want}, failing("e"),
				failing("f")}, counts: counts{6, 5, 1, 0},
			condition: v1alpha1.Condition{Type: "Reconciling", Reason: "VariantsNotReady",
				Message: "5 of 6 variants are not ready: b (RenderFailed), c (Pending), d (being deleted) and 2 more"},
		},
		"a condition is about an older spec": {
			wanted: 1, steps: []step{{do: update, want: conditioned("a", metav1.ConditionTrue, "UpToDate", 1)}},
			counts: counts{1, 1, 0, 0},
			condition: v1alpha1.Condition{Type: "Reconciling", Reason: "VariantsNotReady",
				Message: "1 of 1 variants are not ready: a (Pending)"},
		},
		"an empty selection": {
			notes: []string{"spec.targets[0] selects none"}, empty: []string{"spec.targets[0]"},
			steps: []step{maybe(ready("a")), maybe(failing("b"))},
			condition: v1alpha1.Condition{Type: "Stalled", Reason: "EmptySelection",
				Message: "2 variants that no target wants are kept (a, b), because they may belong to what selects nothing " +
					"(spec.targets[0]): correct it, or the labels that it selects by, or have them deleted by " +
					"spec.allowEmpty: true; spec.targets[0] selects none"},
		},
		"a target selects nothing, and one that is not wanted may be its": {
			wanted: 2, notes: []string{"spec.targets[1] selects none"}, empty: []string{"spec.targets[1]"},
			steps: []step{wanted(ready("a")), wanted(failing("c")), maybe(ready("d"))}, counts: counts{2, 2, 1, 0},
			condition: v1alpha1.Condition{Type: "Stalled", Reason: "EmptySelection",
				Message: "1 variants that no target wants are kept (d), because they may belong to what selects nothing " +
					"(spec.targets[1]): correct it, or the labels that it selects by, or have them deleted by " +
					"spec.allowEmpty: true; spec.targets[1] selects none"},
		},
		"held back: nothing was created, updated or deleted": {
			wanted: 3, steps: []step{ready("a"), fresh("b"), {do: update, have: fresh("c").want, want: ready("c").want},
				{do: remove, have: fresh("d").want}}, held: hold{"Suspended", "there is something to do", ""},
			notes: []string{"spec.targets[1] selects none"}, counts: counts{3, 1, 1, 0},
			condition: v1alpha1.Condition{Type: "Stalled", Reason: "Suspended",
				Message: "there is something to do; spec.targets[1] selects none"},
		},
		"held back, and a name is taken": {
			wanted: 2, steps: []step{{do: taken, have: fresh("a").want}, fresh("b")},
			held: tooManyAnd("it would be too much"), counts: counts{2, 0, 0, 0},
			condition: v1alpha1.Condition{Type: "Stalled", Reason: "TooManyDeletions", Message: "it would be too much"},
		},
		"one cannot be made, of which nothing is known, and one that is not wanted may be it": {
			wanted: 3, excluded: []mutate.Excluded{{Target: "b", Message: "no such label"}},
			steps: []step{wanted(ready("a")), wanted(failing("c")), maybe(ready("d"))}, counts: counts{3, 2, 1, 0},
			condition: v1alpha1.Condition{Type: "Stalled", Reason: "ExpansionFailed",
				Message: "1 of 3 targets cannot be expanded and stay as they are: b: no such label; " +
					"1 variants that no target makes are kept until that is corrected, for any of them may belong to what fails: d"},
		},
		"one cannot be made, and stays": {
			wanted: 2, excluded: []mutate.Excluded{{Target: "b", Message: "no such label"}},
			steps: []step{wanted(ready("a")), spared(ready("b"))}, counts: counts{2, 1, 1, 0},
			condition: v1alpha1.Condition{Type: "Stalled", Reason: "ExpansionFailed",
				Message: "1 of 2 targets cannot be expanded and stay as they are: b: no such label"},
		},
		"a name is taken": {
			wanted: 2, steps: []step{{do: taken, have: fresh("a").want}, ready("b")}, counts: counts{2, 1, 1, 0},
			condition: v1alpha1.Condition{Type: "Stalled", Reason: "NameTaken",
				Message: `PackageVariants that are not this set's have the names of its variants: ` +
					`"a"; delete them, or hand them over to this set by the label config.porch.kpt.dev/packagevariantset: "uid-1"`},
		},
		"a change fails": {
			wanted: 3, steps: []step{boom("a"), {do: taken, have: fresh("b").want}, ready("c")}, counts: counts{3, 1, 1,
				0}, err: errBoom,
			condition: v1alpha1.Condition{Type: "Reconciling", Reason: "ApplyFailed",
				Message: "will try again: cannot create PackageVariant a: boom"},
		},
		"many changes fail": {
			wanted: 5, steps: []step{boom("a"), boom("b"), boom("c"), boom("d"), boom("e")}, counts: counts{5, 0, 0,
				0}, err: errBoom,
			condition: v1alpha1.Condition{Type: "Reconciling", Reason: "ApplyFailed",
				Message: "will try again: cannot create PackageVariant a: boom, cannot create PackageVariant b: " +
					"boom, cannot create PackageVariant c: boom and 2 more"},
		},
		"the cache has not seen a creation": {wanted: 2, steps: []step{{do: create, want: fresh("a").want, err: exists},
			ready("b")}, counts: counts{2, 1, 1, 0}, err: errBehind},
		"the cache has not seen a change": {wanted: 1, steps: []step{{do: update, want: fresh("a").want, err: conflict}},
			counts: counts{1, 0, 0, 0}, err: errBehind},
	} {
		t.Run(name, func(t *testing.T) {
			got := judge(&input{owner: testOwner, spec: &v1alpha2.PackageVariantSetSpec{}, desired: test.wanted,
				notes: test.notes, empty: test.empty, excluded: test.excluded}, test.steps, test.held)
			if diff := cmp.Diff(test.condition, got.condition); diff != "" {
				t.Errorf("condition (-want +got):\n%s", diff)
			}
			if *got.counts != test.counts || got.wait != test.wait || !errors.Is(got.err, test.err) {
				t.Errorf("counts %v, wait %v, error %v; want %v, %v, %v", *got.counts, got.wait, got.err, test.counts, test.wait,
					test.err)
			}
		})
	}
}

func TestFailed(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		want v1alpha1.Condition
		back bool
	}{
		"only the spec heals it": {err: stalled("InvalidSpec", "a\nb"),
			want: v1alpha1.Condition{Type: "Stalled", Reason: "InvalidSpec", Message: "a; b"}},
		"no function-runner": {
			err: fmt.Errorf("cannot expand: %w", &mutate.UnavailableError{Message: "it does not answer",
				Err: errBoom}), back: true,
			want: v1alpha1.Condition{Type: "Reconciling", Reason: "FunctionRunnerUnavailable",
				Message: "will try again: it does not answer"},
		},
		"something else": {err: errBoom, back: true, want: v1alpha1.Condition{Type: "Reconciling", Reason: "ExpansionFailed",
			Message: "will try again: boom"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := failed(test.err)
			if diff := cmp.Diff(test.want, got.condition); diff != "" {
				t.Errorf("condition (-want +got):\n%s", diff)
			}
			if got.wait != 0 || (got.err != nil) != test.back || got.counts != nil {
				t.Errorf("wait %v, error %v, counts %v; want no wait, an error: %v, and no counts", got.wait, got.err, got.counts,
					test.back)
			}
		})
	}
}

// TestUnreadable checks what is reported about unreadable objects that a selector chooses from.
func TestUnreadable(t *testing.T) {
	denied := fmt.Errorf("no right: %w", objects.ErrDenied)
	unknown := fmt.Errorf("no CRD: %w", objects.ErrUnknownKind)
	for name, test := range map[string]struct {
		err  error
		want v1alpha1.Condition
		back bool
	}{
		"not permitted": {err: denied,
			want: v1alpha1.Condition{Type: "Stalled", Reason: v1alpha2.ReasonPermissionMissing, Message: denied.Error()}},
		"not known": {err: unknown, want: v1alpha1.Condition{Type: "Stalled", Reason: v1alpha2.ReasonKindNotFound,
			Message: unknown.Error()}},
		"not answered": {err: errBoom, back: true, want: v1alpha1.Condition{Type: "Reconciling",
			Reason: v1alpha2.ReasonExpansionFailed, Message: "will try again: boom"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := failed(unreadable(test.err))
			if diff := cmp.Diff(test.want, got.condition); diff != "" || (got.err != nil) != test.back {
				t.Errorf("error %v; condition (-want +got):\n%s", got.err, diff)
			}
		})
	}
}

// TestAgain holds after how long a set is planned again: what is refused, within five minutes.
func TestAgain(t *testing.T) {
	refused := []mutate.Excluded{{Name: "web-a"}}
	for name, test := range map[string]struct {
		in   input
		want time.Duration
	}{
		"not at all":                    {input{}, 0},
		"the rollout asks for it":       {input{rolled: rollout.Decision{Again: time.Hour}}, time.Hour},
		"one is refused":                {input{refused: refused}, 5 * time.Minute},
		"the rollout asks for it later": {input{refused: refused, rolled: rollout.Decision{Again: time.Hour}}, 5 * time.Minute},
		"and earlier":                   {input{refused: refused, rolled: rollout.Decision{Again: time.Minute}}, time.Minute},
	} {
		if got := test.in.again(); got != test.want {
			t.Errorf("%s: after %s, want %s", name, got, test.want)
		}
	}
}
