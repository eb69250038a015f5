// SPDX-License-Identifier: Apache-2.0

package review

import (
	"context"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/review"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/live"
)

// gather reads all about the variants, and returns the items to act on.
func gather(ctx context.Context, c *live.Cluster, a action, o *options,
	variants []v1alpha1.PackageVariant) ([]review.Item, error) {
	revisions, err := c.Revisions(ctx)
	if err != nil {
		return nil, err
	}
	list, err := c.Repositories(ctx)
	if err != nil {
		return nil, err
	}
	repositories := map[string]revision.Repository{}
	for i := range list {
		if repository, ok := porch.RepositoryOf(&list[i]); ok {
			repositories[repository.Name] = repository.Repository
		}
	}
	revision.Locate(revisions, repositories)
	var items []review.Item
	for i := range variants {
		in := &review.Input{Home: cli.Words, Variant: &variants[i], Revisions: revisions, Repositories: repositories,
			AllowConflicts: o.allowConflicts, AllowGates: o.allowGates}
		if err := in.Read(func(name string) (map[string]string, error) { return c.Files(ctx, name) }); err != nil {
			return nil, err
		}
		items = append(items, a.items(in)...)
	}
	return items, nil
}
