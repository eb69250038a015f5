// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/revision"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// maxConflicts is how many conflicts the status names at most.
const maxConflicts = 100

// fillConflicts sets the conflicts of the merge that was decided. Conflicts of an earlier merge stay as long as its
// draft is open.
func (out *result) fillConflicts(status *v1alpha1.PackageVariantStatus, decided *decide.Conflicted) {
	open := slices.ContainsFunc(decide.Targets(&out.Input), func(r revision.Revision) bool {
		return r.Open() && ofDraft(status, r.Name)
	})
	switch {
	case decided == nil && (open || !meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionConflicted)):
		return
	case decided == nil:
		decided = decide.NoConflicts("what was merged is published, or is gone with its draft")
	}
	decided.Set(&status.Conditions, out.pv.Generation)
	status.ConflictCount = int32(len(decided.Conflicts))
	status.Conflicts = decided.Conflicts[:min(len(decided.Conflicts), maxConflicts)]
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
