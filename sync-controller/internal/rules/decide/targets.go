// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/revision"
)

// Targets returns the downstream revisions to keep in step: all that are open, a draft or proposed, and, where there
// are none, the latest published one. Revisions that the variant neither owns nor may adopt are none.
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

// Downstream returns the latest published revision of those that a target can be; nil if there is none.
func Downstream(in *Input) *revision.Revision {
	_, published := downstream(in)
	return published
}

// downstream returns the open revisions that the variant owns or may adopt, by name, and the latest published one of
// those.
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

// ofDownstream reports whether a revision is one that a target can be: one that the variant owns or may adopt, or that
// people published as a change to one that it owns.
func ofDownstream(in *Input, r *revision.Revision) bool {
	owned, _ := r.Of(in.Owner)
	return owned || adoptable(in, r) || lost(in, r) || changesOurs(in, r)
}

// changesOurs reports whether a published revision that is nobody's was made from one of the variant's, be it by way of
// others.
func changesOurs(in *Input, r *revision.Revision) bool {
	if !r.Published() || r.Main() || r.OtherOwner(in.Owner) != "" {
		return false
	}
	for from, ways := r.Task.From(), len(in.Revisions); from != "" && ways >= 0; ways-- {
		if in.Known[from] {
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

// unowned reports whether a revision is to become the variant's, which it is not, and is nobody's else: one that it may
// adopt, or that people published as a change to one that it owns. Drafts are adopted as targets only, and what is to
// be deleted is not.
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

// Winner returns the best of the claims: of a variant that owns a revision of the package, then of the oldest, then of
// the first by name. It returns the zero Claim if there are none.
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
