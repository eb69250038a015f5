// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/revision"
)

// downstreamRefused returns why a variant without a target may not make its downstream package; nil if it may.
func downstreamRefused(in *Input) *v1alpha1.Condition {
	return cmp.Or(downstreamForeign(in), downstreamNests(in))
}

// downstreamForeign leaves an existing package without a target alone if the variant may not adopt it. One of which the
// deletion is proposed is still there, with what people changed in it.
func downstreamForeign(in *Input) *v1alpha1.Condition {
	if in.Spec.AdoptionPolicy == variant.AdoptionPolicyAdoptExisting {
		return nil
	}
	if r := existing(in); r != nil {
		anew := ""
		if r.Lifecycle == revision.DeletionProposed {
			anew = "approve its deletion, or in git merge its removal, to have it made anew; or "
		}
		return stalled(v1alpha1.ReasonDownstreamExists,
			"the package %s exists (%s is %s) and is not this variant's: %sset spec.adoptionPolicy to adoptExisting, or name "+
				"another package in spec.downstream",
			revision.DownstreamOf(in.Spec), r.Name, r.Lifecycle, anew)
	}
	if branch := ForeignBranch(in); branch != nil {
		return stalled(v1alpha1.ReasonDownstreamExists,
			"the package %s exists on the branch %s, though no revision of it is published, and is not this variant's: set "+
				"spec.adoptionPolicy to adoptExisting (for Porch, publish it before), remove it there, or name another package in "+
				"spec.downstream",
			revision.DownstreamOf(in.Spec), branch.Workspace)
	}
	return nil
}

// existing returns a revision of the downstream package that is no branch, one that is to stay before one of which the
// deletion is proposed; nil if there is none.
func existing(in *Input) (found *revision.Revision) {
	for i := range in.Revisions {
		r := &in.Revisions[i]
		if !r.Main() && (found == nil || found.Lifecycle == revision.DeletionProposed) {
			found = r
		}
	}
	return found
}

// ForeignBranch returns the main branch of a package that was pushed past the home: the package has no published
// revision, and none was published for the variant. Otherwise it returns nil.
func ForeignBranch(in *Input) *revision.Revision {
	if in.Published != "" || revision.LatestPublished(in.Revisions) != nil {
		return nil
	}
	return branchOf(in)
}

// branchOf returns the revision that the branch of the downstream package is; nil if it is not there.
func branchOf(in *Input) *revision.Revision {
	if i := slices.IndexFunc(in.Revisions, func(r revision.Revision) bool { return r.Main() }); i >= 0 {
		return &in.Revisions[i]
	}
	return nil
}

// OnBranch reports whether what is published of the downstream package is known to be on the branch, or to have been
// before somebody removed it from there.
func OnBranch(in *Input) bool { return in.WasOnBranch || branchOf(in) != nil }

// offBranch reports whether somebody removed the package from the branch, by git, although it is published.
func offBranch(in *Input) bool {
	return in.WasOnBranch && branchOf(in) == nil && latestKept(in) != nil
}

// notOwned adopts a target. It takes back a target that another UID of the variant owned, or whose owner the home lost.
func notOwned(in *Input, target *revision.Revision) *Decision {
	owned, current := target.Of(in.Owner)
	isDraft := target.Lifecycle == revision.Draft
	d := &Decision{Condition: pending("%s is to become this variant's", target.Name)}
	switch {
	case current:
		return nil
	case owned || lost(in, target):
		d.Steps = []Step{{Action: TakeBack, Revision: target}}
	case isDraft, unowned(in, target):
		d.Steps = []Step{{Action: Adopt, Revision: target}}
	default:
		return nil
	}
	if isDraft {
		d.Steps = append(d.Steps, Step{Action: Mutate, Revision: target})
	}
	return d
}

// takeBack makes the variant the owner of its other revisions whose owner the home lost, and of those that it adopts:
// the ones behind an open draft are the next targets, and the deletion of the variant deals with all of them.
func takeBack(in *Input, targets []revision.Revision) []Step {
	isTarget := map[string]bool{}
	for i := range targets {
		isTarget[targets[i].Name] = true
	}
	var steps []Step
	for i := range in.Revisions {
		switch r := &in.Revisions[i]; {
		case isTarget[r.Name] || r.Main():
		case lost(in, r):
			steps = append(steps, Step{Action: TakeBack, Revision: r})
		case unowned(in, r):
			steps = append(steps, Step{Action: Adopt, Revision: r})
		}
	}
	return steps
}

// foreignRevision leaves a package alone if it has a newer published revision that was not made from one of the
// variant's: a draft would undo its changes. With adoptExisting, only what another variant owns is such a revision.
func foreignRevision(in *Input, target *revision.Revision) *Decision {
	latest, ours := latestKept(in), Downstream(in)
	if latest == nil || ofDownstream(in, latest) || ours != nil && ours.Number > latest.Number {
		return nil
	}
	if other := latest.OtherOwner(in.Owner); other != "" { // adoptExisting does not adopt it
		return &Decision{Condition: *stalled(v1alpha1.ReasonDownstreamExists,
			"%s was published, and is not adopted, because it belongs to the PackageVariant %q: %s stays as it is; propose the "+
				"deletion of %s, or name another package in spec.downstream", latest.Name, other, target.Name, latest.Name)}
	}
	return &Decision{Condition: *stalled(v1alpha1.ReasonDownstreamExists,
		"%s was published, is not this variant's, and was not made from a revision of it: %s stays as it is; set "+
			"spec.adoptionPolicy to adoptExisting, or propose the deletion of %s", latest.Name, target.Name, latest.Name)}
}
