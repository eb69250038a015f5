// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/revision"
)

// Waiting returns the open draft that is to be published next and what that waits for, by a decision and by the
// condition that is told with it; nil if there is none. Before all else, it waits until the variant is ready.
func Waiting(in *Input, d *Decision, told v1alpha1.Condition) *v1alpha1.OpenDraft {
	targets := Targets(in)
	i := slices.IndexFunc(targets, func(r revision.Revision) bool { return r.Open() })
	if i < 0 {
		return nil
	}
	open := &v1alpha1.OpenDraft{Name: targets[i].Name, Reason: told.Reason, Message: told.Message}
	switch {
	case told.Type != v1alpha1.ConditionReady:
	case d.Approved != nil && d.Approved.Reason != "":
		open.Reason, open.Message = d.Approved.Reason, d.Approved.Message
	case d.Injected != nil && !d.Injected.True:
		open.Reason, open.Message = d.Injected.Reason, d.Injected.Message
	case overtaken(in, &targets[i]) != nil:
		open.Reason, open.Message = v1alpha1.ReasonOvertaken, overtaken(in, &targets[i]).Message
	case overBranch(in, &targets[i]) != nil:
		open.Reason, open.Message = v1alpha1.ReasonDownstreamExists, overBranch(in, &targets[i]).Message
	default:
		open.Reason, open.Message = v1alpha1.ReasonManualApproval, open.Name+" waits for a person to propose and approve it"
		if targets[i].Lifecycle == revision.Proposed {
			open.Message = open.Name + " is proposed, and waits for a person to approve it"
		}
	}
	open.Message = v1alpha1.ShortenMessage(open.Message)
	return open
}
