// SPDX-License-Identifier: Apache-2.0

package review

import (
	"context"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/kptfile"
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
		if repository, is := porch.RepositoryOf(&list[i]); is {
			repositories[repository.Name] = repository.Repository
		}
	}
	revision.Locate(revisions, repositories)
	var items []review.Item
	for i := range variants {
		in := &review.Input{Words: cli.Words, Variant: &variants[i], Revisions: revisions, Repositories: repositories,
			Files: map[string]map[string]string{}, Gates: map[string][]string{},
			AllowConflicts: o.allowConflicts, AllowGates: o.allowGates}
		if err := read(ctx, c, in); err != nil {
			return nil, err
		}
		items = append(items, a.items(in)...)
	}
	return items, nil
}

// read reads the files to compare, and their gates.
func read(ctx context.Context, c *live.Cluster, in *review.Input) error {
	open, published := in.Targets()
	for i := range open {
		files, err := c.Files(ctx, open[i].Name)
		if err != nil {
			return err
		}
		in.Files[open[i].Name] = files
		if in.Gates[open[i].Name], err = kptfile.UnmetGates(files); err != nil {
			return err
		}
	}
	if len(open) == 0 || published == nil {
		return nil
	}
	files, err := c.Files(ctx, published.Name)
	in.Files[published.Name] = files
	return err
}
