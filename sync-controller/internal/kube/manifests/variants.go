// SPDX-License-Identifier: Apache-2.0

// Package manifests is the port objects of the engine over the Kubernetes API.
package manifests

import (
	"context"
	"fmt"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Variants implements objects.Variants by a client that reads from a cache with the indexes of AddIndexes and of
// porch.AddIndexes.
type Variants struct{ porch.API }

var _ objects.Variants = Variants{}

// AddIndexes adds the indexes of PackageVariants to a cache. It must be called once per cache.
func AddIndexes(indexer client.FieldIndexer) error {
	for name, values := range objects.Indexes {
		index := func(o client.Object) []string {
			pv, ok := o.(*v1alpha1.PackageVariant)
			if !ok {
				return nil
			}
			return values(pv)
		}
		if err := indexer.IndexField(context.Background(), &v1alpha1.PackageVariant{}, string(name), index); err != nil {
			return fmt.Errorf("cannot index PackageVariants by %s: %w", name, err)
		}
	}
	return nil
}

// Variant implements objects.Variants.
func (c Variants) Variant(ctx context.Context, namespace, name string) (*v1alpha1.PackageVariant, error) {
	var pv v1alpha1.PackageVariant
	err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &pv)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return &pv, err
}

// Find implements objects.Variants.
func (c Variants) Find(ctx context.Context, namespace string, by objects.Index, value string) (
	[]v1alpha1.PackageVariant, error) {
	var list v1alpha1.PackageVariantList
	err := c.List(ctx, &list, client.InNamespace(namespace), client.MatchingFields{string(by): value},
		client.UnsafeDisableDeepCopy)
	return list.Items, err
}

// Repository implements objects.Variants.
func (c Variants) Repository(ctx context.Context, namespace, name string) (*objects.Repository, error) {
	repository, err := porch.GetRepository(ctx, c, namespace, name)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return &repository, err
}

// RepositoriesAround implements objects.Variants.
func (c Variants) RepositoriesAround(ctx context.Context, address, directory string) ([]objects.Repository, error) {
	return porch.RepositoriesAround(ctx, c, address, directory)
}

// WriteStatus implements objects.Variants.
func (c Variants) WriteStatus(ctx context.Context, before, pv *v1alpha1.PackageVariant) error {
	return written(c.Status().Patch(ctx, pv, sinceThen(before)))
}

// WriteFinalizers implements objects.Variants.
func (c Variants) WriteFinalizers(ctx context.Context, before, pv *v1alpha1.PackageVariant) error {
	return written(c.Patch(ctx, pv, sinceThen(before)))
}

// sinceThen returns the patch that makes a variant of what it was before, unless it has changed meanwhile.
func sinceThen(before *v1alpha1.PackageVariant) client.Patch {
	return client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
}

// written returns the error of a write to a variant. If the variant is gone, the write was decided on what has changed.
func written(err error) error {
	if apierrors.IsNotFound(err) {
		return &packages.Error{Kind: packages.ErrStale, Err: err}
	}
	return porch.Classify(err)
}
