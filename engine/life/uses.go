// SPDX-License-Identifier: Apache-2.0

package life

import (
	"context"

	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
)

// observeUses finds which superseded revisions are in use, in any namespace: as the upstream that a variant asks for,
// or as what a package was made from.
func (r *Reconciler) observeUses(ctx context.Context, o *observation) error {
	o.Used = map[string]bool{}
	superseded := decide.Superseded(&o.Input)
	if o.Deleting || len(superseded) == 0 {
		return nil
	}
	if err := r.affected().locate(ctx, superseded); err != nil {
		return err
	}
	if err := r.observeUpstreams(ctx, o); err != nil {
		return err
	}
	for i := range superseded {
		derived, err := r.isBase(ctx, &superseded[i])
		if err != nil {
			return err
		}
		o.Used[superseded[i].Name] = o.Used[superseded[i].Name] || derived
	}
	return nil
}

// observeUpstreams notes the revisions of the downstream that are the upstreams of other variants, in any namespace
// that has a Repository with the package.
func (r *Reconciler) observeUpstreams(ctx context.Context, o *observation) error {
	downstream := revision.DownstreamOf(o.Spec)
	own := o.Repositories[downstream.Repo]
	place := own.Root() + downstream.Name
	all, err := r.Variants.RepositoriesAround(ctx, own.Address, place)
	if err != nil {
		return err
	}
	for i := range all {
		pkg, below := packageAt(&all[i], place)
		if !below {
			continue
		}
		variants, err := r.Variants.Find(ctx, all[i].Namespace, objects.ByUpstream, pkg.String())
		if err != nil {
			return err
		}
		candidates := revision.Candidates(o.Revisions)
		for c := range candidates { // the variants there use the names of that Repository
			candidates[c].Repo, candidates[c].Package = pkg.Repo, pkg.Name
		}
		for v := range variants {
			if found := variants[v].Spec.Upstream.Resolve(candidates); found >= 0 {
				o.Used[o.Revisions[found].Name] = true
			}
		}
	}
	return nil
}

// isBase reports whether a package was made from a revision, and would be upgraded from there: by one of its open
// drafts, or by its latest published revision.
func (r *Reconciler) isBase(ctx context.Context, rev *revision.Revision) (bool, error) {
	derived, err := r.affected().derived(ctx, "", rev)
	if err != nil {
		return false, err
	}
	for i := range derived {
		d := &derived[i]
		if d.Open() {
			return true, nil
		}
		siblings, err := r.Known.Find(ctx, d.Namespace, packages.ByPackage, d.Package.String())
		if err != nil {
			return false, err
		}
		if latest := revision.LatestPublished(siblings); latest != nil && latest.Name == d.Name {
			return true, nil
		}
	}
	return false, nil
}
