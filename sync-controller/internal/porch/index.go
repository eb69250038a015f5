// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"context"
	"fmt"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// PackageIndex is the name of packages.ByPackage in the cache.
const PackageIndex = string(packages.ByPackage)

// addressIndex finds the cached Repositories by the address of their git repository.
const addressIndex = "address"

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
	if err := indexer.IndexField(context.Background(), &configapi.Repository{}, addressIndex, addresses); err != nil {
		return fmt.Errorf("cannot index Repositories by %s: %w", addressIndex, err)
	}
	return nil
}

// addresses returns the value of a Repository in addressIndex.
func addresses(o client.Object) []string {
	repository, ok := o.(*configapi.Repository)
	if !ok || repository.Spec.Git == nil {
		return nil
	}
	return []string{revision.Canonical(repository.Spec.Git.Repo)}
}
