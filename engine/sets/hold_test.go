// SPDX-License-Identifier: Apache-2.0

package sets

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// suspendedAnd is the hold of a set that is suspended, and would do something.
func suspendedAnd(would string) hold {
	return hold{"Suspended", "suspended: " + would + "; set spec.suspend to false to continue", would}
}

// tooManyAnd is the hold of a set that would delete too many variants.
func tooManyAnd(message string) hold { return hold{"TooManyDeletions", message, message} }

// TestHold checks what keeps a whole plan from being done. The wanted variants are web-a, web-b and web-e.
func TestHold(t *testing.T) {
	type variants = []v1alpha1.PackageVariant
	wanted := variants{wantedVariant("web-a", "a"), wantedVariant("web-b", "b"), wantedVariant("web-e", "e")}
	current := variants{ownVariant("web-a", "a"), ownVariant("web-b", "b"), ownVariant("web-e", "e")}
	gone := append(variants{ownVariant("web-c", "c"), ownVariant("web-d", "d")}, current...)
	number := func(n int32) *intstr.IntOrString { limit := intstr.FromInt32(n); return &limit }
	share := func(s string) *intstr.IntOrString { limit := intstr.FromString(s); return &limit }
	const tooMany = "nothing is changed, for 2 of the 5 variants of this set would be deleted (web-c, web-d), and " +
		"spec.maxDeletions, which is "
	none := []string{"spec.targets[0].repositorySelector"}
	const remedy = ": correct the targets, or the labels that they select by, or raise spec.maxDeletions"
	for name, test := range map[string]struct {
		spec             v1alpha2.PackageVariantSetSpec
		reason           string
		wanted, existing variants
		empty            []string
		want             hold
	}{
		"nothing holds it": {wanted: wanted, existing: gone},
		"suspended, with nothing to do": {spec: v1alpha2.PackageVariantSetSpec{Suspend: true}, wanted: wanted,
			existing: current},
		"suspended, with a variant that a person suspended": {spec: v1alpha2.PackageVariantSetSpec{Suspend: true},
			wanted: wanted[:1], existing: variants{ownVariant("web-a", "a", suspended)}},
		"suspended": {spec: v1alpha2.PackageVariantSetSpec{Suspend: true}, wanted: wanted,
			existing: variants{ownVariant("web-a", "a", outdated), ownVariant("web-c", "c"), ownVariant("web-d", "d")},
			want:     suspendedAnd("would create 2 (web-b, web-e), update 1 (web-a), delete 2 (web-c, web-d) of its variants")},
		"suspended, and somebody said why": {spec: v1alpha2.PackageVariantSetSpec{Suspend: true}, reason: "freeze until Monday",
			wanted: wanted[:2], existing: current[:1],
			want: hold{"Suspended", "suspended: freeze until Monday; would create 1 (web-b) of its variants; " +
				"set spec.suspend to false to continue", "would create 1 (web-b) of its variants"}},
		"suspended, with a deleted target": {spec: v1alpha2.PackageVariantSetSpec{Suspend: true}, wanted: wanted[:2],
			existing: current,
			want:     suspendedAnd("would delete 1 (web-e) of its variants")},
		"suspended, with an empty selection": {spec: v1alpha2.PackageVariantSetSpec{Suspend: true}, existing: current,
			empty: none},
		"suspended, with one that is being deleted": {spec: v1alpha2.PackageVariantSetSpec{Suspend: true},
			wanted: wanted[:1], existing: variants{ownVariant("web-a", "a", deleted)}},
		"as many deletions as are allowed": {spec: v1alpha2.PackageVariantSetSpec{MaxDeletions: number(2)}, wanted: wanted,
			existing: gone},
		"too many deletions": {spec: v1alpha2.PackageVariantSetSpec{MaxDeletions: number(1)}, wanted: wanted,
			existing: gone, want: tooManyAnd(tooMany + "1, allows 1" + remedy)},
		"as large a share as is allowed": {spec: v1alpha2.PackageVariantSetSpec{MaxDeletions: share("40%")},
			wanted: wanted, existing: gone},
		"too large a share": {spec: v1alpha2.PackageVariantSetSpec{MaxDeletions: share("39%")}, wanted: wanted,
			existing: gone, want: tooManyAnd(tooMany + "39%, allows 1" + remedy)},
		"one that is being deleted does not count": {spec: v1alpha2.PackageVariantSetSpec{MaxDeletions: share("25%")},
			wanted: wanted, existing: append(variants{ownVariant("web-c", "c"), ownVariant("web-d", "d", deleted)},
				current...)},
		"nor does another set's": {spec: v1alpha2.PackageVariantSetSpec{MaxDeletions: number(0)}, wanted: wanted,
			existing: append(variants{ownVariant("web-c", "c", ownedByOther)}, current...)},
		"an empty selection deletes none": {spec: v1alpha2.PackageVariantSetSpec{MaxDeletions: number(0)},
			existing: current, empty: none},
		"an empty selection that is allowed": {
			spec:     v1alpha2.PackageVariantSetSpec{MaxDeletions: number(1), AllowEmpty: true},
			existing: gone[:2], empty: none, want: tooManyAnd("nothing is changed, for 2 of the 2 variants of this set would " +
				"be deleted (web-c, web-d), and spec.maxDeletions, which is 1, allows 1" + remedy)},
		"a downstream that moves is a deletion": {spec: v1alpha2.PackageVariantSetSpec{MaxDeletions: number(0)},
			wanted: wanted[:1], existing: variants{ownVariant("web-z", "z")},
			want: tooManyAnd("nothing is changed, for 1 of the 1 variants of this set would be deleted (web-z), " +
				"and spec.maxDeletions, which is 0, allows 0" + remedy)},
		"suspended, with too many deletions": {
			spec:   v1alpha2.PackageVariantSetSpec{MaxDeletions: number(1), Suspend: true},
			wanted: wanted, existing: gone, want: tooManyAnd(tooMany + "1, allows 1" + remedy)},
	} {
		t.Run(name, func(t *testing.T) {
			in := &input{owner: testOwner, spec: &test.spec, suspendReason: test.reason, wanted: test.wanted,
				desired: len(test.wanted), existing: test.existing, empty: test.empty}
			_, got := planOf(in)
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(hold{})); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestTellSuspended checks what the condition Suspended says, and that it keeps the time since when.
func TestTellSuspended(t *testing.T) {
	set := &v1alpha2.PackageVariantSet{ObjectMeta: metav1.ObjectMeta{Generation: 3}}
	tell := func(step string, o outcome, want string) {
		t.Helper()
		o.setSuspended(set)
		c := meta.FindStatusCondition(set.Status.Conditions, v1alpha1.ConditionSuspended)
		switch {
		case c == nil && want == "":
		case c == nil || c.Status != metav1.ConditionTrue || c.Reason != "Suspended" || c.Message != want ||
			c.ObservedGeneration != set.Generation:
			t.Errorf("%s: the condition is %+v, want %q", step, c, want)
		}
	}
	tell("not suspended", outcome{pending: "there is nothing to do"}, "")
	set.Spec.Suspend = true
	tell("nothing to do", outcome{pending: "there is nothing to do"}, "there is nothing to do")
	since := metav1.Date(2026, 1, 1, 0, 0, 0, 0, metav1.Now().Location())
	set.Status.Conditions[0].LastTransitionTime = since
	set.Generation++
	tell("not to be expanded", outcome{}, "the set cannot be expanded: see the condition Ready")
	set.Annotations = map[string]string{v1alpha1.SuspendReasonAnnotation: "freeze\n until Monday "}
	tell("and why", outcome{pending: "there is nothing to do"}, "freeze until Monday; there is nothing to do")
	if got := set.Status.Conditions[0].LastTransitionTime; !got.Equal(&since) {
		t.Errorf("it is suspended since %v, want %v", got, since)
	}
	set.Spec.Suspend = false
	tell("not any more", outcome{pending: "there is nothing to do"}, "")
}
