// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// observeUses finds which superseded revisions are in use, in any namespace: as the upstream that a variant asks for,
// or as what a package was made from.
func (r *Reconciler) observeUses(ctx context.Context, o *observation) error {
	o.Used = map[string]bool{}
	superseded := decide.Superseded(&o.Input)
	if o.Deleting || len(superseded) == 0 {
		return nil
	}
	if err := r.locate(ctx, superseded); err != nil {
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
	all, err := r.variants.RepositoriesAt(ctx, own.Address)
	if err != nil {
		return err
	}
	for i := range all {
		pkg, below := packageAt(&all[i], own.Root()+downstream.Name)
		if !below {
			continue
		}
		variants, err := r.variants.Find(ctx, all[i].Namespace, objects.ByUpstream, pkg.String())
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
	derived, err := r.derived(ctx, "", rev)
	if err != nil {
		return false, err
	}
	for i := range derived {
		d := &derived[i]
		if d.Open() {
			return true, nil
		}
		siblings, err := r.known.Find(ctx, d.Namespace, packages.ByPackage, d.Package.String())
		if err != nil {
			return false, err
		}
		if latest := revision.LatestPublished(siblings); latest != nil && latest.Name == d.Name {
			return true, nil
		}
	}
	return false, nil
}

// bases returns the variants that limit their history and own the revisions that a published package was made from:
// these revisions may no longer be needed.
func (r *Reconciler) bases(ctx context.Context, rev *revision.Revision) []ctrl.Request {
	var requests []ctrl.Request
	siblings, err := r.known.Find(ctx, rev.Namespace, packages.ByPackage, rev.Package.String())
	for i := range siblings {
		if siblings[i].Lock == nil {
			continue
		}
		var bases []revision.Revision
		if bases, err = r.named(ctx, "", siblings[i].Lock); err != nil {
			break
		}
		for j := range bases {
			requests = append(requests, r.limited(ctx, &bases[j])...)
		}
	}
	if err != nil { // unexpected, as in variants
		log.FromContext(ctx).Error(err, "cannot find what a package was made from", "revision", rev.Name)
	}
	return requests
}

// limited returns the variants that make a revision's package and limit its history.
func (r *Reconciler) limited(ctx context.Context, rev *revision.Revision) []ctrl.Request {
	return r.having(ctx, rev.Namespace, objects.ByDownstream, rev.Package.String(),
		func(pv *v1alpha1.PackageVariant) bool { return pv.Spec.RevisionHistoryLimit != nil })
}
