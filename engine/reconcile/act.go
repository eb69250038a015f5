// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
)

// action does one step of a decision.
type action struct {
	*Reconciler
	in *inspection
	// disposed says what was done with a revision that is not wanted any more.
	disposed string
}

// act does the first step of a decision.
func (r *Reconciler) act(ctx context.Context, in *inspection, d *decide.Decision) error {
	a := &action{Reconciler: r, in: in}
	err := a.mark(ctx, d)
	if err == nil {
		err = a.do(ctx, &d.Steps[0])
		r.Stepped(&d.Steps[0], err)
	}
	if a.disposed != "" {
		r.event(in.pv, objects.Normal, Disposed, a.disposed)
	}
	r.expose(in, d, err)
	return err
}

// mark removes the observed inputs from the status before a step. It also writes which draft will be saved, and with
// which conflicts, because that cannot be found out after the save. It fails if the cache is behind, even if there is
// nothing to change.
func (a *action) mark(ctx context.Context, d *decide.Decision) error {
	first := &d.Steps[0]
	switch first.Action {
	case decide.AddFinalizer, decide.RemoveFinalizer, decide.Propose:
		return nil // the step itself fails if the cache is behind
	case decide.Create:
		if !announced(a.in.pv, first.Draft) {
			return a.announce(ctx, first.Draft, d)
		}
	case decide.Mutate, decide.Discard:
		if a.in.justMade(first.Revision.Name) {
			return nil // it was announced
		}
	}
	change := func(status *v1alpha1.PackageVariantStatus) {
		status.ObservedInputs = ""
		status.Operation = cmp.Or(a.in.saveOperation(first, a.second()), a.in.pendingOperation())
		a.in.fillConflicts(status, d.Conflicted)
	}
	write := a.patchStatus
	if a.in.progress.wroteLast(a.in.pv) {
		write = a.writeStatus
	}
	return a.tellConflicts(func() error { return write(ctx, a.in.observation, change) })
}

// tellConflicts writes the status, and records an Event about conflicts that it has got by that.
func (a *action) tellConflicts(write func() error) error {
	before := a.in.pv.Status.DeepCopy()
	if err := write(); err != nil {
		return err
	}
	if conflicts := newConflicts(before, &a.in.pv.Status); conflicts != nil {
		a.event(a.in.pv, objects.Warning, conflicts.Type, conflicts.Message)
	}
	return nil
}

// do does one step of a decision.
func (a *action) do(ctx context.Context, step *decide.Step) error {
	switch step.Action {
	case decide.AddFinalizer:
		return a.patch(ctx, func(pv *v1alpha1.PackageVariant) { pv.Finalizers = append(pv.Finalizers, v1alpha1.Finalizer) })
	case decide.RemoveFinalizer:
		return a.patch(ctx,
			func(pv *v1alpha1.PackageVariant) {
				pv.Finalizers = slices.DeleteFunc(pv.Finalizers, func(name string) bool { return name == v1alpha1.Finalizer })
			})
	case decide.KeepPackages:
		return a.writeStatus(ctx, a.in.observation, func(s *v1alpha1.PackageVariantStatus) { s.KeepPackages = true })
	case decide.Create:
		return a.create(ctx, step.Draft)
	case decide.Mutate:
		return a.saveDraft(ctx, step.Revision)
	case decide.Adopt, decide.TakeBack:
		return a.own(ctx, step)
	case decide.Keep, decide.Propose, decide.Approve, decide.Withdraw:
		return a.move(ctx, step)
	default:
		return a.dispose(ctx, step)
	}
}

// announce writes to the status which draft the controller will ask for, and with which conflicts, before it asks. So
// the draft is known to be the variant's even if the controller or Porch stops.
func (a *action) announce(ctx context.Context, draft *decide.Draft, d *decide.Decision) error {
	change := func(status *v1alpha1.PackageVariantStatus) {
		d.Condition.Set(&status.Conditions, a.in.pv.Generation)
		a.in.fillConflicts(status, d.Conflicted)
		status.ObservedGeneration, status.ObservedInputs = a.in.pv.Generation, ""
		status.Operation = &v1alpha1.Operation{Do: string(draft.Task.Type), Revision: draft.Name(),
			Source: draft.Task.Source, Since: a.second()}
	}
	return a.tellConflicts(func() error { return a.writeStatus(ctx, a.in.observation, change) })
}

// create makes a draft. That causes no Event: the task of the draft says the same, and a fleet makes thousands of
// drafts.
func (a *action) create(ctx context.Context, draft *decide.Draft) error {
	made, err := a.Packages.Ask(ctx, packages.Draft{
		Namespace: a.in.pv.Namespace, Package: draft.Package, Workspace: draft.Workspace,
		Metadata: packages.Metadata{Labels: a.in.Spec.Labels, Annotations: a.in.Spec.Annotations},
		Owner:    a.in.Owner, Task: draft.Task,
	})
	if err != nil {
		return a.notCreated(ctx, draft, err)
	}
	a.in.progress.answered(&made, draft.Task)
	told := ""
	if u := a.in.Upstream; u.Commit == "" && !u.Main() && made.Lock != nil && draft.Task.Source == u.Name {
		told = made.Lock.Commit
		a.in.progress.upstream.name, a.in.progress.upstream.commit = u.Name, told
	}
	a.in.progress.begun = a.begun(&made, draft, told)
	with := a.in.Input
	with.Revisions = append(slices.Clip(with.Revisions), made)
	if gone := decide.Replaced(&with); gone != "" {
		a.event(a.in.pv, objects.Warning, v1alpha1.ReasonDraftMissing, made.Name+" was made in place of "+gone+
			", which is not found any more, and may lack its changes")
	}
	return nil
}

// begun returns the draft of an upgrade that was made, with the files of our own merge; nil for another draft. They get
// the commit of the upstream that the draft told; "" if it was known, or is not.
func (a *action) begun(made *revision.Revision, draft *decide.Draft, told string) *evaluated {
	local, merged := a.in.contents[draft.Task.Local]
	if !merged {
		return nil
	}
	files := local.files
	if told != "" {
		lock := *a.in.lock(a.in.target(draft.Task.Local))
		lock.Commit = told
		files = maps.Clone(files)
		text, err := kpt.Lock(files["Kptfile"], &lock)
		if err != nil {
			return nil // it is read, and says what is wrong
		}
		files["Kptfile"] = text
	}
	return &evaluated{content: packages.Unread(made), files: files, asMade: true,
		merge: new(a.in.Merges[draft.Task.Local])}
}

// own makes the variant the owner of a revision. A revision that is new to it gets its labels and annotations.
func (a *action) own(ctx context.Context, step *decide.Step) error {
	target := step.Revision
	metadata := packages.Metadata{Labels: a.in.Spec.Labels, Annotations: a.in.Spec.Annotations}
	reason, message := "Adopted", "adopted "+target.Name
	if step.Action == decide.TakeBack {
		metadata = packages.Metadata{}
		reason, message = "TakenBack", "took back "+target.Name+", of which the owner had been lost"
		if owned, _ := target.Of(a.in.Owner); owned {
			message = "took back " + target.Name + ", which this variant owned before it was restored"
		}
	}
	owners := target.OwnedBy(a.in.Owner)
	if err := a.Packages.Own(ctx, target, owners, metadata); err != nil {
		return err
	}
	a.in.progress.changed(target, func(r *revision.Revision) { r.Owners = owners })
	a.did(reason, message)
	return nil
}

// did records an Event for what was done to a revision.
func (a *action) did(what, message string) { a.event(a.in.pv, objects.Normal, what, message) }
