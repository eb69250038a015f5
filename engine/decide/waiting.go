// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/revision"
)

// Waiting returns the open draft that comes next for publication, and what it waits for, from a decision and the
// reported condition; nil if there is none. Before anything else, it waits until the variant is ready.
func Waiting(in *Input, d *Decision, told v1alpha1.Condition) *v1alpha1.OpenDraft {
	targets := Targets(in)
	i := slices.IndexFunc(targets, func(r revision.Revision) bool { return r.Open() })
	if i < 0 {
		return nil
	}
	takesBack := cmp.Or(overtaken(in, &targets[i]), inPlaceOfMissing(in, &targets[i]), overBranch(in, &targets[i]),
		removedFromBranch(in, &targets[i]), overInner(in, &targets[i]))
	open := &v1alpha1.OpenDraft{Name: targets[i].Name, Reason: told.Reason, Message: told.Message}
	switch {
	case told.Type != v1alpha1.ConditionReady:
	case d.Approved != nil && d.Approved.Reason != "":
		open.Reason, open.Message = d.Approved.Reason, d.Approved.Message
	case d.Injected != nil && !d.Injected.True:
		open.Reason, open.Message = d.Injected.Reason, d.Injected.Message
	case takesBack != nil:
		open.Reason, open.Message = takesBack.Reason, takesBack.Message
	default:
		open.Reason, open.Message = v1alpha1.ReasonManualApproval, open.Name+" waits for a person to publish it"
		if targets[i].Lifecycle == revision.Proposed {
			open.Message = open.Name + " is proposed, and waits for a person to approve it"
		}
		if mergedConflicts(in, &targets[i]) != nil {
			open.Reason = v1alpha1.ReasonConflicted
		} else if left := leftToPeople(in, &targets[i]); left != nil {
			open.Reason, open.Message = left.Reason, left.Message
		}
	}
	open.Message = v1alpha1.ShortenMessage(open.Message)
	return open
}
