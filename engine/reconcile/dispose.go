// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"context"
	"fmt"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Disposed is the reason of Events about revisions that are not wanted any more.
const Disposed = "Disposed"

// dispose deals with a revision that is not wanted any more, or notes that those stay.
func (a *action) dispose(ctx context.Context, step *decide.Step) (err error) {
	if step.Action == decide.KeepPackages {
		return a.writeStatus(ctx, a.in.observation, func(s *v1alpha1.PackageVariantStatus) { s.KeepPackages = true })
	}
	target, did := step.Revision, ""
	owners := target.Owners
	switch step.Action {
	case decide.Discard:
		did, err = "deleted the incomplete draft", a.remove(ctx, target, target.Version)
	case decide.Delete:
		did, err = "deleted", a.remove(ctx, target, target.Version)
	case decide.ProposeDeletion:
		if a.in.Deleting {
			owners = target.OrphanedBy(a.in.Owner)
		}
		did, err = "proposed the deletion of", a.proposeDeletion(ctx, target, owners)
	case decide.Orphan:
		if err := a.disown(ctx, target.Name); err != nil {
			return err
		}
		did = "orphaned"
		if target.Lifecycle == revision.Proposed && !decide.Orphans(&a.in.Input) {
			did = "left without an owner, because people have proposed it:"
		}
		err = a.Packages.Own(ctx, target, target.OrphanedBy(a.in.Owner), packages.Metadata{})
	default:
		return fmt.Errorf("there is no step %s", step.Action)
	}
	if err != nil {
		return ignoreAbsent(err) // it is gone already
	}
	if step.Action != decide.Discard || !a.in.justMade(target.Name) {
		a.disposed = did + " " + target.Name
	}
	switch step.Action {
	case decide.ProposeDeletion:
		a.in.progress.changed(target, func(r *revision.Revision) {
			r.Lifecycle, r.Owners = revision.DeletionProposed, owners
		})
	case decide.Orphan:
		a.in.progress.changed(target, func(r *revision.Revision) { r.Owners = target.OrphanedBy(a.in.Owner) })
	default:
		a.in.progress.moved(target, nil)
	}
	return nil
}

// proposeDeletion proposes the deletion of a published revision, and gives it these owners.
func (a *action) proposeDeletion(ctx context.Context, r *revision.Revision, owners []metav1.OwnerReference) error {
	owned := *r
	owned.Owners = owners
	_, err := a.Packages.Move(ctx, &owned, revision.DeletionProposed)
	return err
}

// remove deletes a revision if it is still at the given version: a deletion does not check versions.
func (a *action) remove(ctx context.Context, r *revision.Revision, version string) error {
	now, err := a.Packages.Get(ctx, r.Namespace, r.Name)
	if err != nil {
		return err
	}
	if now.Version != version {
		return fmt.Errorf("cannot delete package revision %s: %w", r.Name, packages.ErrStale)
	}
	return a.Packages.Delete(ctx, r)
}

// disown removes a revision from those that the variant may take back, before the revision loses its owner.
func (a *action) disown(ctx context.Context, name string) error {
	return a.writeStatus(ctx, a.in.observation, func(status *v1alpha1.PackageVariantStatus) {
		isIt := func(owned string) bool { return owned == name }
		status.OwnedRevisions = slices.DeleteFunc(slices.Clone(status.OwnedRevisions), isIt)
	})
}
