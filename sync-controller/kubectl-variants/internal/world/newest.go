// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"errors"
	"time"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/sync-controller/internal/memory"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Newest returns the latest time in the objects of a snapshot; the zero time if there is none. The snapshot was written
// then or later.
func Newest(ctx context.Context, w *memory.World) (time.Time, error) {
	var repositories configapi.RepositoryList
	var variants v1alpha1.PackageVariantList
	var sets v1alpha2.PackageVariantSetList
	var revisions porchapi.PackageRevisionList
	if err := errors.Join(w.List(ctx, &repositories), w.List(ctx, &variants), w.List(ctx, &sets),
		w.List(ctx, &revisions)); err != nil {
		return time.Time{}, err
	}
	var newest time.Time
	see := func(created metav1.Time, conditions []metav1.Condition) {
		if created.After(newest) {
			newest = created.Time
		}
		for i := range conditions {
			if t := conditions[i].LastTransitionTime; t.After(newest) {
				newest = t.Time
			}
		}
	}
	for i := range repositories.Items {
		see(repositories.Items[i].CreationTimestamp, repositories.Items[i].Status.Conditions)
	}
	for i := range variants.Items {
		see(variants.Items[i].CreationTimestamp, variants.Items[i].Status.Conditions)
	}
	for i := range sets.Items {
		see(sets.Items[i].CreationTimestamp, sets.Items[i].Status.Conditions)
	}
	for i := range revisions.Items {
		see(revisions.Items[i].CreationTimestamp, nil)
		see(revisions.Items[i].Status.PublishedAt, nil)
	}
	return newest, nil
}
