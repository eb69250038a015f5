// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/mutate"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// mutationError is the failure of a function of the variant over the files of a revision.
type mutationError struct {
	revision string
	err      error
}

func (e *mutationError) Error() string { return decide.FunctionFailed(e.revision, e.err).Message }

func (e *mutationError) Unwrap() error { return e.err }

// conditionOf tells the user of an error.
func conditionOf(err error) v1alpha1.Condition {
	runtime, noRuntime := errors.AsType[*mutate.UnavailableError](err)
	mutation, ofFunction := errors.AsType[*mutationError](err)
	rendered, ofRender := porch.RenderError(err)
	switch {
	case noRuntime:
		return v1alpha1.Reconciling(v1alpha1.ReasonFunctionRunnerUnavailable, "will try again: "+runtime.Message)
	case porch.RunnerUnavailable(err):
		return v1alpha1.Reconciling(v1alpha1.ReasonFunctionRunnerUnavailable,
			"will try again: Porch's function-runner does not answer: "+err.Error())
	case porch.Unavailable(err):
		return v1alpha1.Reconciling(v1alpha1.ReasonPorchUnavailable, "will try again: "+err.Error())
	case ofFunction:
		return decide.FunctionFailed(mutation.revision, mutation.err)
	case ofRender:
		return v1alpha1.Stalled(v1alpha1.ReasonRenderFailed,
			"nothing was saved, because the pipeline in the package's Kptfile failed; correct the function or its config, in "+
				"the upstream or in this variant: "+rendered)
	case porch.Placeholder(err):
		return v1alpha1.Stalled(v1alpha1.ReasonUpstreamIsPlaceholder,
			"this version of Porch derives no package from a branch: publish the upstream, and name its revision "+
				"in spec.upstream ("+err.Error()+")")
	case porch.Migrated(err):
		return v1alpha1.Stalled(v1alpha1.ReasonRepositoryMigrated,
			"the packages are served by another version of Porch's API, which this controller does not know yet: "+err.Error())
	default:
		return v1alpha1.Reconciling(v1alpha1.ReasonPorchFailed, "will try again: "+err.Error())
	}
}

// report writes what there is to tell after the steps. Nothing is told while more steps follow, unless there is
// something to remember: what was written comes back as an event.
func (r *Reconciler) report(ctx context.Context, in *inspection, decided decide.Decision,
	out *result) (ctrl.Result, error) {
	if out.gone {
		return ctrl.Result{}, out.err
	}
	if porch.Busy(out.err) {
		return ctrl.Result{}, errors.Join(out.err, r.remember(ctx, in, out))
	}
	after, more := out.decideAgain(&decided)
	if decided.Conflicted == nil { // those of a draft that was finished are known by now
		decided.Conflicted = after.Conflicted
	}
	condition, err := out.condition(after, in.Deleting)
	if err == nil && more && out.nothingToTell(in, condition) {
		return ctrl.Result{RequeueAfter: lookAgain}, nil
	}
	known := &observation{pv: out.pv, Input: out.Input, objects: in.objects}
	if len(out.contents) > 0 {
		out.injected, known.objects = injectedObjects(out.contents)
	}
	wait := r.retryAfter(in.key(), err)
	var news []warning
	var deliveries []delivery
	written := r.writeStatus(ctx, out.pv, func(status *v1alpha1.PackageVariantStatus) {
		before := status.DeepCopy()
		out.fill(status, in)
		news = out.setConditions(status, decided.Conflicted, &after, condition)
		deliveries = out.deliver(before, status, metav1.Now())
		out.fillProgress(status, &after, condition)
		status.ObservedInputs = ""
		if err != nil {
			status.ObservedInputs = r.failedInputs(known, wait)
		} else if !more && (condition.Type != v1alpha1.ConditionReconciling || after.Held) {
			status.ObservedInputs = r.observedInputs(known)
		}
	})
	if err != nil {
		log.FromContext(ctx).Info("cannot do what is needed", "reason", condition.Reason, "error", err.Error(), "again", wait)
	}
	if written != nil {
		return ctrl.Result{}, written
	}
	r.tell(out.pv, news, deliveries)
	return ctrl.Result{RequeueAfter: r.again(ctx, known, more, wait)}, nil
}

// remember writes that a draft which could not be saved is nobody else's yet.
func (r *Reconciler) remember(ctx context.Context, in *inspection, out *result) error {
	if out.Saved == in.Saved {
		return nil
	}
	return r.writeStatus(ctx, out.pv, out.fillLife)
}

// nothingToTell reports whether nothing is to be written while more steps follow: nothing to tell, nor to remember.
func (out *result) nothingToTell(in *inspection, condition v1alpha1.Condition) bool {
	return condition.Type != v1alpha1.ConditionReady && out.Saved == in.Saved && out.change == nil
}

// decideAgain decides by what is known after the steps of a decision, and reports whether more steps follow. It is not
// known while a revision has become a target that was not looked at: behind a draft that was discarded for example.
func (out *result) decideAgain(done *decide.Decision) (after decide.Decision, more bool) {
	if done.Conflicted != nil {
		out.Conflicts = done.Conflicted.Conflicts
	}
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

// again waits until the caches know what was written, and returns when the variant is to be looked at again: after
// wait, if steps failed, and soon if more follow or the caches are behind. 0 is when an event tells of something.
func (r *Reconciler) again(ctx context.Context, written *observation, more bool, wait time.Duration) time.Duration {
	if caughtUp := r.await(ctx, written); wait == 0 && (more || !caughtUp) {
		return lookAgain
	}
	return wait
}

// warning is what an Event is to tell of.
type warning struct{ reason, message string }

// warnings are the reasons of aspects of which an Event tells.
var warnings = []string{
	v1alpha1.ReasonInjectionUnmet, v1alpha1.ReasonPermissionMissing, v1alpha1.ReasonApprovalFailed,
}

// setConditions sets the conditions, and returns what is news in them.
func (out *result) setConditions(status *v1alpha1.PackageVariantStatus, conflicted *decide.Conflicted,
	after *decide.Decision, condition v1alpha1.Condition) (news []warning) {
	if out.fillConflicts(status, conflicted) && condition.Reason != v1alpha1.ReasonConflicted {
		news = append(news, warning{v1alpha1.ConditionConflicted, conflicted.Message})
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

// condition returns what there is to tell, and the failure that it tells of, if that is to be tried again.
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
	if porch.Placeholder(out.err) { // nothing but another upstream helps
		return condition, nil
	}
	return condition, out.err
}

// reportFailure writes why a variant could not be looked at, if err is not nil. What Porch does not find while it reads
// a repository is a failure like any other: no event tells when it does.
func (r *Reconciler) reportFailure(ctx context.Context, seen *observation, err error) error {
	if err == nil || porch.Busy(err) || errors.Is(err, errOutdated) {
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

// writeStatus writes the status, if it changes, unless somebody else has changed the variant meanwhile.
func (r *Reconciler) writeStatus(ctx context.Context, pv *v1alpha1.PackageVariant,
	change func(*v1alpha1.PackageVariantStatus)) error {
	before := pv.DeepCopy()
	change(&pv.Status)
	if equality.Semantic.DeepEqual(before.Status, pv.Status) {
		return nil
	}
	if err := r.client.Status().Patch(ctx, pv, client.MergeFromWithOptions(before,
		client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("cannot write the status: %w", err)
	}
	return nil
}

const (
	// catchUp is how long a reconcile waits at most until the caches know what it wrote.
	catchUp     = 3 * time.Second
	lookedAfter = 10 * time.Millisecond
	// lookAgain is when a variant is looked at again of which an event should tell: Porch loses a write now and then.
	lookAgain = 10 * time.Second
)

// await waits until the caches know what was written, so that the next reconcile finds it settled. It reports whether
// they came to know it in time.
func (r *Reconciler) await(ctx context.Context, written *observation) bool {
	return nil == wait.PollUntilContextTimeout(ctx, lookedAfter, catchUp, true, func(ctx context.Context) (bool, error) {
		var pv v1alpha1.PackageVariant
		if err := r.client.Get(ctx, written.key(), &pv); err != nil {
			return apierrors.IsNotFound(err), nil
		}
		if pv.ResourceVersion != written.pv.ResourceVersion {
			return pv.Generation != written.pv.Generation, nil
		}
		seen, err := r.observe(ctx, &pv)
		return err != nil || pv.Status.ObservedInputs == "" || seen.hash() == written.hash(), nil
	})
}

// tell tells of what a status that was written has that is new.
func (r *Reconciler) tell(pv *v1alpha1.PackageVariant, news []warning, deliveries []delivery) {
	for _, w := range news {
		r.event(pv, corev1.EventTypeWarning, w.reason, w.message)
	}
	for _, d := range deliveries {
		delivered.WithLabelValues(d.until).Observe(d.took.Seconds())
	}
}

// event records an Event of the variant.
func (r *Reconciler) event(pv *v1alpha1.PackageVariant, kind, reason, message string) {
	r.events.Eventf(pv, nil, kind, reason, "Reconcile", "%s", v1alpha1.ShortenNote(message))
}
