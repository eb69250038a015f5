// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"context"
	"fmt"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"k8s.io/apimachinery/pkg/api/equality"
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
	if err := r.Variants.WriteStatus(ctx, o.pv, after); err != nil {
		return fmt.Errorf("cannot write the status: %w", err)
	}
	o.wrote(after)
	return nil
}

// wrote notes that the variant was written.
func (o *observation) wrote(after *v1alpha1.PackageVariant) {
	o.progress.wrote(o.pv.ResourceVersion, after)
	*o.pv = *after
}

// event records an Event of the variant.
func (r *Reconciler) event(pv *v1alpha1.PackageVariant, kind, reason, message string) {
	r.Event(pv, kind, reason, v1alpha1.ShortenNote(message))
}

// patch changes the variant's metadata, unless the variant has changed meanwhile.
func (a *action) patch(ctx context.Context, change func(*v1alpha1.PackageVariant)) error {
	after := a.in.pv.DeepCopy()
	change(after)
	if err := a.Variants.WriteFinalizers(ctx, a.in.pv, after); err != nil {
		return fmt.Errorf("cannot change the finalizers of PackageVariant %s: %w", after.Name, err)
	}
	a.in.wrote(after)
	return nil
}
