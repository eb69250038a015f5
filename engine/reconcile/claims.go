// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"context"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/revision"
)

// observeClaims finds the variant that has a better claim to the downstream package. One that is being deleted has
// none, except to what it still owns: it is about to let that go.
func (r *Reconciler) observeClaims(ctx context.Context, o *observation) error {
	if o.Spec.Downstream == nil {
		return nil
	}
	variants, err := r.Variants.Find(ctx, o.pv.Namespace, objects.ByDownstream, revision.DownstreamOf(o.Spec).String())
	if err != nil {
		return err
	}
	claims := []decide.Claim{claim(o.pv, o.Revisions)}
	for i := range variants {
		other := claim(&variants[i], o.Revisions)
		if other.Name != o.pv.Name && (other.Owns || variants[i].DeletionTimestamp.IsZero()) {
			claims = append(claims, other)
		}
	}
	if winner := decide.Winner(claims); winner.Name != o.pv.Name {
		o.Conflicting = winner.Name
	}
	return nil
}

// claim returns the claim of a variant to its downstream package, which has these revisions.
func claim(pv *v1alpha1.PackageVariant, revisions []revision.Revision) decide.Claim {
	return decide.Claim{
		Name: pv.Name, Since: pv.CreationTimestamp.Unix(),
		Owns: slices.ContainsFunc(revisions, func(r revision.Revision) bool {
			owned, _ := r.Of(revision.Owner{Name: pv.Name})
			return owned
		}),
	}
}
