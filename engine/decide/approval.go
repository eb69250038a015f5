// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"errors"
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/words"
)

// ApproverRole is the ClusterRole that lets the controller approve package revisions. Nothing binds it by default.
const ApproverRole = "package-variants-approver"

// errMayNotApprove makes the controller retry an approval: no event reports that a role was bound.
var errMayNotApprove = errors.New("the controller may not approve package revisions")

// approvals are tried in this order for each open target; the first that has an aspect keeps it from being published.
var approvals = []func(*Input, *revision.Revision) *Aspect{
	laterRevision, leftToPeople, editedByOthers, rejected, overtaken, inPlaceOfMissing, overBranch, removedFromBranch,
	overInner, notRendered, mergedConflicts, gatesNotMet, mayNotApprove,
}

// Approving reports whether the policy of a variant may have its drafts published.
func Approving(in *Input) bool {
	return in.Spec.ApprovalPolicy == variant.ApprovalPolicyInitial ||
		in.Spec.ApprovalPolicy == variant.ApprovalPolicyAutomatic
}

// approve proposes the open targets of a variant that is ready, and approves those that are proposed. The home refuses
// if a target has changed since the controller read it.
func approve(in *Input, targets []revision.Revision) []Step {
	var steps []Step
	for i := range targets {
		target := &targets[i]
		if !Approving(in) || !target.Open() || unapproved(in, target) != nil {
			continue
		}
		action := Propose
		if target.Lifecycle == revision.Proposed {
			action = Approve
		}
		steps = append(steps, Step{Action: action, Revision: target})
	}
	return steps
}

// approved returns the condition Approved. It describes the first target that is not published.
func approved(in *Input, targets []revision.Revision, ready bool) *Aspect {
	a := &Aspect{Type: v1alpha1.ConditionApproved}
	if !Approving(in) {
		return a
	}
	if !ready || len(targets) == 0 {
		a.Reason, a.Message = v1alpha1.ReasonNotReady, "there is no draft yet that is what this variant asks for"
		return a
	}
	for i := range targets {
		target := &targets[i]
		if !target.Open() {
			continue
		}
		if why := unapproved(in, target); why != nil {
			return why
		}
		return waits(v1alpha1.ReasonApprovalPending, "%s is to be published", target.Name)
	}
	a.True, a.Reason, a.Message = true, v1alpha1.ReasonPublished, targets[0].Name+" is published"
	return a
}

// unapproved returns what keeps an open target from being published, or nil.
func unapproved(in *Input, target *revision.Revision) *Aspect {
	for _, policy := range approvals {
		if waits := policy(in, target); waits != nil {
			return waits
		}
	}
	return nil
}

// waits returns the condition Approved for a target that is not published, by what it waits for.
func waits(reason, format string, args ...any) *Aspect {
	return &Aspect{Type: v1alpha1.ConditionApproved, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// laterRevision leaves all but the first revision of the package to a person.
func laterRevision(in *Input, target *revision.Revision) *Aspect {
	if in.Spec.ApprovalPolicy != variant.ApprovalPolicyInitial || revision.LatestPublished(in.Revisions) == nil {
		return nil
	}
	return waits(v1alpha1.ReasonLaterRevision, "%s waits for a person: spec.approvalPolicy Initial publishes the first "+
		"revision only; publish it, or set the policy to Automatic", target.Name)
}

// leftToPeople leaves a draft to a person if where it is kept says so.
func leftToPeople(_ *Input, target *revision.Revision) *Aspect {
	if target.LeftToPeople == "" {
		return nil
	}
	return waits(v1alpha1.ReasonLeftToPeople, "%s waits for a person, because %s", target.Name, target.LeftToPeople)
}

// editedByOthers leaves a draft to a person unless it is as the controller last saved it, or last proposed it.
func editedByOthers(in *Input, target *revision.Revision) *Aspect {
	asSaved := in.Saved.Name == target.Name && in.Saved.Content == in.Mutations[target.Name].Content
	if target.Lifecycle == revision.Proposed {
		asSaved = proposedByController(in, target)
	}
	if asSaved {
		return nil
	}
	if edits := in.Mutations[target.Name].Edits; len(edits) > 0 {
		return waits(v1alpha1.ReasonEditedByOthers, "%s", EditedSince(target.Name, edits))
	}
	return waits(v1alpha1.ReasonEditedByOthers, "%s waits for a person, because someone else made or edited it, or may "+
		"have: publish it", target.Name)
}

// EditedSince says what a draft that was not seen complete has beside what it was made from and what it is to have.
func EditedSince(draft string, edits []string) string {
	return fmt.Sprintf("%s waits for a person, because its files are neither as they were made nor as they are "+
		"to be saved: %s; publish it, or delete it, and it is made anew", draft, words.Some(edits, "; "))
}

// rejected leaves a draft to a person if the controller had proposed it and a person made it a draft again, until its
// content changes.
func rejected(in *Input, target *revision.Revision) *Aspect {
	if in.Saved.Name != target.Name || in.Saved.Proposed == "" || target.Lifecycle != revision.Draft {
		return nil
	}
	return waits(v1alpha1.ReasonRejected, "%s waits for a person, because someone has rejected it: publish it, or "+
		"change what the variant or the upstream asks for", target.Name)
}

// overtaken leaves a draft to a person if it was not made from the latest published revision, and does not contain it,
// because it would undo published changes. Revisions that are proposed for deletion do not count.
func overtaken(in *Input, target *revision.Revision) *Aspect {
	latest := latestKept(in)
	if latest == nil || latest.Name == target.Task.From() || latest.Name == target.Contains {
		return nil
	}
	return waits(v1alpha1.ReasonOvertaken, "%s waits for a person, because it was not made from %s, which is the latest "+
		"published revision, and would take back its changes: bring them into it before you publish it", target.Name,
		latest.Name)
}

// inPlaceOfMissing leaves a draft to a person if it was made in place of one that is no longer listed: the home may
// only have lost sight of that one, which people may have edited.
func inPlaceOfMissing(in *Input, target *revision.Revision) *Aspect {
	name := Replaced(in)
	if name == "" {
		return nil
	}
	return waits(v1alpha1.ReasonDraftMissing, "%s waits for a person, because it was made in place of %s, which is "+
		"not found any more, and may lack its changes: publish it if %s was deleted on purpose",
		target.Name, name, name)
}

// overBranch leaves a draft to a person if its package was pushed to the branch past the home, because the draft would
// replace it. A proposed draft may be on the branch itself, with its own files: the home pushes it before it reports
// that.
func overBranch(in *Input, target *revision.Revision) *Aspect {
	branch := ForeignBranch(in)
	if branch == nil || target.Lifecycle == revision.Proposed && in.Pushed == in.Mutations[target.Name].Content {
		return nil
	}
	return waits(v1alpha1.ReasonDownstreamExists, "%s waits for a person, because it would replace the package that is "+
		"on the branch %s, of which no revision is published: publish it, or remove the package from the branch",
		target.Name, branch.Workspace)
}

// removedFromBranch leaves a draft of a package to a person that somebody removed from the branch, because the draft
// would put it back.
func removedFromBranch(in *Input, target *revision.Revision) *Aspect {
	if !offBranch(in) {
		return nil
	}
	return waits(v1alpha1.ReasonLeftToPeople, "%s waits for a person, because the package was published before and "+
		"removed from the branch: publish it if the package is to come back", target.Name)
}

func notRendered(in *Input, target *revision.Revision) *Aspect {
	failure := in.Mutations[target.Name].RenderError
	if failure == "" {
		return nil
	}
	return waits(v1alpha1.ReasonRenderFailed, "%s is not published, because the pipeline in its Kptfile failed: %s",
		target.Name, failure)
}

// mergedConflicts leaves a draft with conflicts to a person.
func mergedConflicts(in *Input, target *revision.Revision) *Aspect {
	conflicts, _ := inDraft(in, Targets(in))
	if merged := conflicted(in, Targets(in)); merged != nil {
		conflicts = merged.Conflicts
	}
	if len(conflicts) == 0 {
		return nil
	}
	return waits(v1alpha1.ReasonConflicted, "%s waits for a person, because the upstream and the package changed the "+
		"same values: %s; publish it if it is right", target.Name, some(conflicts))
}

func gatesNotMet(in *Input, target *revision.Revision) *Aspect {
	gates := in.Mutations[target.Name].Gates
	if len(gates) == 0 {
		return nil
	}
	return waits(v1alpha1.ReasonGatesNotMet, "%s waits for the readiness gates in its Kptfile: %s", target.Name,
		strings.Join(gates, ", "))
}

func mayNotApprove(in *Input, target *revision.Revision) *Aspect {
	if in.MayApprove {
		return nil
	}
	return waits(v1alpha1.ReasonPermissionMissing, "%s is not published, because the controller may not approve package "+
		"revisions: bind its ServiceAccount to the ClusterRole %s, in this namespace or in all", target.Name, ApproverRole)
}
