// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/revision"
)

// Targets returns the downstream revisions to keep in step: all open ones, which are a draft or proposed, or else the
// latest published one. It leaves out revisions that the variant neither owns nor may adopt.
func Targets(in *Input) []revision.Revision {
	open, published := downstream(in)
	if len(open) > 0 {
		return open
	}
	if published != nil {
		return []revision.Revision{*published}
	}
	return nil
}

// Downstream returns the latest published revision that can be a target; nil if there is none.
func Downstream(in *Input) *revision.Revision {
	_, published := downstream(in)
	return published
}

// downstream returns the open revisions that the variant owns or may adopt, by name, and the latest published one.
func downstream(in *Input) (open []revision.Revision, latest *revision.Revision) {
	var published []revision.Revision
	for _, r := range in.Revisions {
		switch {
		case r.Main() || !ofDownstream(in, &r):
		case r.Published():
			published = append(published, r)
		default:
			open = append(open, r)
		}
	}
	slices.SortFunc(open, revision.ByName)
	return open, revision.LatestPublished(published)
}

// latestKept returns the latest published revision of the package, whoever made it, except those that are proposed for
// deletion; nil if there is none.
func latestKept(in *Input) *revision.Revision {
	return revision.LatestPublished(slices.DeleteFunc(slices.Clone(in.Revisions), func(r revision.Revision) bool {
		return r.Lifecycle == revision.DeletionProposed
	}))
}

// ofDownstream reports whether a revision can be a target: the variant owns it or may adopt it, or people published it
// as a change to one that the variant owns.
func ofDownstream(in *Input, r *revision.Revision) bool {
	owned, _ := r.Of(in.Owner)
	return owned || adoptable(in, r) || lost(in, r) || changesOurs(in, r)
}

// changesOurs reports whether a published revision without an owner was made, directly or indirectly, from one of the
// variant's.
func changesOurs(in *Input, r *revision.Revision) bool {
	if !r.Published() || r.Main() || r.OtherOwner(in.Owner) != "" {
		return false
	}
	for from, ways := r.Task.From(), len(in.Revisions); from != "" && ways >= 0; ways-- {
		if in.OwnedNames[from] {
			return true
		}
		i := slices.IndexFunc(in.Revisions, func(r revision.Revision) bool { return r.Name == from })
		if i < 0 {
			return false
		}
		if owned, _ := in.Revisions[i].Of(in.Owner); owned {
			return true
		}
		from = in.Revisions[i].Task.From()
	}
	return false
}

// unowned reports whether the variant should become the owner of a revision that has no owner: it may adopt the
// revision, or people published it as a change to one that the variant owns. Drafts are adopted as targets only, and
// revisions that are proposed for deletion are not adopted.
func unowned(in *Input, r *revision.Revision) bool {
	owned, _ := r.Of(in.Owner)
	return !owned && !r.Main() && r.Lifecycle == revision.Published && (adoptable(in, r) || changesOurs(in, r))
}

// adoptable reports whether the variant may take a revision that it does not own for its downstream.
func adoptable(in *Input, r *revision.Revision) bool {
	return in.Spec.AdoptionPolicy == variant.AdoptionPolicyAdoptExisting && r.OtherOwner(in.Owner) == ""
}

// Claim is the claim of a variant to a downstream package.
type Claim struct {
	// Name is the variant's name.
	Name string
	// Owns reports whether the variant owns a revision of the package.
	Owns bool
	// Since is when the variant was created, in any unit.
	Since int64
}

// Winner returns the best of the claims: that of a variant that owns a revision of the package, then the oldest, then
// the first by name. Without claims, it returns the zero Claim.
func Winner(claims []Claim) Claim {
	if len(claims) == 0 {
		return Claim{}
	}
	return slices.MinFunc(claims, func(a, b Claim) int {
		if a.Owns != b.Owns {
			if a.Owns {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.Since, b.Since), cmp.Compare(a.Name, b.Name))
	})
}
