// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"time"

	"github.com/package-variants/package-variants/sync-controller/internal/revision"
)

// Base returns the upstream revision that a downstream revision was derived from, or nil if it is not among the bases,
// or if the revision does not say. What is on a branch is none: it is what it is now, not what was cloned.
func Base(in *Input, target *revision.Revision) *revision.Revision {
	if target.Lock == nil {
		return nil
	}
	if found := target.Lock.Find(in.Bases); found != nil && !found.Main() {
		return found
	}
	if !target.Lock.Of(in.Repositories[in.Spec.Upstream.Repo].Address) {
		return nil
	}
	var upstream []revision.Revision
	for _, r := range in.Bases {
		if r.Package == in.Upstream.Package {
			upstream = append(upstream, r)
		}
	}
	return target.Lock.FindOnBranch(upstream, lockedBy(in, target))
}

// OnUpstream reports whether a downstream revision was derived from the upstream that is asked for. One that was
// derived from a branch of a package that has no published revisions, only its branch, stays as it is: Porch cannot
// tell what changes there.
func OnUpstream(in *Input, target *revision.Revision) bool {
	if target.Lock == nil {
		return false
	}
	if target.Lock.Names(in.Upstream) {
		return true
	}
	if in.Upstream.Main() {
		return target.Lock.OnBranch() && target.Lock.Of(in.Repositories[in.Spec.Upstream.Repo].Address)
	}
	base := Base(in, target)
	return base != nil && base.Name == in.Upstream.Name
}

// lockedBy returns the first time at which a revision of the downstream package is known to have had the target's lock.
func lockedBy(in *Input, target *revision.Revision) (first time.Time) {
	first = target.Created
	for _, r := range in.Revisions {
		if r.Lock != nil && *r.Lock == *target.Lock && r.Created.Before(first) {
			first = r.Created
		}
	}
	return first
}
