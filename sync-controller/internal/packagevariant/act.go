// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/revision"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// result is what is known after the steps of a decision, and what came of them.
type result struct {
	decide.Input
	// pv is the variant as it was written last.
	pv *v1alpha1.PackageVariant
	// contents are the contents that are known then, of the inspection and of the steps.
	contents map[string]evaluated
	// rendered is what Porch reported of the revisions that were saved, by name.
	rendered map[string]v1alpha1.RenderStatus
	// approval is that of a draft that was published; nil if none was.
	approval *v1alpha1.Approval
	// change is the last that was done to a revision; nil if nothing was.
	change *v1alpha1.Change
	// saving is the draft of which it is not known whether a save of it was finished; nil if that is known of all. marked
	// reports whether the status said so before the steps.
	saving *v1alpha1.SavingDraft
	marked bool
	// injected are the objects to watch from now on.
	injected []v1alpha1.ObjectReference
	// gone reports whether the variant itself was let go.
	gone bool
	// err is why the steps ended early.
	err error
}

// action is the performance of the steps of one decision.
type action struct {
	*Reconciler
	in  *inspection
	out *result
	// created is the draft that was made; nil before. learned reports whether its lock told the commit of the upstream,
	// which nothing else tells.
	created *revision.Revision
	learned bool
	// disposed says what was done with revisions that are not wanted any more.
	disposed []string
}

// act does the steps of a decision, in order. A step that fails ends them.
func (r *Reconciler) act(ctx context.Context, in *inspection, d decide.Decision) *result {
	a := &action{Reconciler: r, in: in, out: &result{Input: in.Input, pv: in.pv.DeepCopy(),
		rendered: map[string]v1alpha1.RenderStatus{}, contents: maps.Clone(in.contents)}}
	a.out.Mutations = maps.Clone(in.Mutations)
	a.out.Revisions, a.out.OwnedInOtherPackages = slices.Clone(in.Revisions), slices.Clone(in.OwnedInOtherPackages)
	a.out.Refused, a.out.Retired = map[string]bool{}, maps.Clone(in.Retired)
	a.out.Saved = in.savedUnchanged()
	if len(d.Steps) > 0 {
		a.out.saving = in.saving(d.Steps)
		a.out.err = a.mark(ctx, &d)
	}
	for i := range d.Steps {
		if a.out.err != nil {
			break
		}
		step := &d.Steps[i]
		a.out.err = a.do(ctx, step, d.Condition)
		actions.WithLabelValues(label(step), outcomeOf(a.out.err)).Inc()
	}
	if len(a.disposed) > 0 {
		r.event(a.out.pv, corev1.EventTypeNormal, "Disposed", strings.Join(a.disposed, ", "))
	}
	return a.out
}

// mark takes away from the status, before the first step, that the variant is settled, and says which draft is going to
// be saved, and with what conflicts: after a save, nobody could tell them any more. It is refused if the variant is not
// any more what the cache has of it, also where there is nothing to change.
func (a *action) mark(ctx context.Context, d *decide.Decision) error {
	switch first := &d.Steps[0]; first.Action {
	case decide.AddFinalizer, decide.RemoveFinalizer, decide.Propose:
		return nil // which does it
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

// do does one step. condition is what there is to tell meanwhile.
func (a *action) do(ctx context.Context, step *decide.Step, condition v1alpha1.Condition) error {
	switch step.Action {
	case decide.AddFinalizer:
		a.out.Finalizer = true
		return a.patch(ctx, func(pv *v1alpha1.PackageVariant) { controllerutil.AddFinalizer(pv, v1alpha1.Finalizer) })
	case decide.RemoveFinalizer:
		a.out.gone = true
		return a.patch(ctx,
			func(pv *v1alpha1.PackageVariant) { controllerutil.RemoveFinalizer(pv, v1alpha1.Finalizer) })
	case decide.Announce:
		return a.announce(ctx, step.Draft, condition)
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

// announce writes to the status which draft is going to be asked for, before it is: then it is known for the variant's,
// whatever happens to the controller or to Porch. Nothing is written where that is tried again, and why it failed
// stays.
func (a *action) announce(ctx context.Context, draft *decide.Draft, condition v1alpha1.Condition) error {
	if announced(a.out.pv, draft) {
		return nil
	}
	return a.writeStatus(ctx, a.out.pv, func(status *v1alpha1.PackageVariantStatus) {
		condition.Set(&status.Conditions, a.out.pv.Generation)
		status.ObservedGeneration, status.ObservedInputs = a.out.pv.Generation, ""
		status.RequestedDraft = &v1alpha1.RequestedDraft{
			Repo: draft.Package.Repo, Package: draft.Package.Name, WorkspaceName: draft.Workspace,
			Task: string(draft.Task.Type), Source: draft.Task.Source,
		}
	})
}

// create makes a draft.
func (a *action) create(ctx context.Context, draft *decide.Draft) error {
	made, err := a.porch.Create(ctx, porch.Draft{
		Namespace: a.in.pv.Namespace, Package: draft.Package, Workspace: draft.Workspace,
		Labels: a.in.Spec.Labels, Annotations: a.in.Spec.Annotations, Owner: a.in.Owner, Task: draft.Task,
	})
	if err != nil {
		return err
	}
	a.created = &made
	a.out.Revisions, a.out.Requested = append(a.out.Revisions, made), *draft
	a.out.Requested.Version = made.Version
	if u := a.in.Upstream; u.Commit == "" && !u.Main() && made.Lock != nil && draft.Task.Source == u.Name {
		u.Commit, a.learned = made.Lock.Commit, made.Lock.Commit != ""
	}
	switch t := draft.Task; t.Type {
	case revision.Clone:
		a.did("Cloned", made.Name, fmt.Sprintf("cloned %s into the draft %s", t.Source, made.Name), nil)
	case revision.Upgrade:
		a.did("Upgraded", made.Name, fmt.Sprintf("upgraded %s from %s to %s into the draft %s", t.Local, t.Base, t.Source,
			made.Name), nil)
	default:
		a.did("Edited", made.Name, fmt.Sprintf("edited %s into the draft %s", t.Source, made.Name), nil)
	}
	return nil
}

// own makes the variant the owner of a revision. Labels and annotations go on one that is new to it.
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
	err := a.porch.SetMeta(ctx, target, owners, labels, annotations)
	a.did(reason, target.Name, message, err)
	a.changed(target.Name, func(r *revision.Revision) { r.Owners = owners })
	return err
}

// dispose deals with a revision that is not wanted any more.
func (a *action) dispose(ctx context.Context, step *decide.Step) (err error) {
	target, did, change := step.Revision, "", "Deleted"
	switch step.Action {
	case decide.Discard:
		did, err = "deleted the incomplete draft", a.remove(ctx, target, target.Version)
	case decide.Delete:
		did, err = "deleted", a.remove(ctx, target, target.Version)
	case decide.ProposeDeletion:
		owners := target.Owners
		if a.in.Deleting {
			owners = target.OrphanedBy(a.in.Owner)
		}
		change = "DeletionProposed"
		did, err = "proposed the deletion of", a.porch.ProposeDeletion(ctx, target, owners)
	case decide.Retire:
		return a.retire(ctx, target)
	case decide.Orphan:
		if err := a.disown(ctx, target.Name); err != nil {
			return err
		}
		change = "Orphaned"
		did, err = "orphaned", a.porch.SetMeta(ctx, target, target.OrphanedBy(a.in.Owner), nil, nil)
	default:
		return fmt.Errorf("there is no step %s", step.Action)
	}
	if apierrors.IsNotFound(err) {
		return nil // it went by itself
	}
	if err == nil {
		a.disposed = append(a.disposed, did+" "+target.Name)
		a.note(change, target.Name)
		a.gone(target.Name)
	}
	return err
}

// remove deletes a revision that is still what was looked at: Porch asks for no version when it deletes.
func (a *action) remove(ctx context.Context, r *revision.Revision, version string) error {
	now, err := a.porch.Revision(ctx, r.Namespace, r.Name)
	if err != nil {
		return err
	}
	if now.Version != version {
		return fmt.Errorf("cannot delete package revision %s: %w", r.Name, porch.ErrOutdated)
	}
	return a.porch.Delete(ctx, r)
}

// retire proposes the deletion of a superseded revision. A refusal is told once: it is tried again when something
// changes.
func (a *action) retire(ctx context.Context, target *revision.Revision) error {
	err := a.porch.ProposeDeletion(ctx, target, target.Owners)
	switch {
	case err == nil:
		a.disposed = append(a.disposed, "proposed the deletion of "+target.Name+", by spec.revisionHistoryLimit")
		a.note("DeletionProposed", target.Name)
		a.changed(target.Name, func(r *revision.Revision) { r.Lifecycle = revision.DeletionProposed })
		a.out.Retired[target.Name] = true
	case porch.Unavailable(err), porch.Busy(err):
		return err
	case !apierrors.IsNotFound(err):
		a.out.Refused[target.Name] = true
		a.event(a.out.pv, corev1.EventTypeWarning, "HistoryKept", target.Name+
			" stays, though it is beyond spec.revisionHistoryLimit: "+err.Error())
	}
	return nil
}

// disown takes a revision out of those that may be taken back, before it loses its owner.
func (a *action) disown(ctx context.Context, name string) error {
	return a.writeStatus(ctx, a.out.pv, func(status *v1alpha1.PackageVariantStatus) {
		is := func(owned string) bool { return owned == name }
		status.OwnedRevisions = slices.DeleteFunc(slices.Clone(status.OwnedRevisions), is)
	})
}

// changed changes what is known of a revision after a step.
func (a *action) changed(name string, change func(*revision.Revision)) {
	for i := range a.out.Revisions {
		if a.out.Revisions[i].Name == name {
			change(&a.out.Revisions[i])
		}
	}
}

// gone takes a revision out of what is known after a step.
func (a *action) gone(name string) {
	is := func(r revision.Revision) bool { return r.Name == name }
	a.out.Revisions = slices.DeleteFunc(a.out.Revisions, is)
	a.out.OwnedInOtherPackages = slices.DeleteFunc(a.out.OwnedInOtherPackages, is)
}

// did notes what was done to a revision, and records an Event of it, if err is nil.
func (a *action) did(what, name, message string, err error) {
	if err == nil {
		a.note(what, name)
		a.event(a.out.pv, corev1.EventTypeNormal, what, message)
	}
}

// note notes what was done to a revision.
func (a *action) note(what, name string) {
	a.out.change = &v1alpha1.Change{Action: what, Revision: name, Time: metav1.Now()}
}
