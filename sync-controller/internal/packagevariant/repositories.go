// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

func (r *Reconciler) observeRepositories(ctx context.Context, o *observation) error {
	for _, name := range repositories(o.Spec) {
		repository, err := porch.GetRepository(ctx, r.client, o.pv.Namespace, name)
		if err == nil {
			o.Repositories[name] = repository.Repository
		} else if !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

// repositories returns the names of the Repositories that a spec names.
func repositories(s *variant.Spec) []string {
	var names []string
	if s.Downstream != nil {
		names = append(names, s.Downstream.Repo)
	}
	if s.Upstream != nil {
		names = append(names, s.Upstream.Repo)
	}
	return names
}

// readBefore treats a Repository that Porch is reading as ready if revisions of it are known already.
func (o *observation) readBefore() {
	for _, r := range slices.Concat(o.Revisions, o.OwnedInOtherPackages, o.Bases) {
		if repository := o.Repositories[r.Package.Repo]; repository.Reading {
			repository.Ready = true
			o.Repositories[r.Package.Repo] = repository
		}
	}
}
