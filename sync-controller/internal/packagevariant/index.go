// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/objects"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// having returns the variants with a value in an index, if keep returns true for them.
func (r *Reconciler) having(ctx context.Context, namespace string, by objects.Index, value string,
	keep func(*v1alpha1.PackageVariant) bool) []ctrl.Request {
	found, err := r.variants.Find(ctx, namespace, by, value)
	if err != nil { // the cache has no such index, which a test would have found
		log.FromContext(ctx).Error(err, "cannot find the variants that an object affects", "index", by, "value", value)
	}
	var requests []ctrl.Request
	for i := range found {
		if pv := &found[i]; keep == nil || keep(pv) {
			requests = append(requests, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(pv)})
		}
	}
	return requests
}
