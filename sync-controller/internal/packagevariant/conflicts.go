// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
	"github.com/package-variants/package-variants/sync-controller/internal/porch/kptfile"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/revision"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// maxConflicts is how many conflicts the status names at most.
const maxConflicts = 100

// fillConflicts sets the conflicts of the merge that was decided. Conflicts of an earlier merge stay as long as its
// draft is open. While a guard holds, they stay as well: the draft may come back with its Repository.
func (out *result) fillConflicts(status *v1alpha1.PackageVariantStatus, decided *decide.Conflicted) {
	isDraft := func(r revision.Revision) bool { return ofDraft(status, r.Name) }
	open := slices.ContainsFunc(decide.Targets(&out.Input), func(r revision.Revision) bool {
		return r.Open() && isDraft(r)
	}) || decide.Guard(&out.Input) != nil && !slices.ContainsFunc(out.Revisions, isDraft)
	switch {
	case decided == nil && (open || !meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionConflicted)):
		return
	case decided == nil:
		decided = decide.NoConflicts("what was merged is published, or is gone with its draft")
	}
	if decided.True || len(decided.Ending) == 0 { // or else it is known after the save
		decided.Set(&status.Conditions, out.pv.Generation)
	}
	conflicts := decided.All()
	status.ConflictCount = int32(len(conflicts))
	status.Conflicts = conflicts[:min(len(conflicts), maxConflicts)]
}

// addEarlier adds to the outcome of a merge into a target the conflicts of earlier merges into it, with the values that
// the upstream asked for has: those that the status names, and those of an upgrade that is being finished.
func (r *Reconciler) addEarlier(ctx context.Context, in *inspection, outcome *decide.Merge, base,
	target *revision.Revision, local map[string]string) error {
	unfinished := in.Merges[target.Name].Conflicts
	if !target.Open() || outcome.Err != nil || len(unfinished) == 0 && len(in.Conflicts) == 0 {
		return nil
	}
	original, err := r.original(ctx, base, in.Upstream)
	if err != nil {
		return err
	}
	updated, err := r.shared(ctx, in.Upstream)
	if err != nil {
		return err
	}
	return r.compute(in.observation, "earlier conflicts", func() {
		edited := in.Saved.Name != target.Name || in.Saved.Content != kptfile.Digest(local)
		decide.Inherit(in.Conflicts, outcome.Conflicts, edited)
		outcome.Earlier = refreshed(in.Conflicts, original.Files, updated.Files, local)
		outcome.Conflicts = decide.Union(refreshed(unfinished, original.Files, updated.Files, local), outcome.Conflicts)
	}, original.Files, updated.Files, local)
}

// checkConflicts compares the conflicts in the status with an open draft and the upstream that it is on: the status
// does not say whether the merge that has them, or the one that was to end them, was saved. If the status does not have
// all conflicts, they stay unless some are to end.
func (r *Reconciler) checkConflicts(ctx context.Context, in *inspection, target *revision.Revision,
	local map[string]string) error {
	status := &in.pv.Status
	all := len(status.Conflicts) > 0 && len(status.Conflicts) == int(status.ConflictCount)
	if !target.Open() || !decide.OnUpstream(&in.Input, target) ||
		!all && len(decide.Standing(in.Conflicts)) == len(in.Conflicts) {
		return nil
	}
	upstream, err := r.shared(ctx, in.Upstream)
	if err != nil {
		return err
	}
	if err := r.compute(in.observation, "conflicts", func() {
		in.Conflicts = decide.Standing(refreshed(in.Conflicts, upstream.Files, upstream.Files, local))
	}, upstream.Files, local); err != nil {
		return err
	}
	in.Checked = true
	return nil
}

// refreshed is merging.Refresh for conflicts of a status.
func refreshed(conflicts []v1alpha1.Conflict, original, updated, local map[string]string) (out []v1alpha1.Conflict) {
	known := make([]merging.Conflict, len(conflicts))
	for i, c := range conflicts {
		known[i] = merging.Conflict(c)
	}
	for _, c := range merging.Refresh(known, original, updated, local) {
		out = append(out, v1alpha1.Conflict(c))
	}
	return out
}

// untoldConflicts returns the condition of conflicts that need an Event, from the status before and after a reconcile;
// nil if there are none. If the reconcile before was not completed, it may not have recorded one.
func untoldConflicts(before, after *v1alpha1.PackageVariantStatus) *metav1.Condition {
	now := meta.FindStatusCondition(after.Conditions, v1alpha1.ConditionConflicted)
	if now == nil || now.Status != metav1.ConditionTrue {
		return nil
	}
	known := meta.FindStatusCondition(before.Conditions, v1alpha1.ConditionConflicted)
	if known != nil && known.Message == now.Message && known.Reason == now.Reason && before.ObservedInputs != "" {
		return nil
	}
	return now
}
