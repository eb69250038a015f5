// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/snapshot"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/world"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// deletion deletes what manifests name, as kubectl delete does. With a set goes what it alone owns, as the garbage
// collector of a cluster deletes it: those variants are returned by their set.
func deletion(ctx context.Context, w *snapshot.World, manifests []snapshot.Object, namespace string) (world.Named,
	map[types.NamespacedName][]string, error) {
	owned := map[types.NamespacedName][]string{}
	for _, m := range manifests {
		set, is := m.Object.(*v1alpha2.PackageVariantSet)
		if !is {
			continue
		}
		key := client.ObjectKeyFromObject(set)
		if key.Namespace == "" {
			key.Namespace = namespace
		}
		var there v1alpha2.PackageVariantSet
		if err := w.Get(ctx, key, &there); client.IgnoreNotFound(err) != nil {
			return world.Named{}, nil, err
		}
		var variants v1alpha1.PackageVariantList
		if err := w.List(ctx, &variants, client.InNamespace(key.Namespace)); err != nil {
			return world.Named{}, nil, err
		}
		for i := range variants.Items {
			if pv := &variants.Items[i]; ownedAlone(pv.OwnerReferences, there.UID) {
				owned[key] = append(owned[key], pv.Name)
			}
		}
		slices.Sort(owned[key])
	}
	named, err := world.Delete(ctx, w, manifests, namespace)
	return named, owned, err
}

// ownedAlone reports whether an object has one owner, which has this UID.
func ownedAlone(owners []metav1.OwnerReference, uid types.UID) bool {
	return len(owners) == 1 && uid != "" && owners[0].UID == uid
}
