// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/words"
)

func pending(format string, args ...any) v1alpha1.Condition {
	return v1alpha1.Reconciling(v1alpha1.ReasonPending, fmt.Sprintf(format, args...))
}

// makeDraft returns the step that makes a draft by a task.
func makeDraft(in *Input, task revision.Task) []Step {
	return []Step{{Action: Create, Draft: &Draft{Package: revision.DownstreamOf(in.Spec), Workspace: nextWorkspace(in),
		Task: task}}}
}

// noDownstream clones the upstream, unless a function fails on its files.
func noDownstream(in *Input) Decision {
	if condition := downstreamRefused(in); condition != nil {
		return Decision{Condition: *condition}
	}
	if d := unusable(in, in.Upstream.Name); d != nil {
		return *d
	}
	if err := in.Mutations[in.Upstream.Name].Err; err != nil {
		return failed(in.Upstream.Name, err)
	}
	return Decision{
		Steps:     makeDraft(in, revision.Task{Type: revision.Clone, Source: in.Upstream.Name}),
		Condition: pending("the downstream package is to be cloned"),
	}
}

// deletionProposed takes back a proposal to delete the downstream: the variant wants it.
func deletionProposed(_ *Input, target *revision.Revision) *Decision {
	if target.Lifecycle != revision.DeletionProposed {
		return nil
	}
	return &Decision{
		Steps:     []Step{{Action: Keep, Revision: target}},
		Condition: pending("the proposal to delete %s is to be taken back", target.Name),
	}
}

// errMissingFiles has a draft looked at again: no event says when the home has written its files.
var errMissingFiles = errors.New("the draft lacks files")

// saveInterrupted leaves a draft alone that lacks files of its last save, or of what the home was asked to make.
func saveInterrupted(in *Input, target *revision.Revision) *Decision {
	m := in.Mutations[target.Name]
	switch missing := words.Some(m.Missing, ", "); {
	case len(m.Missing) == 0:
		return nil
	case !m.Overdue:
		return &Decision{Err: errMissingFiles,
			Condition: pending("%s lacks files (%s): they may still be written", target.Name, missing)}
	default:
		return &Decision{Err: errMissingFiles, Condition: *stalled(v1alpha1.ReasonSaveInterrupted,
			"%s lacks files (%s), because the save that was to write them was interrupted: delete the draft, and a new "+
				"one is made, without what people changed in this one; or write the files into it", target.Name, missing)}
	}
}

// functionFailed reports a function that failed. A requested draft is incomplete then, and is discarded unless it was
// edited.
func functionFailed(in *Input, target *revision.Revision) *Decision {
	err := in.Mutations[target.Name].Err
	if err == nil {
		return nil
	}
	if Requested(in, target) && in.Mutations[target.Name].AsMade {
		d := failed(cmp.Or(in.Requested.Task.Source, target.Name), err)
		d.Steps = []Step{{Action: Discard, Revision: target}}
		return &d
	}
	return new(failed(target.Name, err))
}

// pipelineConflict leaves a draft alone if its own pipeline reverted files after they were saved.
func pipelineConflict(in *Input, target *revision.Revision) *Decision {
	reverted := in.Mutations[target.Name].Reverted
	if len(reverted) == 0 {
		return nil
	}
	return &Decision{Condition: *stalled(v1alpha1.ReasonPipelineConflict,
		"the pipeline in the Kptfile of %s changes back what this variant sets in %s: "+
			"change the function in the pipeline that does, or what the variant asks for",
		target.Name, strings.Join(reverted, ", "))}
}

// draftNotMutated keeps an open draft in step, on any upstream.
func draftNotMutated(in *Input, target *revision.Revision) *Decision {
	m := in.Mutations[target.Name]
	if len(m.Changed) == 0 && !m.Unrendered || target.Lifecycle != revision.Draft {
		return nil
	}
	return &Decision{
		Steps: []Step{{Action: Mutate, Revision: target}},
		Condition: pending("%s is to be changed: %s", target.Name,
			cmp.Or(strings.Join(m.Changed, ", "), "its pipeline is to run")),
	}
}

// upstreamReplaced stops at an upstream revision that was deleted and published again under its number: the content
// that the package was made from is gone, so it is not known what has changed.
func upstreamReplaced(in *Input, target *revision.Revision) *Decision {
	if !replaced(in, target) {
		return nil
	}
	return &Decision{Condition: *stalled(v1alpha1.ReasonUpstreamReplaced,
		"%s was made from %s, which was deleted; then %s was published under its number, and what differs between the two "+
			"is not known: %s; otherwise publish a new number, name it in spec.upstream, and %s",
		target.Name, target.Lock, in.Upstream.Name, relock(in, target), goOn(target))}
}

// relock says how a package keeps what people changed in it if a revision has the same content as the one from which it
// was made: a history that was rewritten has other commits, and only a person knows that it is the same otherwise.
func relock(in *Input, target *revision.Revision) string {
	const keeps = " in its Kptfile, and what people changed in it is kept"
	number := func(r revision.Revision) bool { return !r.Main() && target.Lock.NamesReplaced(&r) }
	if !replaced(in, target) && !slices.ContainsFunc(in.Bases, number) {
		restore := ""
		if target.Lock.Number() > 0 {
			restore = "bring the tag " + target.Lock.Ref + " back in git until a newer revision has taken its place; "
		}
		return restore + "if another revision has what the package was made from, name its ref and commit in " +
			"upstreamLock.git" + keeps
	}
	return fmt.Sprintf("if %[1]s has the same content still, as after a history was rewritten, set "+
		"upstreamLock.git.commit to what git rev-parse %[1]s^0 says of it now,%[2]s", target.Lock.Ref, keeps)
}

// nearest says how a package goes on whose base is gone, and loses nothing.
const nearest = "name in upstreamLock.git the ref and the commit of the revision that it is nearest to, and what " +
	"differs from that is kept as the package's own"

// anew says what a person does to have a draft made anew, without what people changed in it.
const anew = "delete the draft, which is then made anew, in git as soon as something else is asked for"

// goOn says what a person does so that a target whose base is gone can be upgraded.
func goOn(target *revision.Revision) string {
	if target.Open() {
		return nearest + ", or " + anew
	}
	return nearest
}

// upstreamChanged has the home upgrade a published downstream, and merges the upstream's changes into an open draft.
func upstreamChanged(in *Input, target *revision.Revision) *Decision {
	if !onOtherUpstream(in, target) {
		return nil
	}
	d := &Decision{}
	base := Base(in, target)
	switch {
	case target.Lifecycle == revision.Proposed:
		return proposed(in, target, "be upgraded to "+in.Upstream.Name,
			"publish it, and an upgrade follows, or reject it, and the upstream is merged into it")
	case base == nil:
		d.Condition = *stalled(v1alpha1.ReasonBaseNotFound,
			"%s was derived from %s, of which no published package revision is known: "+
				"it was deleted, or its Repository is not registered, and without it the changes from there to %s are not known; "+
				"register the Repository that has it; %s; otherwise %s",
			target.Name, target.Lock, in.Upstream.Name, relock(in, target), goOn(target))
	case target.Open():
		d.Steps = []Step{{Action: Mutate, Revision: target}}
		d.Condition = pending("%s is to be merged with the changes from %s to %s", target.Name, base.Name, in.Upstream.Name)
	default:
		d.Steps = makeDraft(in, revision.Task{Type: revision.Upgrade, Source: in.Upstream.Name, Base: base.Name,
			Local: target.Name})
		d.Condition = pending("%s is to be upgraded from %s to %s", target.Name, base.Name, in.Upstream.Name)
	}
	return d
}

// onOtherUpstream reports whether a target was derived from another upstream than the one asked for.
func onOtherUpstream(in *Input, target *revision.Revision) bool {
	return target.Lock != nil && !OnUpstream(in, target)
}

// mutationsChanged edits a published downstream.
func mutationsChanged(in *Input, target *revision.Revision) *Decision {
	m := in.Mutations[target.Name]
	if len(m.Changed) == 0 {
		return nil
	}
	if target.Lifecycle == revision.Proposed {
		return proposed(in, target, "be changed ("+strings.Join(m.Changed, ", ")+")",
			"reject it, and it is changed, or publish it, and a new draft follows")
	}
	return &Decision{
		Steps:     makeDraft(in, revision.Task{Type: revision.Edit, Source: target.Name}),
		Condition: pending("%s is to be edited: %s", target.Name, strings.Join(m.Changed, ", ")),
	}
}

// proposed withdraws the controller's own proposal of a target that has to change first. A person's proposal stays.
func proposed(in *Input, target *revision.Revision, change, remedy string) *Decision {
	if !proposedByController(in, target) || !in.MayApprove {
		return &Decision{Condition: *stalled(v1alpha1.ReasonDownstreamProposed,
			"%s is proposed for publication, but would have to %s: %s", target.Name, change, remedy)}
	}
	return &Decision{
		Steps:     []Step{{Action: Withdraw, Revision: target}},
		Condition: pending("%s is proposed and has to change: it is to become a draft again", target.Name),
	}
}

// proposedByController reports whether a proposed target is as the controller proposed it.
func proposedByController(in *Input, target *revision.Revision) bool {
	return in.Saved.Name == target.Name && in.Saved.Proposed != "" && in.Saved.Proposed == target.Version
}

// lockMissing reports that a downstream cannot be upgraded. What the variant sets in it is still kept in step.
func lockMissing(_ *Input, target *revision.Revision) *Decision {
	if target.Lock != nil {
		return nil
	}
	remedy := "have the command adopt write them (variants adopt, or kubectl variants adopt)"
	if target.Open() {
		remedy = anew
	}
	return &Decision{Condition: *stalled(v1alpha1.ReasonUpstreamLockMissing,
		"%s does not say what it was derived from, so that it cannot be upgraded, though what this variant sets in it is "+
			"kept in step: its Kptfile has no upstreamLock of a git repository; restore the upstream and upstreamLock fields "+
			"there, or %s", target.Name, remedy)}
}

// upToDate reports that the variant is ready. If the downstream was made from a branch, it may be known that the branch
// has moved, but not whether the package has changed: the home has no content of an older commit.
func upToDate(in *Input, target *revision.Revision) Decision {
	if BranchMoved(in, target) {
		return Decision{Condition: v1alpha1.Ready(v1alpha1.ReasonBranchMoved, fmt.Sprintf(
			"%s (%s) was made from the branch %s at %s, which is at %s now, and it is not known what changed in the "+
				"package: to follow it, publish it, name its revision in spec.upstream, and %s%s",
			target.Name, target.Lifecycle, in.Upstream.Workspace, target.Lock.Commit, in.Upstream.Commit, goOn(target),
			overlapWarning(in)))}
	}
	return Decision{Condition: v1alpha1.Ready(v1alpha1.ReasonUpToDate, fmt.Sprintf(
		"%s (%s) is up to date with %s%s%s%s", target.Name, target.Lifecycle, in.Upstream.Name, withdrawnWarning(in),
		branchWarning(in, target), overlapWarning(in)))}
}

// withdrawnWarning returns what to add to the message of a variant whose upstream is to be deleted.
func withdrawnWarning(in *Input) string {
	if in.Upstream.Lifecycle != revision.DeletionProposed {
		return ""
	}
	return ", whose deletion is proposed: ask for another one, or publish a newer one, before it is approved"
}

// branchWarning returns what to add to the message of a variant whose published package is not on the branch any more.
func branchWarning(in *Input, target *revision.Revision) string {
	if !offBranch(in) || target.Open() {
		return ""
	}
	return "; but somebody has removed it from the branch of the Repository: bring it back there, or delete this variant"
}
