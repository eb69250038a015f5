// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"context"
	"fmt"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/revision"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Indexes of the cached PackageRevisions.
const (
	// PackageIndex finds them by their package, as revision.Package writes it.
	PackageIndex = "package"
	// OwnerIndex finds them by the name of a PackageVariant that owns them.
	OwnerIndex = "owner"
	// CommitIndex finds them by the commit of their content.
	CommitIndex = "commit"
	// LockIndex finds them by the commit of the content that they were derived from.
	LockIndex = "lock"
)

// AddIndexes adds the indexes to a cache, which it must be called for once.
func AddIndexes(indexer client.FieldIndexer) error {
	for name, values := range map[string]client.IndexerFunc{
		PackageIndex: indexed(func(r revision.Revision) string { return r.Package.String() }),
		CommitIndex:  indexed(func(r revision.Revision) string { return r.Commit }),
		LockIndex: indexed(func(r revision.Revision) string {
			if r.Lock == nil {
				return ""
			}
			return r.Lock.Commit
		}),
		OwnerIndex: func(o client.Object) []string { return revision.Variants(o) },
	} {
		if err := indexer.IndexField(context.Background(), &porchapi.PackageRevision{}, name, values); err != nil {
			return fmt.Errorf("cannot index PackageRevisions by %s: %w", name, err)
		}
	}
	return nil
}

// indexed returns what a cache finds PackageRevisions by, from what is known of one.
func indexed(value func(revision.Revision) string) client.IndexerFunc {
	return func(o client.Object) []string {
		pr, ok := o.(*porchapi.PackageRevision)
		if !ok {
			return nil
		}
		return []string{value(Revision(pr))}
	}
}
