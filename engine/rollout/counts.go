// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"cmp"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// maxNamed is how many variants a status names at most that have failed, or that wait for a person.
const maxNamed = 10

// counts counts the variants of the set by their state.
func (r *rollout) counts() v1alpha2.VariantCounts {
	c := v1alpha2.VariantCounts{Desired: int32(len(r.targets) + len(r.Excluded)), Failed: int32(len(r.Excluded))}
	for i := range r.targets {
		t := &r.targets[i]
		if t.Have == nil || t.leaving {
			continue
		}
		for _, state := range []struct {
			count *int32
			is    bool
		}{
			{&c.Updated, t.updated},
			{&c.UpToDate, t.updated && isReady(t.Have) && t.Have.Status.Upstream.Name == t.Upstream.Name},
			{&c.PendingApproval, hasOpenRevision(t.Have) && isTrue(t.Have, v1alpha1.ConditionReady)},
			{&c.Conflicted, isConflicted(t.Have)},
			{&c.Suspended, t.suspended},
			{&c.Failed, t.failure != nil},
		} {
			if state.is {
				*state.count++
			}
		}
		if reason := t.awaits(); reason != "" && len(c.Waiting) < maxNamed {
			c.Waiting = append(c.Waiting, v1alpha2.VariantWaiting{Variant: t.Name, Reason: reason})
		}
	}
	return c
}

// awaits returns why a ready target's draft waits for a person; "" if it does not.
func (t *target) awaits() string {
	d := t.Have.Status.OpenDraft
	if d == nil || d.Reason == v1alpha1.ReasonApprovalPending || !isTrue(t.Have, v1alpha1.ConditionReady) {
		return ""
	}
	return d.Reason
}

// hasOpenRevision reports whether a variant has a downstream revision that may still be published.
func hasOpenRevision(pv *v1alpha1.PackageVariant) bool {
	return slices.ContainsFunc(pv.Status.DownstreamTargets, func(d v1alpha1.DownstreamTarget) bool {
		return d.Lifecycle == string(revision.Draft) || d.Lifecycle == string(revision.Proposed)
	})
}

// failures returns the first failures. When the set could first not make a variant is known only from its status.
func (r *rollout) failures() []v1alpha2.VariantFailure {
	var all []v1alpha2.VariantFailure
	for i := range r.targets {
		if f := r.targets[i].failure; f != nil {
			all = append(all, *f)
		}
	}
	for _, e := range r.Excluded {
		f := v1alpha2.VariantFailure{Variant: e.Name, Reason: e.Reason, Since: metav1.NewTime(r.stamp)}
		for _, known := range r.Failures {
			if known.Variant == f.Variant && known.Reason == f.Reason {
				f.Since = known.Since
			}
		}
		all = append(all, f)
	}
	slices.SortStableFunc(all, func(a, b v1alpha2.VariantFailure) int {
		return cmp.Or(a.Since.Compare(b.Since.Time), cmp.Compare(a.Variant, b.Variant))
	})
	return all[:min(len(all), maxNamed)]
}
