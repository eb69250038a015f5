// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"context"
	"maps"
	"slices"

	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
)

// observeNeighbors finds the packages inside the downstream package, and around it, and the variants that make them.
func (r *Reconciler) observeNeighbors(ctx context.Context, o *observation) error {
	if o.Spec.Downstream == nil {
		return nil
	}
	pkg := revision.DownstreamOf(o.Spec)
	found := neighbors{o: o, own: claim(o.pv, o.Revisions), byName: map[string]*decide.Neighbor{}}
	for _, around := range pkg.Ancestors() {
		if err := r.neighborsAt(ctx, &found, around, packages.ByPackage, objects.ByDownstream); err != nil {
			return err
		}
	}
	found.inside = true
	if err := r.neighborsAt(ctx, &found, pkg, packages.Inside, objects.Inside); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(found.byName)) {
		o.Neighbors = append(o.Neighbors, *found.byName[name])
	}
	return nil
}

// neighbors are the neighbors that were found for a variant.
type neighbors struct {
	o      *observation
	own    decide.Claim
	inside bool // are those that are being found
	byName map[string]*decide.Neighbor
}

// at returns the neighbor for a package.
func (n *neighbors) at(pkg revision.Package) *decide.Neighbor {
	name := pkg.String()
	if n.byName[name] == nil {
		n.byName[name] = &decide.Neighbor{Package: name, Inside: n.inside}
	}
	return n.byName[name]
}

// neighborsAt adds the neighbors that the indexes have for a package, one index of revisions and one of variants.
func (r *Reconciler) neighborsAt(ctx context.Context, found *neighbors, pkg revision.Package,
	ofRevisions packages.Index, ofVariants objects.Index) error {
	namespace := found.o.pv.Namespace
	revisions, err := r.Known.Find(ctx, namespace, ofRevisions, pkg.String())
	if err != nil {
		return err
	}
	for _, rev := range revisions {
		n := found.at(rev.Package)
		n.Revisions = append(n.Revisions, rev)
	}
	variants, err := r.Variants.Find(ctx, namespace, ofVariants, pkg.String())
	if err != nil {
		return err
	}
	best := map[*decide.Neighbor]decide.Claim{}
	for i := range variants {
		pv := &variants[i]
		n := found.at(revision.DownstreamOf(&pv.Spec))
		if best[n].Name == "" {
			best[n] = found.own
		}
		if claim := claim(pv, n.Revisions); pv.DeletionTimestamp.IsZero() &&
			decide.Winner([]decide.Claim{best[n], claim}) == claim {
			n.Variant, best[n] = claim.Name, claim
		}
	}
	return nil
}
