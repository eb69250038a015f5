// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"path"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/revision"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// observeClaims finds the variant that has a better claim to the downstream package.
func (r *Reconciler) observeClaims(ctx context.Context, o *observation) error {
	if o.Spec.Downstream == nil {
		return nil
	}
	variants, err := r.claimants(ctx, o.pv)
	if err != nil {
		return err
	}
	var claims []decide.Claim
	for _, pv := range variants {
		key := client.ObjectKeyFromObject(pv)
		if !pv.DeletionTimestamp.IsZero() && key != o.key() {
			continue
		}
		revisions, err := r.cached(ctx, pv.Namespace, porch.PackageIndex, revision.DownstreamOf(&pv.Spec).String())
		if err != nil {
			return err
		}
		claims = append(claims, decide.Claim{
			Name: claimant(o.key(), key), Since: pv.CreationTimestamp.Unix(),
			Owns: slices.ContainsFunc(revisions, func(r revision.Revision) bool {
				owned, _ := r.Of(revision.Owner{Name: pv.Name})
				return owned
			}),
		})
	}
	if winner := decide.Winner(claims); winner.Name != o.pv.Name {
		o.Conflicting = winner.Name
	}
	return nil
}

// claimant names a variant to another: with its namespace, where that is another one.
func claimant(to, variant types.NamespacedName) string {
	if to.Namespace == variant.Namespace {
		return variant.Name
	}
	return variant.String()
}

// claimants returns the variants whose downstream is that of pv, and pv itself: also those that name it by another
// Repository over the same git repository.
func (r *Reconciler) claimants(ctx context.Context, pv *v1alpha1.PackageVariant) ([]*v1alpha1.PackageVariant, error) {
	found := []*v1alpha1.PackageVariant{pv}
	aliases, err := r.aliases(ctx, pv.Namespace, revision.DownstreamOf(&pv.Spec))
	if err != nil {
		return nil, err
	}
	for _, alias := range aliases {
		others, err := r.indexed(ctx, alias.namespace, downstreamIndex, alias.pkg.String())
		if err != nil {
			return nil, err
		}
		for i := range others {
			if other := &others[i]; client.ObjectKeyFromObject(other) != client.ObjectKeyFromObject(pv) {
				found = append(found, other)
			}
		}
	}
	return found, nil
}

// alias is a package by one of the names that it has.
type alias struct {
	namespace string
	pkg       revision.Package
}

// aliases returns all names of a package, by the Repositories in the cache.
func (r *Reconciler) aliases(ctx context.Context, namespace string, pkg revision.Package) ([]alias, error) {
	names := []alias{{namespace, pkg}}
	own, err := porch.GetRepository(ctx, r.client, namespace, pkg.Repo)
	if err != nil || !own.Git {
		return names, client.IgnoreNotFound(err)
	}
	all, err := r.packagesAt(ctx, own.Place.Address, path.Join("/", own.Place.Directory, pkg.Name))
	return append(names, slices.DeleteFunc(all, func(a alias) bool { return a == names[0] })...), err
}
