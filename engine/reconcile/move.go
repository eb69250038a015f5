// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"context"
	"errors"
	"fmt"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
)

// move does a step that gives a revision another lifecycle.
func (a *action) move(ctx context.Context, step *decide.Step) error {
	name := step.Revision.Name
	switch step.Action {
	case decide.Propose:
		return a.propose(ctx, step.Revision)
	case decide.Approve:
		if _, err := a.lifecycle(ctx, step.Revision, revision.Published); err != nil {
			return err
		}
		a.did("Approved", fmt.Sprintf("published %s, by spec.approvalPolicy %s", name, a.in.Spec.ApprovalPolicy))
		return nil
	case decide.Withdraw:
		return a.withdraw(ctx, step.Revision)
	default: // decide.Keep
		if _, err := a.Packages.Move(ctx, step.Revision, revision.Published); err != nil {
			return err
		}
		a.in.progress.changed(step.Revision, func(r *revision.Revision) { r.Lifecycle = revision.Published })
		a.did("DeletionTakenBack", "took back the proposal to delete "+name)
		return nil
	}
}

// propose proposes a draft. The status says so first: afterwards it would not be known who proposed it.
func (a *action) propose(ctx context.Context, r *revision.Revision) error {
	saved := a.in.Saved
	saved.Proposing = kpt.Meaning(a.in.contents[r.Name].content.Files)
	if err := a.writeStatus(ctx, a.in.observation, func(status *v1alpha1.PackageVariantStatus) {
		status.SavedDraft, status.ObservedInputs = savedStatus(saved), ""
		status.OwnedRevisions = a.in.ownedRevisions(status.OwnedRevisions, false) // it may have been asked for just now
		op := &v1alpha1.Operation{Do: v1alpha1.OperationPropose, Revision: r.Name, Digest: saved.Proposing, Since: a.second()}
		if known := status.Operation; a.in.Saved.Proposing == saved.Proposing && known != nil {
			op.Since = known.Since // it is announced already
		}
		status.Operation = op
	}); err != nil {
		return err
	}
	a.in.progress.saved = &saved
	now, err := a.lifecycle(ctx, r, revision.Proposed)
	if err != nil {
		return err
	}
	saved.Proposed, saved.Proposing = now.Version, ""
	return nil
}

// withdraw makes a proposed revision a draft again. The home may rewrite its Kptfile, and the rewritten draft still
// counts as the controller's.
func (a *action) withdraw(ctx context.Context, r *revision.Revision) error {
	now, err := a.lifecycle(ctx, r, revision.Draft)
	if err != nil {
		return err
	}
	a.in.progress.saved = &decide.Saved{}
	content, err := a.Packages.Read(ctx, r.Namespace, r.Name)
	if err != nil {
		return err
	}
	if content.Version == now.Version {
		a.in.progress.saved = &decide.Saved{Name: r.Name, Content: kpt.Digest(content.Files)}
	}
	return nil
}

// lifecycle gives a revision another lifecycle, if its content has not changed since it was read.
func (a *action) lifecycle(ctx context.Context, r *revision.Revision,
	to revision.Lifecycle) (revision.Revision, error) {
	seen := *r
	if e, inspected := a.in.contents[r.Name]; inspected && r.Lifecycle == revision.Draft {
		seen.Version = e.content.Version
	}
	now, err := a.Packages.Move(ctx, &seen, to)
	switch {
	case err == nil:
		a.in.progress.moved(&seen, &now)
		return now, nil
	case isUnavailable(err), errors.Is(err, packages.ErrStale):
		return now, err
	default:
		return now, &approvalError{revision: r.Name, err: err}
	}
}
