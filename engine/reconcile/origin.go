// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"context"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
)

// locate sets the origins of the published ones of revisions in one namespace, by their Repositories in the cache.
func (a *Affected) locate(ctx context.Context, revisions []revision.Revision) error {
	repositories := map[string]revision.Repository{}
	for i := range revisions {
		name := revisions[i].Package.Repo
		if _, known := repositories[name]; known {
			continue
		}
		repository, err := a.Variants.Repository(ctx, revisions[i].Namespace, name)
		if err != nil {
			return err
		}
		repositories[name] = revision.Repository{}
		if repository != nil {
			repositories[name] = repository.Repository
		}
	}
	revision.Locate(revisions, repositories)
	return nil
}

// named returns the published revisions in a namespace on which a lock was taken, under the names of all Repositories;
// in all namespaces for "".
func (a *Affected) named(ctx context.Context, namespace string, lock *revision.Lock) ([]revision.Revision, error) {
	repositories, err := a.Variants.RepositoriesAround(ctx, lock.Repo, lock.Place())
	if err != nil {
		return nil, err
	}
	var found []revision.Revision
	for i := range repositories {
		in := &repositories[i]
		pkg, below := packageAt(in, lock.Place())
		if !below || namespace != "" && in.Namespace != namespace {
			continue
		}
		revisions, err := a.Known.Find(ctx, in.Namespace, packages.ByPackage, pkg.String())
		if err != nil {
			return nil, err
		}
		if err := a.locate(ctx, revisions); err != nil {
			return nil, err
		}
		for j := range revisions {
			if revisions[j].Published() && lock.Names(&revisions[j]) {
				found = append(found, revisions[j])
			}
		}
	}
	return found, nil
}

// packageAt returns what a Repository calls the package in a directory of its git repository. It returns false if the
// directory is not below the Repository's.
func packageAt(repository *objects.Repository, place string) (revision.Package, bool) {
	name, below := strings.CutPrefix(place, repository.Root())
	return revision.Package{Repo: repository.Name, Name: name}, below
}

// derived returns the revisions in a namespace whose lock was taken on a revision; in all namespaces for "".
func (a *Affected) derived(ctx context.Context, namespace string, rev *revision.Revision) (
	found []revision.Revision, err error) {
	for _, key := range rev.LockKeys() {
		revisions, err := a.Known.Find(ctx, namespace, packages.ByLock, key)
		if err != nil {
			return nil, err
		}
		for i := range revisions {
			if revisions[i].Lock.Names(rev) {
				found = append(found, revisions[i])
			}
		}
	}
	slices.SortFunc(found, revision.ByName)
	return slices.CompactFunc(found, func(a, b revision.Revision) bool {
		return a.Name == b.Name && a.Namespace == b.Namespace
	}), nil
}

// take takes the variant's turn to write to the Repositories that it may write to, and reports whether it has it.
func (r *Reconciler) take(ctx context.Context, o *observation) (bool, error) {
	return r.Turns.Take(ctx, o.key(), o.written(), o.savedInParts())
}

// savedInParts reports whether the home saves the observed revisions in parts, as far as that is known.
func (o *observation) savedInParts() bool {
	whole := func(r revision.Revision) bool { return !r.InParts }
	all := slices.Concat(o.Revisions, o.OwnedInOtherPackages, o.Bases)
	return len(all) > 0 && !slices.ContainsFunc(all, whole)
}
