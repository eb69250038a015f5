// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
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
	variants, err := r.claimants(ctx, o.pv, &o.place)
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
		claims = append(claims, o.claim(pv, revisions))
	}
	if winner := decide.Winner(claims); winner.Name != o.pv.Name {
		o.Conflicting = winner.Name
	}
	return nil
}

// claim returns the claim of a variant to its downstream package, which has these revisions.
func (o *observation) claim(pv *v1alpha1.PackageVariant, revisions []revision.Revision) decide.Claim {
	return decide.Claim{
		Name: claimant(o.key(), client.ObjectKeyFromObject(pv)), Since: pv.CreationTimestamp.Unix(),
		Owns: slices.ContainsFunc(revisions, func(r revision.Revision) bool {
			owned, _ := r.Of(revision.Owner{Name: pv.Name})
			return owned
		}),
	}
}

// claimant names a variant to another: with its namespace if the other is in another one.
func claimant(to, variant types.NamespacedName) string {
	if to.Namespace == variant.Namespace {
		return variant.Name
	}
	return variant.String()
}

// claimants returns pv, and the variants with the same downstream, which has a place: also those that name it by
// another Repository over the same git repository.
func (r *Reconciler) claimants(ctx context.Context, pv *v1alpha1.PackageVariant, n *neighborhood) (
	[]*v1alpha1.PackageVariant, error) {
	found := []*v1alpha1.PackageVariant{pv}
	for _, alias := range n.same {
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
