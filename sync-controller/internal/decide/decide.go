// SPDX-License-Identifier: Apache-2.0

// Package decide decides what a PackageVariant needs next, from plain values (section "The controller" of the design).
package decide

import (
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/sync-controller/internal/conditions"
	"github.com/package-variants/package-variants/sync-controller/internal/revision"
)

// State is how a downstream package stands to what its variant asks for.
type State string

const (
	// NoDownstream says that there is no downstream package yet.
	NoDownstream State = "NoDownstream"
	// UpstreamChanged says that the downstream was derived from another upstream revision than the one asked for.
	UpstreamChanged State = "UpstreamChanged"
	// MutationsChanged says that the functions would change the downstream's files.
	MutationsChanged State = "MutationsChanged"
	// UpToDate says that the downstream is what the variant asks for.
	UpToDate State = "UpToDate"
)

// Action is what to do about it.
type Action string

const (
	// None does nothing.
	None Action = ""
	// Clone makes a draft from the upstream.
	Clone Action = "Clone"
	// Upgrade makes a draft from the published downstream and the changes of the upstream since Decision.Base.
	Upgrade Action = "Upgrade"
	// Edit makes a draft from the published downstream.
	Edit Action = "Edit"
	// Save runs the functions over a draft and saves it.
	Save Action = "Save"
	// Own makes the variant the owner of a draft, or of a revision that it owned before it was restored from a backup.
	Own Action = "Own"
	// Keep takes back a proposal to delete the downstream.
	Keep Action = "Keep"
)

// Input is all that a decision depends on.
type Input struct {
	Spec  *variant.Spec
	Owner revision.Owner
	// Upstream is the revision asked for; nil if there is none.
	Upstream *revision.Revision
	// Revisions are all revisions of the downstream package.
	Revisions []revision.Revision
	// Bases are the revisions that the downstream may have been derived from: those of the upstream package, and of
	// others that its variant named before.
	Bases []revision.Revision
	// Known are the names of revisions that the variant is known to have made or adopted, whatever their owners are:
	// Porch v1.5 loses the owners of a revision when it reads a repository while a branch of it is being written.
	Known map[string]bool
	// Rival is the name of another variant that has the better claim to the downstream package, or "".
	Rival string
	// Repositories are the Repositories by name, as far as they are registered.
	Repositories map[string]Repository
	// Mutations are the outcomes of the functions over the files of Targets, by name. A target without one is decided
	// as if the functions changed nothing.
	Mutations map[string]Mutation
}

// Repository is what is known of a Repository.
type Repository struct {
	// Ready reports whether Porch can use it, Message says why not.
	Ready   bool
	Message string
	// Address is that of its git repository.
	Address string
}

// Mutation is what the functions make of a revision's files.
type Mutation struct {
	// Changed are the paths of the files that they change.
	Changed []string
	// Unmet says why required injection points are not filled.
	Unmet []string
}

// Decision is what to do, and what to tell the user.
type Decision struct {
	State  State
	Action Action
	// Target is the downstream revision that the action is about; nil for Clone.
	Target *revision.Revision
	// Base is the upstream revision that the target was derived from, for Upgrade.
	Base *revision.Revision
	// Verdict is what to tell the user if there is no action, or while it is not done.
	Verdict conditions.Verdict
}

// Decide returns the decision for the input.
func Decide(in *Input) Decision {
	for _, guard := range []func(*Input) *conditions.Verdict{specInvalid, upstreamMissing, upstreamUnpublished, downstreamClaimed, downstreamForeign} {
		if v := guard(in); v != nil {
			return Decision{Verdict: *v}
		}
	}
	d := Decision{State: NoDownstream, Action: Clone, Verdict: pending("the downstream package is to be cloned")}
	if targets := Targets(in); len(targets) > 0 {
		d = first(in, targets)
	}
	if d.Action != None {
		if v := repositoryUnusable(in); v != nil {
			return Decision{State: d.State, Verdict: *v}
		}
	}
	return d
}

// first returns the decision for the first target that needs an action; if none does, for the first that is not ready.
func first(in *Input, targets []revision.Revision) Decision {
	var chosen *Decision
	for i := range targets {
		d := decideTarget(in, &targets[i])
		if d.Action != None {
			return d
		}
		if chosen == nil || chosen.Verdict.Ready && !d.Verdict.Ready {
			chosen = &d
		}
	}
	return *chosen
}

// policies are tried in this order; the first that decides wins.
var policies = []func(*Input, *revision.Revision) *Decision{
	deletionProposed, notOwned, lockMissing, draftNotMutated, upstreamChanged, mutationsChanged,
}

func decideTarget(in *Input, target *revision.Revision) Decision {
	for _, policy := range policies {
		if d := policy(in, target); d != nil {
			d.Target = target
			return *d
		}
	}
	return Decision{State: UpToDate, Target: target, Verdict: Settled(in, target, in.Mutations[target.Name].Unmet)}
}
