// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/revision"
)

// prune deals with what the variant left behind in other packages. It runs when the new downstream is ready: nothing is
// removed before its replacement exists.
func prune(in *Input, _ []revision.Revision) []Step {
	return disposals(in, Obsolete(in))
}

// deletion deals with all revisions of a variant that is being deleted, and then removes its finalizer.
func deletion(in *Input) Decision {
	if d := in.Spec.Downstream; d != nil {
		repository, registered := in.Repositories[d.Repo]
		switch {
		case registered && repository.Migrated:
			return Decision{Condition: WaitToGo(Migrated(d.Repo))}
		case registered && !repository.Ready:
			return Decision{Condition: WaitToGo(notReady(d.Repo, repository))}
		}
	}
	return Decision{
		Steps:     append(disposals(in, Owned(in)), Step{Action: RemoveFinalizer}),
		Condition: pending("the variant is deleted once its package revisions are dealt with"),
	}
}

// WaitToGo returns the condition of a variant whose deletion waits for what c says.
func WaitToGo(c v1alpha1.Condition) v1alpha1.Condition {
	c.Message = "the variant is deleted once its package revisions are dealt with: " + c.Message
	return c
}

// Orphans reports whether what the variant does not want any more stays, without an owner.
func Orphans(in *Input) bool {
	return in.KeepPackages || in.Spec.DeletionPolicy == variant.DeletionPolicyOrphan
}

// Orphaned reports whether a revision that the variant left behind is not its own any more, even if it is still known.
func Orphaned(in *Input, r *revision.Revision) bool {
	return Orphans(in) && len(r.Owners) == 0 && r.Package != revision.DownstreamOf(in.Spec)
}

// disposals returns the steps that deal with revisions which the variant does not want any more.
func disposals(in *Input, revisions []revision.Revision) []Step {
	var steps []Step
	for i := range revisions {
		if action := disposal(in, &revisions[i]); action != "" {
			steps = append(steps, Step{Action: action, Revision: &revisions[i]})
		}
	}
	return steps
}

// disposal returns what to do with a revision by the variant's deletion policy; "" for nothing. If the variant is being
// deleted, no revision may keep it as its owner: the cluster would delete the revision.
func disposal(in *Input, r *revision.Revision) Action {
	proposed := r.Lifecycle == revision.Proposed && !proposedByController(in, r) // and may have been edited before
	switch stays := proposed || Orphans(in); {
	case stays && len(r.Owners) == 0:
		return ""
	case stays:
		return Orphan
	case r.Open():
		return Delete
	case r.Lifecycle == revision.Published:
		return ProposeDeletion
	case in.Deleting && len(r.Owners) > 0:
		return Orphan
	default:
		return "" // its deletion is proposed, and taken back should the variant want it again
	}
}
