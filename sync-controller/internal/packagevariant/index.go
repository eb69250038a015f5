// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"fmt"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// Indexes of the cached PackageVariants.
const (
	downstreamIndex = "downstream" // by repository/package
	insideIndex     = "inside"     // by the repository/package in which their downstream lies
	upstreamIndex   = "upstream"   // by repository/package
	repositoryIndex = "repository" // by the Repositories that they name
	dependencyIndex = "dependency" // by the names of the variants that they depend on
)

// AddIndexes adds the indexes of variants that reconciles ask for. It must be called once per cache.
func AddIndexes(indexer client.FieldIndexer) error {
	for name, values := range map[string]func(*variant.Spec) []string{
		downstreamIndex: func(s *variant.Spec) []string {
			return []string{revision.DownstreamOf(s).String()}
		},
		insideIndex: func(s *variant.Spec) []string {
			return revision.Names(revision.DownstreamOf(s).Ancestors())
		},
		upstreamIndex: func(s *variant.Spec) []string {
			return []string{revision.UpstreamOf(s.Upstream).String()}
		},
		repositoryIndex: func(s *variant.Spec) []string { return []string{s.Downstream.Repo, s.Upstream.Repo} },
		dependencyIndex: func(s *variant.Spec) []string {
			var names []string
			for i := range s.DependsOn {
				names = append(names, s.DependsOn[i].Name)
			}
			return names
		},
	} {
		index := func(o client.Object) []string { return specValues(o, values) }
		if err := indexer.IndexField(context.Background(), &v1alpha1.PackageVariant{}, name, index); err != nil {
			return fmt.Errorf("cannot index PackageVariants by %s: %w", name, err)
		}
	}
	return nil
}

// specValues returns the values of a variant that has both an upstream and a downstream.
func specValues(o client.Object, values func(*variant.Spec) []string) []string {
	pv, ok := o.(*v1alpha1.PackageVariant)
	if !ok || pv.Spec.Upstream == nil || pv.Spec.Downstream == nil {
		return nil
	}
	return values(&pv.Spec)
}

// indexed returns the variants with a value in an index, to be read only.
func (r *Reconciler) indexed(ctx context.Context, namespace, index, value string) ([]v1alpha1.PackageVariant, error) {
	var list v1alpha1.PackageVariantList
	err := r.client.List(ctx, &list, client.InNamespace(namespace), client.MatchingFields{index: value},
		client.UnsafeDisableDeepCopy)
	return list.Items, err
}

// variants returns the variants with a value in an index, if keep returns true for them.
func (r *Reconciler) variants(ctx context.Context, namespace, index, value string,
	keep func(*v1alpha1.PackageVariant) bool) []ctrl.Request {
	found, err := r.indexed(ctx, namespace, index, value)
	if err != nil { // the cache has no such index, which a test would have found
		log.FromContext(ctx).Error(err, "cannot find the variants that an object affects", "index", index, "value", value)
	}
	var requests []ctrl.Request
	for i := range found {
		if pv := &found[i]; keep == nil || keep(pv) {
			requests = append(requests, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(pv)})
		}
	}
	return requests
}

// cached returns the revisions that the cache has under a value of one of package porch's indexes, sorted by name.
func (r *Reconciler) cached(ctx context.Context, namespace, index, value string) ([]revision.Revision, error) {
	return porch.FindRevisions(ctx, r.client, namespace, index, value)
}
