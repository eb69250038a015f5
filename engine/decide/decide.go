// SPDX-License-Identifier: Apache-2.0

// Package decide decides what a PackageVariant needs next, from plain values (docs/design.md, "The controller").
// A rule of a package's life is one policy function here, and one row in the table of its test.
package decide

import (
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/revision"
)

// Action is what a step does.
type Action string

const (
	// AddFinalizer keeps the variant from being removed before its package revisions are dealt with.
	AddFinalizer Action = "AddFinalizer"
	// Create announces the step's draft in the variant's status, and asks for it. What the functions change in it is
	// saved by a step of its own, which is decided by what was made.
	Create Action = "Create"
	// Mutate saves the step's revision with what the functions change.
	Mutate Action = "Mutate"
	// Adopt makes the variant the owner of a revision, and gives it the variant's labels and annotations.
	Adopt Action = "Adopt"
	// TakeBack makes the variant the owner again of a revision that it made or adopted before.
	TakeBack Action = "TakeBack"
	// Keep withdraws a proposal to delete a revision.
	Keep Action = "Keep"
	// Discard deletes a draft of the variant that was not completed.
	Discard Action = "Discard"
	// Delete deletes a draft or a proposed revision.
	Delete Action = "Delete"
	// ProposeDeletion proposes the deletion of a published revision.
	ProposeDeletion Action = "ProposeDeletion"
	// Propose proposes a draft for publication.
	Propose Action = "Propose"
	// Approve publishes a revision that is proposed.
	Approve Action = "Approve"
	// Withdraw makes a proposed revision a draft again.
	Withdraw Action = "Withdraw"
	// Orphan removes the variant's owner reference.
	Orphan Action = "Orphan"
	// KeepPackages writes to the variant's status that a deletion leaves the packages.
	KeepPackages Action = "KeepPackages"
	// RemoveFinalizer lets the API server remove the variant.
	RemoveFinalizer Action = "RemoveFinalizer"
)

// Step is one thing to do.
type Step struct {
	Action Action
	// Revision is what the step is about; nil for AddFinalizer, Create, KeepPackages and RemoveFinalizer.
	Revision *revision.Revision
	// Draft is the draft to make, for Create.
	Draft *Draft
}

// Decision is what to do, and what to report to the user.
type Decision struct {
	// Steps are to be done in this order. The first is done, and what follows is decided by what that brings about.
	Steps []Step
	// Condition is what to report if there are no steps, or until they are done.
	Condition v1alpha1.Condition
	// Injected is about the injection points (ConfigInjected), and Approved about spec.approvalPolicy; nil if they were
	// not checked.
	Injected, Approved *Aspect
	// Suspended is about spec.suspend.
	Suspended *Aspect
	// Held reports whether there were steps that must not be done before an input changes.
	Held bool
	// Conflicted describes the conflicts of a merge that is decided, or that is stopped because of them; nil if there is
	// no merge.
	Conflicted *Conflicted
	// Err is the failure in the condition, if it has to be retried although no input changes, once the only step is done
	// where there is one.
	Err error
}

// Creates reports whether the steps make a draft.
func (d *Decision) Creates() bool {
	return slices.ContainsFunc(d.Steps, func(s Step) bool { return s.Action == Create })
}

// Ends reports whether the decision is to be reported once its first step is done, as a failure: the step takes away
// what failed, and without a pause the same would follow.
func (d *Decision) Ends() bool { return len(d.Steps) == 1 && d.Err != nil }

// Guard returns what keeps the controller from working on a variant, as far as that is known without reading content;
// nil if nothing does.
func Guard(in *Input) *v1alpha1.Condition {
	for _, guard := range guards {
		if condition := guard(in); condition != nil {
			return condition
		}
	}
	return nil
}

// Decide returns the decision for the input.
func Decide(in *Input) Decision {
	switch guard := Guard(in); {
	case in.Deleting && in.Cascade && !in.KeepPackages: // also while something holds the deletion
		return Decision{Steps: []Step{{Action: KeepPackages}},
			Condition: pending("the variant is deleted, and its packages stay")}
	case in.Deleting:
		return hold(in, deletion(in))
	case guard != nil:
		return hold(in, Decision{Condition: *guard, Approved: approved(in, nil, false)})
	default:
		return hold(in, decide(in, Targets(in)))
	}
}

// followUps are added, in this order, once the variant is ready.
var followUps = []func(*Input, []revision.Revision) []Step{prune, approve}

// decide returns the decision for a variant that no guard stops.
func decide(in *Input, targets []revision.Revision) Decision {
	var d Decision
	if len(targets) > 0 {
		d = decideTargets(in, targets)
	} else {
		d = noDownstream(in)
	}
	d.Steps = append(takeBack(in, targets), d.Steps...)
	ready := len(d.Steps) == 0 && d.Condition.Type == v1alpha1.ConditionReady
	for _, followUp := range followUps {
		if ready {
			d.Steps = append(d.Steps, followUp(in, targets)...)
		}
	}
	if !in.Finalizer && (len(d.Steps) > 0 || len(Owned(in)) > 0) {
		d.Steps = append([]Step{{Action: AddFinalizer}}, d.Steps...)
	}
	d.Injected, d.Conflicted, d.Approved = injected(in, targets), conflicted(in, targets), approved(in, targets, ready)
	if d.Approved.Reason == v1alpha1.ReasonPermissionMissing {
		d.Err = errMayNotApprove
	}
	return d
}

// decideTargets returns the decision for all targets: the steps of each, and the condition of the first that has steps,
// or else of the first that is not ready.
func decideTargets(in *Input, targets []revision.Revision) Decision {
	var all Decision
	var steps []Step
	rank := -1
	for i := range targets {
		d := decideTarget(in, &targets[i])
		steps = append(steps, d.Steps...)
		if r := rankOf(&d); r > rank {
			all, rank = d, r
		}
	}
	all.Steps = steps
	return all
}

// rankOf returns how much a target's decision matters among those of several targets.
func rankOf(d *Decision) int {
	switch {
	case len(d.Steps) > 0:
		return 2
	case d.Condition.Type != v1alpha1.ConditionReady:
		return 1
	default:
		return 0
	}
}

// policies are tried in this order; the first that decides wins.
var policies = []func(*Input, *revision.Revision) *Decision{
	deletionProposed, twoDrafts, saveInterrupted, notOwned, packageUnusable, foreignRevision, mergeFailed, functionFailed,
	pipelineConflict, conflictsStop, draftNotMutated, upstreamReplaced, upstreamChanged, mutationsChanged, lockMissing,
}

func decideTarget(in *Input, target *revision.Revision) Decision {
	for _, policy := range policies {
		if d := policy(in, target); d != nil {
			return *d
		}
	}
	return upToDate(in, target)
}

// Inspections returns the names of the revisions whose files the functions have to run over before Decide: the upstream
// before it is cloned, and targets that are on it, are drafts, or have to be merged with it. While a guard holds, it
// returns nil.
func Inspections(in *Input) []string {
	if in.Deleting || Guard(in) != nil {
		return nil
	}
	targets := Targets(in)
	if len(targets) == 0 && downstreamRefused(in) != nil {
		return nil
	}
	if len(targets) == 0 {
		return []string{in.Upstream.Name}
	}
	var names []string
	for i := range targets {
		t := &targets[i]
		_, current := t.Of(in.Owner)
		switch {
		case deletionProposed(in, t) != nil, t.Lifecycle == revision.Draft && !current:
			// decided without its files
		case t.Lifecycle == revision.Draft, t.Lock == nil, OnUpstream(in, t), Merging(in, t) != nil:
			names = append(names, t.Name)
		}
	}
	return names
}
