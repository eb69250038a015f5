// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
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

// readBefore treats a Repository that Porch is reading as ready if revisions of it are known already. If the variant
// waits for a Repository, they may be from before it was registered anew, and newer Porch sends no event when they go:
// until the Repository is ready, their contents may be missing, or have only some of the files.
func (o *observation) readBefore() {
	if is := meta.FindStatusCondition(o.pv.Status.Conditions, v1alpha1.ConditionReady); is != nil &&
		(is.Reason == v1alpha1.ReasonRepositoryNotFound || is.Reason == v1alpha1.ReasonRepositoryNotReady) {
		return
	}
	for _, r := range slices.Concat(o.Revisions, o.OwnedInOtherPackages, o.Bases) {
		if repository := o.Repositories[r.Package.Repo]; repository.Reading {
			repository.Ready = true
			o.Repositories[r.Package.Repo] = repository
		}
	}
}
