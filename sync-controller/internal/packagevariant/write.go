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
func (r *Reconciler) writeStatus(ctx context.Context, o *observation,
	change func(*v1alpha1.PackageVariantStatus)) error {
	status := o.pv.Status.DeepCopy()
	if change(status); equality.Semantic.DeepEqual(o.pv.Status, *status) {
		return nil
	}
	return r.patchStatus(ctx, o, func(now *v1alpha1.PackageVariantStatus) { *now = *status })
}

// patchStatus changes the status, unless the variant has changed meanwhile: then it returns an error, even if there is
// nothing to change. A write that fails leaves the variant as it is, because the next one is a patch of it.
func (r *Reconciler) patchStatus(ctx context.Context, o *observation,
	change func(*v1alpha1.PackageVariantStatus)) error {
	after := o.pv.DeepCopy()
	change(&after.Status)
	if err := r.client.Status().Patch(ctx, after, client.MergeFromWithOptions(o.pv,
		client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("cannot write the status: %w", orOutdated(err))
	}
	o.wrote(after)
	return nil
}

// wrote notes that the variant was written.
func (o *observation) wrote(after *v1alpha1.PackageVariant) {
	o.progress.wrote(o.pv.ResourceVersion, after)
	*o.pv = *after
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
	after := a.in.pv.DeepCopy()
	change(after)
	if err := a.client.Patch(ctx, after, client.MergeFromWithOptions(a.in.pv,
		client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("cannot change the finalizers of PackageVariant %s: %w", after.Name, orOutdated(err))
	}
	a.in.wrote(after)
	return nil
}
