// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"time"

	"github.com/package-variants/package-variants/engine/revision"
)

// Base returns the upstream revision that a downstream revision was derived from, or nil if it is not among the bases,
// or if the revision does not say. A branch is not a base: it holds what it is now, not what was cloned.
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
	return target.Lock.FindOnBranch(ofUpstream(in), lockedBy(in, target))
}

// OnUpstream reports whether a downstream revision was derived from the upstream asked for. A package derived from a
// branch without published revisions stays as it is: the home cannot tell what changes there.
func OnUpstream(in *Input, target *revision.Revision) bool {
	if target.Lock == nil {
		return false
	}
	if target.Lock.Names(in.Upstream) {
		return true
	}
	if in.Upstream.Main() {
		return fromBranch(in, target)
	}
	base := Base(in, target)
	return base != nil && base.Name == in.Upstream.Name
}

// replaced reports whether a downstream revision was derived from an earlier revision with the upstream's name, which
// was deleted before the upstream was published in its place.
func replaced(in *Input, target *revision.Revision) bool {
	return target.Lock != nil && !in.Upstream.Main() && target.Lock.NamesReplaced(in.Upstream)
}

// fromBranch reports whether a downstream revision was derived from the branch that is the upstream asked for. Where
// the home gives no commit of a branch, the lock of a clone names the tag that the branch was at. Then the task that
// made the lock decides; if no revision has such a task any more, the answer is yes.
func fromBranch(in *Input, target *revision.Revision) bool {
	if !target.Lock.Of(in.Repositories[in.Spec.Upstream.Repo].Address) {
		return false
	}
	if target.Lock.OnBranch() {
		return true
	}
	if in.Upstream.Commit != "" || target.Lock.Find(ofUpstream(in)) == nil {
		return false
	}
	known := false
	for _, r := range in.Revisions {
		if r.Lock == nil || !r.Lock.Is(target.Lock) || r.Task.Type == revision.Edit || r.Task.Source == "" {
			continue
		}
		if r.Task.Source == in.Upstream.Name {
			return true
		}
		known = true
	}
	return !known
}

// BranchMoved reports whether the branch asked for is known, by its commit, to have moved since a downstream revision
// was made from it.
func BranchMoved(in *Input, target *revision.Revision) bool {
	return in.Upstream.Main() && in.Upstream.Commit != "" && target.Lock != nil && target.Lock.Commit != "" &&
		target.Lock.Commit != in.Upstream.Commit
}

// ofUpstream returns the bases that are revisions of the upstream's package.
func ofUpstream(in *Input) (out []revision.Revision) {
	for _, r := range in.Bases {
		if r.Package == in.Upstream.Package {
			out = append(out, r)
		}
	}
	return out
}

// lockedBy returns the first time at which a revision of the downstream package is known to have had the target's lock.
func lockedBy(in *Input, target *revision.Revision) (first time.Time) {
	first = target.Created
	for _, r := range in.Revisions {
		if r.Lock != nil && r.Lock.Is(target.Lock) && r.Created.Before(first) {
			first = r.Created
		}
	}
	return first
}
