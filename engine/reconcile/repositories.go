// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"cmp"
	"context"
	"path"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/objects"
	"k8s.io/apimachinery/pkg/api/meta"
)

func (r *Reconciler) observeRepositories(ctx context.Context, o *observation) error {
	for _, name := range repositories(o.Spec) {
		repository, err := r.Variants.Repository(ctx, o.pv.Namespace, name)
		if err == nil && repository != nil {
			o.Repositories[name] = repository.Repository
			err = r.observeOverlaps(ctx, o, repository)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// observeOverlaps finds the Repositories that overlap one of the variant's: older ones of its namespace, and for the
// downstream also those of other namespaces.
func (r *Reconciler) observeOverlaps(ctx context.Context, o *observation, repository *objects.Repository) error {
	others, err := overlapping(ctx, r.Variants, repository)
	if err != nil {
		return err
	}
	isDownstream := o.Spec.Downstream != nil && o.Spec.Downstream.Repo == repository.Name
	for i := range others {
		other := &others[i]
		overlap := decide.Overlap{Repository: repository.Name, Directory: path.Join("/", repository.Directory),
			Other: other.Name, OtherDirectory: path.Join("/", other.Directory), Stalls: isDownstream}
		switch {
		case other.Namespace != repository.Namespace && isDownstream:
			overlap.Other, overlap.Stalls = other.Namespace+"/"+other.Name, false
		case other.Namespace != repository.Namespace, byAge(other, repository) > 0:
			continue
		}
		o.Overlaps = append(o.Overlaps, overlap)
	}
	return nil
}

// overlapping returns the Repositories in all namespaces that overlap one, the oldest first.
func overlapping(ctx context.Context, variants objects.Variants, repository *objects.Repository) (
	[]objects.Repository, error) {
	if repository.Address == "" {
		return nil, nil
	}
	found, err := variants.RepositoriesAround(ctx, repository.Address, repository.Directory)
	found = slices.DeleteFunc(found, func(other objects.Repository) bool {
		return other.Name == repository.Name && other.Namespace == repository.Namespace ||
			!repository.Overlaps(&other.Repository)
	})
	slices.SortFunc(found, func(a, b objects.Repository) int { return byAge(&a, &b) })
	return found, err
}

// byAge orders Repositories by their age, the oldest first.
func byAge(a, b *objects.Repository) int {
	return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name),
		cmp.Compare(a.Namespace, b.Namespace))
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
	return slices.Compact(names)
}

// readBefore treats a Repository that the home is reading as ready if revisions of it are known already. If the variant
// waits for a Repository, they may be from before it was registered anew, and a home may send no event when they go:
// until the Repository is ready, their contents may be missing, or have only some of the files.
func (o *observation) readBefore() {
	if ready := meta.FindStatusCondition(o.pv.Status.Conditions, v1alpha1.ConditionReady); ready != nil &&
		(ready.Reason == v1alpha1.ReasonRepositoryNotFound || ready.Reason == v1alpha1.ReasonRepositoryNotReady) {
		return
	}
	for _, r := range slices.Concat(o.Revisions, o.OwnedInOtherPackages, o.Bases) {
		if repository := o.Repositories[r.Package.Repo]; repository.Reading {
			repository.Ready = true
			o.Repositories[r.Package.Repo] = repository
		}
	}
}
