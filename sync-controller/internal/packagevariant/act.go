// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// act does the steps of a decision, in order. If a step fails, it skips the rest.
func (r *Reconciler) act(ctx context.Context, in *inspection, d decide.Decision) *result {
	a := &action{Reconciler: r, in: in, out: &result{Input: in.Input, pv: in.pv.DeepCopy(),
		rendered: map[string]v1alpha1.RenderStatus{}, contents: maps.Clone(in.contents)}}
	a.out.Mutations = maps.Clone(in.Mutations)
	a.out.Revisions, a.out.OwnedInOtherPackages = slices.Clone(in.Revisions), slices.Clone(in.OwnedInOtherPackages)
	a.out.Refused, a.out.Retired, a.out.Used = map[string]bool{}, maps.Clone(in.Retired), maps.Clone(in.Used)
	a.out.Saved, a.out.saving = in.savedUnchanged(), in.saving(d.Steps)
	if len(d.Steps) > 0 {
		a.out.err = a.mark(ctx, &d)
	}
	for i := range d.Steps {
		if a.out.err != nil {
			break
		}
		step := &d.Steps[i]
		a.out.err = a.do(ctx, step, &d)
		actions.WithLabelValues(label(step), outcomeOf(a.out.err)).Inc()
	}
	if len(a.disposed) > 0 {
		r.event(a.out.pv, corev1.EventTypeNormal, "Disposed", strings.Join(a.disposed, ", "))
	}
	return a.out
}

// mark removes the observed inputs from the status before the first step. It also writes which draft will be saved, and
// with which conflicts, because that cannot be found out after the save. It fails if the cache is behind, even if there
// is nothing to change.
func (a *action) mark(ctx context.Context, d *decide.Decision) error {
	switch first := &d.Steps[0]; first.Action {
	case decide.AddFinalizer, decide.RemoveFinalizer, decide.Propose:
		return nil // the step itself fails if the cache is behind
	case decide.Announce:
		if !announced(a.out.pv, first.Draft) {
			return nil
		}
	}
	a.out.marked = a.out.saving != nil
	return a.patchStatus(ctx, a.out.pv, func(status *v1alpha1.PackageVariantStatus) {
		status.ObservedInputs, status.SavingDraft = "", a.out.saving
		a.out.fillConflicts(status, d.Conflicted)
	})
}

// do does one step of a decision. The decision's condition is reported until the step is done.
func (a *action) do(ctx context.Context, step *decide.Step, d *decide.Decision) error {
	switch step.Action {
	case decide.AddFinalizer:
		a.out.Finalizer = true
		return a.patch(ctx, func(pv *v1alpha1.PackageVariant) { controllerutil.AddFinalizer(pv, v1alpha1.Finalizer) })
	case decide.RemoveFinalizer:
		a.out.gone = true
		return a.patch(ctx,
			func(pv *v1alpha1.PackageVariant) { controllerutil.RemoveFinalizer(pv, v1alpha1.Finalizer) })
	case decide.Announce:
		return a.announce(ctx, step.Draft, d)
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
// the draft is known to be the variant's even if the controller or Porch stops. On a retry it writes nothing, and the
// reason of the failure stays.
func (a *action) announce(ctx context.Context, draft *decide.Draft, d *decide.Decision) error {
	if announced(a.out.pv, draft) {
		return nil
	}
	return a.writeStatus(ctx, a.out.pv, func(status *v1alpha1.PackageVariantStatus) {
		d.Condition.Set(&status.Conditions, a.out.pv.Generation)
		a.out.fillConflicts(status, d.Conflicted)
		status.ObservedGeneration, status.ObservedInputs = a.out.pv.Generation, ""
		status.RequestedDraft = &v1alpha1.RequestedDraft{
			Repo: draft.Package.Repo, Package: draft.Package.Name, WorkspaceName: draft.Workspace,
			Task: string(draft.Task.Type), Source: draft.Task.Source,
		}
	})
}

// makes are the changes that tasks make, as the status names them. They cause no Events: the task of each draft says
// the same, and a fleet makes thousands of drafts.
var makes = map[revision.TaskType]string{
	revision.Clone: "Cloned", revision.Upgrade: "Upgraded", revision.Edit: "Edited",
}

// create makes a draft.
func (a *action) create(ctx context.Context, draft *decide.Draft) error {
	made, err := a.porch.Create(ctx, porch.Draft{
		Namespace: a.in.pv.Namespace, Package: draft.Package, Workspace: draft.Workspace,
		Labels: a.in.Spec.Labels, Annotations: a.in.Spec.Annotations, Owner: a.in.Owner, Task: draft.Task,
	})
	if err != nil {
		return a.notCreated(ctx, draft, err)
	}
	a.created = &made
	a.out.Revisions, a.out.Requested = append(a.out.Revisions, made), *draft
	slices.SortFunc(a.out.Revisions, revision.ByName)
	a.out.Requested.Version = made.Version
	if m, merged := a.in.Merges[draft.Task.Local]; merged { // it is in the draft now
		a.out.Merges = map[string]decide.Merge{made.Name: m}
	}
	if u := a.in.Upstream; u.Commit == "" && !u.Main() && made.Lock != nil && draft.Task.Source == u.Name {
		u.Commit, a.learned = made.Lock.Commit, made.Lock.Commit != ""
	}
	a.note(makes[draft.Task.Type], made.Name)
	if gone := decide.Replaced(&a.out.Input); gone != "" {
		a.event(a.out.pv, corev1.EventTypeWarning, v1alpha1.ReasonDraftMissing, made.Name+" was made in place of "+gone+
			", which Porch does not find any more, and may lack its changes")
	}
	return nil
}

// own makes the variant the owner of a revision. A revision that is new to it gets its labels and annotations.
func (a *action) own(ctx context.Context, step *decide.Step) error {
	target := step.Revision
	labels, annotations := a.in.Spec.Labels, a.in.Spec.Annotations
	reason, message := "Adopted", "adopted "+target.Name
	if step.Action == decide.TakeBack {
		labels, annotations = nil, nil
		reason, message = "TakenBack", "took back "+target.Name+", of which Porch had lost the owner"
		if owned, _ := target.Of(a.in.Owner); owned {
			message = "took back " + target.Name + ", which this variant owned before it was restored"
		}
	}
	owners := target.OwnedBy(a.in.Owner)
	if err := a.porch.SetMeta(ctx, target, owners, labels, annotations); err != nil {
		return err
	}
	a.did(reason, target.Name, message)
	a.changed(target.Name, func(r *revision.Revision) { r.Owners = owners })
	return nil
}
