// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/revision"
)

// Neighbor is a package inside the downstream package, or around it, in the same Repository. The home publishes a
// package as the whole of its directory, so publishing the outer one removes the inner one from the branch.
type Neighbor struct {
	// Package names it in messages.
	Package string
	// Inside reports whether it lies inside the downstream package; if not, it lies around it.
	Inside bool
	// Variant is the name of the variant that makes it and has the better claim, or "".
	Variant string
	// Revisions are those of the package.
	Revisions []revision.Revision
}

// nests is why a package is not made inside another one, or around it.
const nests = ": publishing the outer package would remove the inner one from the branch; name another in " +
	"spec.downstream, or delete that "

// downstreamNests refuses to make a package inside another one, or around it, whether or not it may be adopted.
func downstreamNests(in *Input) *v1alpha1.Condition {
	for i := range in.Neighbors {
		n := &in.Neighbors[i]
		side := "inside"
		if n.Inside {
			side = "around"
		}
		if n.Variant != "" {
			return stalled(v1alpha1.ReasonDownstreamClaimed,
				"the package %s would lie %s %s, which belongs to the PackageVariant %q"+nests+"variant",
				revision.DownstreamOf(in.Spec), side, n.Package, n.Variant)
		}
		if there := Existing(in, n); there != nil {
			return stalled(v1alpha1.ReasonDownstreamExists, "the package %s would lie %s %s, which exists (%s is %s)"+nests+
				"package", revision.DownstreamOf(in.Spec), side, n.Package, there.Name, there.Lifecycle)
		}
	}
	return nil
}

// overInner leaves a draft to a person if publishing it would remove a published package inside it.
func overInner(in *Input, target *revision.Revision) *Aspect {
	for i := range in.Neighbors {
		n := &in.Neighbors[i]
		if there := Existing(in, n); n.Inside && there != nil && there.Published() {
			return waits(v1alpha1.ReasonDownstreamExists, "%s waits for a person, because publishing it would remove the "+
				"package %s, which lies inside it, from the branch: delete that package, or publish the draft, and "+
				"publish that package again", target.Name, n.Package)
		}
	}
	return nil
}

// Existing returns a revision by which a neighbor exists, or nil. Revisions that are proposed for deletion do not
// count, nor does a package that is only on the branch of an existing downstream package: it is a subpackage.
func Existing(in *Input, n *Neighbor) *revision.Revision {
	var branch *revision.Revision
	for i := range n.Revisions {
		switch r := &n.Revisions[i]; {
		case r.Main():
			branch = r
		case r.Lifecycle != revision.DeletionProposed:
			return r
		}
	}
	if revision.LatestPublished(n.Revisions) != nil || n.Inside && onBranch(in) {
		return nil
	}
	return branch
}

// onBranch reports whether the downstream package is on its branch.
func onBranch(in *Input) bool {
	for i := range in.Revisions {
		if in.Revisions[i].Published() {
			return true
		}
	}
	return false
}
