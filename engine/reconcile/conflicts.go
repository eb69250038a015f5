// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// fillConflicts sets the conflicts of the merge that was decided. Conflicts of an earlier merge stay as long as its
// draft is open. While a guard holds, they stay as well: the draft may come back with its Repository.
func (o *observation) fillConflicts(status *v1alpha1.PackageVariantStatus, decided *decide.Conflicted) {
	isDraft := func(r revision.Revision) bool { return ofDraft(status, r.Name) }
	open := slices.ContainsFunc(decide.Targets(&o.Input), func(r revision.Revision) bool {
		return r.Open() && isDraft(r)
	}) || decide.Guard(&o.Input) != nil && !slices.ContainsFunc(o.Revisions, isDraft)
	switch {
	case decided == nil && (open || !meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionConflicted)):
		return
	case decided == nil:
		decided = decide.NoConflicts("what was merged is published, or is gone with its draft")
	}
	decided.Set(&status.Conditions, o.pv.Generation)
	conflicts := decided.All()
	status.Conflicts = conflicts[:min(len(conflicts), v1alpha1.MaxConflicts)]
}

// settled returns the conflicts of a draft with these files that people have settled.
func (in *inspection) settled(name string, files map[string]string) (settled []v1alpha1.Conflict) {
	if in.Conflicted != name || len(in.Conflicts) == 0 ||
		in.Saved.Name == name && in.Saved.Content == kpt.Digest(files) { // its pipeline may have changed them
		return nil
	}
	for _, c := range in.Conflicts {
		if c.PendingMerge == "" && c.Taken != "" && merging.Settled(files, &merging.Conflict{File: c.File,
			Resource: c.Resource, Field: c.Field, Local: c.Local, Updated: c.Updated, Taken: c.Taken}) {
			settled = append(settled, c)
		}
	}
	return settled
}

// newConflicts returns the condition of conflicts that need an Event, from the status before and after a reconcile; nil
// if there are none.
func newConflicts(before, after *v1alpha1.PackageVariantStatus) *metav1.Condition {
	now := meta.FindStatusCondition(after.Conditions, v1alpha1.ConditionConflicted)
	if now == nil || now.Status != metav1.ConditionTrue {
		return nil
	}
	known := meta.FindStatusCondition(before.Conditions, v1alpha1.ConditionConflicted)
	if known != nil && known.Message == now.Message && known.Reason == now.Reason {
		return nil
	}
	return now
}
