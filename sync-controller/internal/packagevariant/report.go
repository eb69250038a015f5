// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// report writes the status after the steps. It returns the new observation, whether more steps follow, and the error of
// a step that has to be retried. While more steps follow, it writes only what must not be lost, because the writes of
// the steps come back as events. If it wrote nothing, it returns no observation.
func (r *Reconciler) report(ctx context.Context, in *inspection, decided decide.Decision, out *result) (
	known *observation, more bool, err error) {
	if out.gone {
		return nil, false, out.err
	}
	if porch.Busy(out.err) {
		return nil, false, errors.Join(out.err, r.saveState(ctx, in, out))
	}
	after, more := out.decideAgain(&decided)
	if after.Conflicted != nil { // what was saved is not pending any more
		decided.Conflicted = after.Conflicted
	}
	condition, failure := out.condition(after, in.Deleting)
	if failure == nil && more && out.nothingToTell(in, condition) {
		return nil, true, nil
	}
	known = &observation{pv: out.pv, Input: out.Input, objects: in.objects}
	if len(out.contents) > 0 {
		out.injected, known.objects = injectedObjects(out.contents)
	}
	var news []warning
	written := r.writeStatus(ctx, out.pv, func(status *v1alpha1.PackageVariantStatus) {
		out.fill(status, in, after.Held)
		news = out.setConditions(in, status, decided.Conflicted, &after, condition)
		out.fillProgress(status, &after, condition)
		status.ObservedInputs = ""
		if failure == nil && !more && (condition.Type != v1alpha1.ConditionReconciling || after.Held) {
			status.ObservedInputs = r.observedInputs(known)
		}
	})
	if written != nil {
		return nil, false, errors.Join(written, r.saveState(ctx, in, out))
	}
	r.recordEvents(out.pv, news)
	return known, more, failure
}

// saveState writes the state that must not be lost, even if the variant has changed meanwhile: which draft only the
// controller has edited, and that a save was finished.
func (r *Reconciler) saveState(ctx context.Context, in *inspection, out *result) error {
	if out.Saved == in.Saved && out.approval == nil && (!out.marked || out.saving != nil) {
		return nil
	}
	before, after := in.pv.DeepCopy(), in.pv.DeepCopy()
	if out.marked {
		before.Status.SavingDraft = &v1alpha1.SavingDraft{}
	}
	out.fillLife(&after.Status)
	if err := r.client.Status().Patch(ctx, after, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("cannot write the status: %w", orOutdated(err))
	}
	return nil
}

// nothingToTell reports whether the status needs no write while more steps follow.
func (out *result) nothingToTell(in *inspection, condition v1alpha1.Condition) bool {
	return condition.Type != v1alpha1.ConditionReady && out.Saved == in.Saved && out.change == nil
}

// decideAgain decides once more after the steps of a decision, and reports whether more steps follow. They do if a
// revision that was not inspected has become a target, for example behind a draft that was discarded.
func (out *result) decideAgain(done *decide.Decision) (after decide.Decision, more bool) {
	after = decide.Decide(&out.Input)
	unseen := out.err == nil && len(done.Steps) > 0 &&
		slices.ContainsFunc(decide.Inspections(&out.Input), func(name string) bool {
			_, seen := out.contents[name]
			return !seen
		})
	if unseen {
		after.Condition, after.Err = done.Condition, nil
	}
	return after, unseen || out.err == nil && len(after.Steps) > 0
}

// warning is the content of a warning Event.
type warning struct{ reason, message string }

// warnings are the reasons of aspects that get an Event.
var warnings = []string{
	v1alpha1.ReasonInjectionUnmet, v1alpha1.ReasonPermissionMissing, v1alpha1.ReasonApprovalFailed,
}

// setConditions sets the conditions, and returns a warning for each that is new.
func (out *result) setConditions(in *inspection, status *v1alpha1.PackageVariantStatus, conflicted *decide.Conflicted,
	after *decide.Decision, condition v1alpha1.Condition) (news []warning) {
	out.fillConflicts(status, conflicted)
	if conflicts := newConflicts(&in.pv.Status, status); conflicts != nil &&
		condition.Reason != v1alpha1.ReasonConflicted { // that condition has an Event of its own
		news = append(news, warning{conflicts.Type, conflicts.Message})
	}
	if failed, is := errors.AsType[*approvalError](out.err); is {
		after.Approved = failed.aspect()
	}
	for _, a := range []*decide.Aspect{after.Injected, after.Approved, after.Suspended} {
		if a != nil && a.Set(&status.Conditions, out.pv.Generation) && slices.Contains(warnings, a.Reason) {
			news = append(news, warning{a.Reason, a.Message})
		}
	}
	if condition.Set(&status.Conditions, out.pv.Generation) && condition.Type != v1alpha1.ConditionReady {
		news = append(news, warning{condition.Reason, condition.Message})
	}
	return news
}

// condition returns the condition to report, and the failure behind it, if that has to be tried again.
func (out *result) condition(after decide.Decision, deleting bool) (v1alpha1.Condition, error) {
	if out.err == nil {
		return after.Condition, after.Err
	}
	if _, ofApproval := errors.AsType[*approvalError](out.err); ofApproval {
		return after.Condition, out.err
	}
	condition := conditionOf(out.err)
	if deleting {
		condition = decide.WaitToGo(condition)
	}
	if lasting(out.err) {
		return condition, nil
	}
	return condition, out.err
}

// reportFailure writes why a variant could not be inspected, and returns the error. If Porch does not find something
// because it is reading a repository, that is a failure like any other: no event says when it can be found again.
func (r *Reconciler) reportFailure(ctx context.Context, seen *observation, err error) error {
	if porch.Busy(err) {
		return err
	}
	pv := seen.pv.DeepCopy()
	condition := conditionOf(err)
	if seen.Deleting {
		condition = decide.WaitToGo(condition)
	}
	news := false
	written := r.writeStatus(ctx, pv, func(status *v1alpha1.PackageVariantStatus) {
		status.ObservedGeneration, status.ObservedInputs = pv.Generation, ""
		news = condition.Set(&status.Conditions, pv.Generation)
	})
	if news && written == nil {
		r.event(pv, corev1.EventTypeWarning, condition.Reason, condition.Message)
	}
	return errors.Join(err, written)
}

// recordEvents records an Event for each warning that is new.
func (r *Reconciler) recordEvents(pv *v1alpha1.PackageVariant, news []warning) {
	for _, w := range news {
		r.event(pv, corev1.EventTypeWarning, w.reason, w.message)
	}
}
