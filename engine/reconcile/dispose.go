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
)

// Disposed is the reason of Events about revisions that are not wanted any more.
const Disposed = "Disposed"

// dispose deals with a revision that is not wanted any more.
func (a *action) dispose(ctx context.Context, step *decide.Step) error {
	target := step.Revision
	var did string
	var err error
	switch step.Action {
	case decide.Discard, decide.Delete:
		did = "deleted"
		if step.Action == decide.Discard {
			did = "deleted the incomplete draft"
		}
		if err = a.remove(ctx, target, target.Version); err == nil {
			a.in.progress.moved(target, nil)
		}
	case decide.ProposeDeletion:
		did, err = "proposed the deletion of", a.proposeDeletion(ctx, target)
	case decide.Orphan:
		did, err = a.orphan(ctx, target)
	default:
		return fmt.Errorf("there is no step %s", step.Action)
	}
	if err != nil {
		return ignoreAbsent(err) // it is gone already
	}
	if step.Action != decide.Discard || !a.in.justMade(target.Name) {
		a.disposed = did + " " + target.Name
	}
	return nil
}

// proposeDeletion proposes the deletion of a published revision, which does not keep a variant that goes as its owner.
func (a *action) proposeDeletion(ctx context.Context, r *revision.Revision) error {
	now := *r
	if a.in.Deleting {
		now.Owners = r.OrphanedBy(a.in.Owner)
	}
	if _, err := a.Packages.Move(ctx, &now, revision.DeletionProposed); err != nil {
		return err
	}
	a.in.progress.changed(r, func(r *revision.Revision) {
		r.Lifecycle, r.Owners = revision.DeletionProposed, now.Owners
	})
	return nil
}

// orphan lets a revision go without an owner, and returns what to say of it.
func (a *action) orphan(ctx context.Context, r *revision.Revision) (did string, err error) {
	if err := a.disown(ctx, r.Name); err != nil {
		return "", err
	}
	owners := r.OrphanedBy(a.in.Owner)
	if err := a.Packages.Own(ctx, r, owners, packages.Metadata{}); err != nil {
		return "", err
	}
	a.in.progress.changed(r, func(r *revision.Revision) { r.Owners = owners })
	if r.Lifecycle == revision.Proposed && !decide.Orphans(&a.in.Input) {
		return "left without an owner, because people have proposed it:", nil
	}
	return "orphaned", nil
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
