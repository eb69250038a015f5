// SPDX-License-Identifier: Apache-2.0

package packagevariantset

import (
	"context"
	"fmt"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/sync-controller/internal/conditions"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// apply does the steps and notes in each what went wrong with it. One Event tells of all.
func (r *Reconciler) apply(ctx context.Context, set *v1alpha2.PackageVariantSet, steps []step) {
	var created, updated, deleted int
	for i := range steps {
		s := &steps[i]
		switch s.do {
		case create:
			s.err = wrap("create", s.want, r.client.Create(ctx, s.want), &created)
		case update:
			s.err = wrap("update", s.have, r.client.Patch(ctx, s.want, patchFrom(s)), &updated)
		case remove:
			same := client.Preconditions{UID: &s.have.UID}
			s.err = wrap("delete", s.have, client.IgnoreNotFound(r.client.Delete(ctx, s.have, same)), &deleted)
		case keep, waiting, taken:
		}
	}
	if created+updated+deleted > 0 {
		conditions.Tell(r.events, set, corev1.EventTypeNormal, "VariantsChanged", fmt.Sprintf("created %d, updated %d and deleted %d PackageVariants", created, updated, deleted))
	}
}

// wrap says what could not be done, and counts what could.
func wrap(what string, pv *v1alpha1.PackageVariant, err error, done *int) error {
	if err != nil {
		return fmt.Errorf("cannot %s PackageVariant %s: %w", what, pv.Name, err)
	}
	*done++
	return nil
}

// patchFrom returns the merge patch for an update. Owner references are patched as one list, so that the patch must not
// meet a change of another's.
func patchFrom(s *step) client.Patch {
	if equality.Semantic.DeepEqual(s.have.OwnerReferences, s.want.OwnerReferences) {
		return client.MergeFrom(s.have)
	}
	return client.MergeFromWithOptions(s.have, client.MergeFromWithOptimisticLock{})
}

// isBehind reports whether a step failed because the cache does not know the newest variants.
func isBehind(s *step) bool {
	return apierrors.IsConflict(s.err) || s.do == create && apierrors.IsAlreadyExists(s.err) || s.do == update && apierrors.IsNotFound(s.err)
}
