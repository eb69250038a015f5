// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"context"
	"errors"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
)

// report writes the status of a variant for which there is nothing to do now, or of which a step has failed. It returns
// the failure if it has to be tried again, and otherwise nil: then the status says that nothing is left to do until an
// input changes.
func (r *Reconciler) report(ctx context.Context, in *inspection, d *decide.Decision, failed error) error {
	condition, failure := d.Condition, d.Err
	if failed != nil {
		condition, failure = in.failed(d, failed)
	}
	var news []warning
	written := r.writeStatus(ctx, in.observation, func(status *v1alpha1.PackageVariantStatus) {
		status.InjectedObjects = in.injected
		in.fill(status, d.Held, failed)
		news = in.setConditions(status, d, condition)
		in.fillProgress(status, d, condition)
		status.ObservedInputs = ""
		if failure == nil && (condition.Type != v1alpha1.ConditionReconciling || d.Held) {
			status.ObservedInputs = r.observedInputs(in.observation)
		}
	})
	if written != nil {
		return written
	}
	in.progress.reported()
	r.recordEvents(in.pv, news)
	return failure
}

// failed returns the condition of a variant of which a step has failed, and the failure if that has to be tried again.
// It changes what the decision says of the step.
func (in *inspection) failed(d *decide.Decision, err error) (v1alpha1.Condition, error) {
	if failed, ok := errors.AsType[*approvalError](err); ok { // the package is as the variant asks for
		d.Approved = failed.aspect()
		return d.Condition, err
	}
	d.Injected = nil // the draft with these points may not have come about
	condition := conditionOf(err)
	if in.Deleting {
		condition = decide.WaitToGo(condition)
	}
	if lasting(err) {
		return condition, nil
	}
	return condition, err
}

// warning is the content of a warning Event.
type warning struct{ reason, message string }

// warnings are the reasons of aspects that get an Event.
var warnings = []string{
	v1alpha1.ReasonInjectionUnmet, v1alpha1.ReasonPermissionMissing, v1alpha1.ReasonApprovalFailed,
}

// setConditions sets the conditions, and returns a warning for each that is new.
func (in *inspection) setConditions(status *v1alpha1.PackageVariantStatus, d *decide.Decision,
	condition v1alpha1.Condition) (news []warning) {
	in.fillConflicts(status, d.Conflicted)
	if conflicts := newConflicts(&in.pv.Status, status); conflicts != nil &&
		condition.Reason != v1alpha1.ReasonConflicted { // that condition has an Event of its own
		news = append(news, warning{conflicts.Type, conflicts.Message})
	}
	for _, a := range []*decide.Aspect{d.Injected, d.Approved, d.Suspended} {
		if a != nil && a.Set(&status.Conditions, in.pv.Generation) && slices.Contains(warnings, a.Reason) {
			news = append(news, warning{a.Reason, a.Message})
		}
	}
	if condition.Set(&status.Conditions, in.pv.Generation) && condition.Type != v1alpha1.ConditionReady {
		news = append(news, warning{condition.Reason, condition.Message})
	}
	return news
}

// reportFailure writes why a variant could not be inspected, and returns the error. If the home does not find something
// because it is reading a repository, that is a failure like any other: no event says when it can be found again.
func (r *Reconciler) reportFailure(ctx context.Context, seen *observation, err error) error {
	if errors.Is(err, packages.ErrStale) {
		return err
	}
	condition := conditionOf(err)
	if seen.Deleting {
		condition = decide.WaitToGo(condition)
	}
	news := false
	written := r.writeStatus(ctx, seen, func(status *v1alpha1.PackageVariantStatus) {
		status.ObservedGeneration, status.ObservedInputs = seen.pv.Generation, ""
		news = condition.Set(&status.Conditions, seen.pv.Generation)
	})
	if news && written == nil {
		r.event(seen.pv, objects.Warning, condition.Reason, condition.Message)
	}
	return errors.Join(err, written)
}

// recordEvents records an Event for each warning that is new.
func (r *Reconciler) recordEvents(pv *v1alpha1.PackageVariant, news []warning) {
	for _, w := range news {
		r.event(pv, objects.Warning, w.reason, w.message)
	}
}
