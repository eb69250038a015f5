// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"fmt"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// writeStatus writes the status if it changes, unless the variant has changed meanwhile.
func (r *Reconciler) writeStatus(ctx context.Context, pv *v1alpha1.PackageVariant,
	change func(*v1alpha1.PackageVariantStatus)) error {
	status := pv.Status.DeepCopy()
	if change(status); equality.Semantic.DeepEqual(pv.Status, *status) {
		return nil
	}
	return r.patchStatus(ctx, pv, func(now *v1alpha1.PackageVariantStatus) { *now = *status })
}

// patchStatus changes the status, unless the variant has changed meanwhile: then it returns an error, even if there is
// nothing to change. A write that fails leaves pv as it is, because the next one is a patch of it.
func (r *Reconciler) patchStatus(ctx context.Context, pv *v1alpha1.PackageVariant,
	change func(*v1alpha1.PackageVariantStatus)) error {
	after := pv.DeepCopy()
	change(&after.Status)
	if err := r.client.Status().Patch(ctx, after, client.MergeFromWithOptions(pv,
		client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("cannot write the status: %w", orOutdated(err))
	}
	*pv = *after
	return nil
}

// orOutdated returns the error of a write to a variant. If the variant is gone, that is no failure.
func orOutdated(err error) error {
	if apierrors.IsNotFound(err) {
		return porch.ErrOutdated
	}
	return err
}

// event records an Event of the variant.
func (r *Reconciler) event(pv *v1alpha1.PackageVariant, kind, reason, message string) {
	r.events.Eventf(pv, nil, kind, reason, "Reconcile", "%s", v1alpha1.ShortenNote(message))
}

// patch changes the variant's metadata, unless the variant has changed meanwhile.
func (a *action) patch(ctx context.Context, change func(*v1alpha1.PackageVariant)) error {
	after := a.out.pv.DeepCopy()
	change(after)
	if err := a.client.Patch(ctx, after, client.MergeFromWithOptions(a.out.pv,
		client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("cannot change the finalizers of PackageVariant %s: %w", after.Name, orOutdated(err))
	}
	*a.out.pv = *after
	return nil
}
