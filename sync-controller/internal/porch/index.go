// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"context"
	"fmt"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/engine/packages"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// PackageIndex is the name of packages.ByPackage in the cache.
const PackageIndex = string(packages.ByPackage)

// locationIndex finds the cached Repositories by their keys.
const locationIndex = "location"

// AddIndexes adds the indexes to a cache. It must be called once per cache.
func AddIndexes(indexer client.FieldIndexer) error {
	for name, values := range packages.Indexes {
		index := func(o client.Object) []string {
			pr, ok := o.(*porchapi.PackageRevision)
			if !ok {
				return nil
			}
			r := Revision(pr)
			return values(&r)
		}
		if err := indexer.IndexField(context.Background(), &porchapi.PackageRevision{}, string(name), index); err != nil {
			return fmt.Errorf("cannot index PackageRevisions by %s: %w", name, err)
		}
	}
	if err := indexer.IndexField(context.Background(), &configapi.Repository{}, locationIndex, locations); err != nil {
		return fmt.Errorf("cannot index Repositories by %s: %w", locationIndex, err)
	}
	return nil
}

// locations returns the values of a Repository in locationIndex.
func locations(o client.Object) []string {
	repository, ok := o.(*configapi.Repository)
	if !ok || repository.Spec.Git == nil {
		return nil
	}
	of := repositoryOf(repository)
	return of.Keys()
}
