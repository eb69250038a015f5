// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/mutate"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/revision"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
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
	case porch.Unavailable(err):
		return v1alpha1.Reconciling(v1alpha1.ReasonPorchUnavailable, "will try again: "+err.Error())
	case ofFunction:
		return decide.FunctionFailed(mutation.revision, mutation.err)
	case ofRender:
		return v1alpha1.Stalled(v1alpha1.ReasonRenderFailed, "nothing was saved, because the pipeline in the package's Kptfile failed; correct the function or its config, in the upstream or in this variant: "+rendered)
	case porch.Placeholder(err):
		return v1alpha1.Stalled(v1alpha1.ReasonUpstreamIsPlaceholder, "this version of Porch derives no package from a branch: publish the upstream, and name its revision in spec.upstream ("+err.Error()+")")
	case porch.Migrated(err):
		return v1alpha1.Stalled(v1alpha1.ReasonRepositoryMigrated, "the packages are served by another version of Porch's API, which this controller does not know yet: "+err.Error())
	default:
		return v1alpha1.Reconciling(v1alpha1.ReasonPorchFailed, "will try again: "+err.Error())
	}
}

// report writes what there is to tell after the steps. Nothing is told while more steps follow: what was written comes
// back as an event.
func (r *Reconciler) report(ctx context.Context, in *inspection, decided decide.Decision, out *result) (ctrl.Result, error) {
	if out.gone || porch.Busy(out.err) {
		return ctrl.Result{}, out.err
	}
	after := decide.Decide(&out.Input)
	condition, err := out.condition(after, in.Deleting)
	more := out.err == nil && len(after.Steps) > 0
	if err == nil && more && condition.Type != v1alpha1.ConditionReady {
		return ctrl.Result{RequeueAfter: lookAgain}, nil
	}
	known := &observation{pv: out.pv, Input: out.Input, objects: in.objects}
	if len(out.contents) > 0 {
		out.injected, known.objects = injectedObjects(out.contents)
	}
	var wait time.Duration
	written := r.writeStatus(ctx, out.pv, func(status *v1alpha1.PackageVariantStatus) {
		out.fill(status, in, after.Injected)
		if out.fillConflicts(status, decided.Conflicted) && condition.Reason != v1alpha1.ReasonConflicted {
			r.event(out.pv, corev1.EventTypeWarning, v1alpha1.ConditionConflicted, decided.Conflicted.Message)
		}
		if unmet := after.Injected; unmet != nil && !unmet.Filled && !meta.IsStatusConditionFalse(in.pv.Status.Conditions, v1alpha1.ConditionConfigInjected) {
			r.event(out.pv, corev1.EventTypeWarning, unmet.Reason, unmet.Message)
		}
		if condition.Set(&status.Conditions, out.pv.Generation) && condition.Type != v1alpha1.ConditionReady {
			r.event(out.pv, corev1.EventTypeWarning, condition.Reason, condition.Message)
		}
		status.ObservedInputs = ""
		if err != nil {
			wait = retryAfter(status.Conditions)
			status.ObservedInputs = r.failedInputs(known, wait)
		} else if !more && condition.Type != v1alpha1.ConditionReconciling {
			status.ObservedInputs = r.observedInputs(known)
		}
	})
	if err != nil {
		log.FromContext(ctx).Info("cannot do what is needed", "reason", condition.Reason, "error", err.Error(), "again", wait)
	}
	if written == nil && !r.await(ctx, known) && wait == 0 {
		wait = lookAgain
	}
	return ctrl.Result{RequeueAfter: wait}, written
}

// condition returns what there is to tell, and the failure that it tells of, if that is to be tried again.
func (out *result) condition(after decide.Decision, deleting bool) (v1alpha1.Condition, error) {
	if out.err == nil {
		return after.Condition, after.Err
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

// reportFailure writes why a variant could not be looked at, if err is not nil.
func (r *Reconciler) reportFailure(ctx context.Context, seen *observation, err error) error {
	if err == nil || apierrors.IsNotFound(err) || porch.Busy(err) || errors.Is(err, errOutdated) {
		return client.IgnoreNotFound(err)
	}
	pv := seen.pv.DeepCopy()
	condition := conditionOf(err)
	if seen.Deleting {
		condition = decide.WaitToGo(condition)
	}
	written := r.writeStatus(ctx, pv, func(status *v1alpha1.PackageVariantStatus) {
		status.ObservedGeneration, status.ObservedInputs = pv.Generation, ""
		if condition.Set(&status.Conditions, pv.Generation) {
			r.event(pv, corev1.EventTypeWarning, condition.Reason, condition.Message)
		}
	})
	return errors.Join(err, written)
}

// fill sets what is to be known after the steps.
func (out *result) fill(status *v1alpha1.PackageVariantStatus, in *inspection, injected *decide.Injected) {
	status.ObservedGeneration = out.pv.Generation
	if injected != nil {
		injected.Set(&status.Conditions, out.pv.Generation)
	}
	if u := out.Upstream; u != nil {
		status.Upstream = &v1alpha1.ResolvedUpstream{Name: u.Name, Revision: u.Number, Commit: u.Commit}
	}
	if len(out.contents) > 0 {
		status.InjectedObjects = out.injected
	}
	status.OwnedRevisions = out.ownedRevisions(status.OwnedRevisions, in.fresh)
	if d := out.Requested; out.err == nil && (d.Workspace == "" || slices.ContainsFunc(out.Revisions, func(r revision.Revision) bool {
		_, current := r.Of(out.Owner)
		return current && r.Package == d.Package && r.Workspace == d.Workspace
	})) {
		status.RequestedDraft = nil
	}
	if decide.Guard(&out.Input) == nil && !out.Deleting {
		out.fillTargets(status)
	}
}

// ownedRevisions returns the names of the revisions that the variant made or adopted. Those that were known stay unless
// Porch was asked for them, and where it has none at all: if they come back without an owner, as they do when a Repository
// is registered anew, they are known by it.
func (out *result) ownedRevisions(known []string, asked bool) []string {
	var names []string
	for _, r := range decide.Owned(&out.Input) {
		names = append(names, r.Name)
	}
	if !asked || len(names) == 0 {
		names = append(names, known...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// injectedObjects returns the objects that injectors name in any of the contents, and the versions by which they were
// read. One that was read in two versions has none that is known: it is looked at again.
func injectedObjects(contents map[string]evaluated) (all []v1alpha1.ObjectReference, versions []string) {
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		e := contents[name]
		for i, o := range e.references {
			reference := v1alpha1.ObjectReference{APIVersion: o.APIVersion, Kind: o.Kind.Kind, Name: o.Name}
			if at := slices.Index(all, reference); at < 0 {
				all, versions = append(all, reference), append(versions, e.versions[i])
			} else if versions[at] != e.versions[i] {
				versions[at] = "changing"
			}
		}
	}
	return all, versions
}

// maxConflicts is how many conflicts the status has at most.
const maxConflicts = 20

// fillConflicts sets the conflicts of the merge that was decided, and reports whether they are new. Those of an earlier one
// stay for as long as its draft is open.
func (out *result) fillConflicts(status *v1alpha1.PackageVariantStatus, decided *decide.Conflicted) (news bool) {
	open := slices.ContainsFunc(decide.Targets(&out.Input), func(r revision.Revision) bool { return r.Open() })
	switch {
	case decided == nil && (open || !meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionConflicted)):
		return false
	case decided == nil:
		decided = &decide.Conflicted{Reason: v1alpha1.ReasonNoConflicts, Message: "what was merged is published"}
	}
	before := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionConflicted)
	news = len(decided.Conflicts) > 0 && (before == nil || before.Message != decided.Message || before.Reason != decided.Reason)
	decided.Set(&status.Conditions, out.pv.Generation)
	status.ConflictCount = int32(len(decided.Conflicts))
	status.Conflicts = decided.Conflicts[:min(len(decided.Conflicts), maxConflicts)]
	return news
}

// fillTargets sets the targets: with the render status of what was saved, or else the one known.
func (out *result) fillTargets(status *v1alpha1.PackageVariantStatus) {
	var targets []v1alpha1.DownstreamTarget
	for _, r := range decide.Targets(&out.Input) {
		target := v1alpha1.DownstreamTarget{Name: r.Name, Lifecycle: string(r.Lifecycle)}
		for _, known := range status.DownstreamTargets {
			if known.Name == r.Name {
				target.RenderStatus = known.RenderStatus
			}
		}
		if rendered, saved := out.rendered[r.Name]; saved {
			target.RenderStatus = renderStatus(rendered)
		}
		if rendered, failed := porch.RenderError(out.err); failed {
			target.RenderStatus = &v1alpha1.RenderStatus{Err: rendered}
		}
		targets = append(targets, target)
	}
	if len(targets) > 0 {
		status.DownstreamTargets = targets
	}
}

// renderStatus returns Porch's render status as this API's, which has the same JSON.
func renderStatus(from porchapi.RenderStatus) *v1alpha1.RenderStatus {
	var to v1alpha1.RenderStatus
	data, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(data, &to)
	}
	if err != nil { // the types do not agree any more, which a test would have found
		to.Err = fmt.Sprintf("cannot read what Porch says of the render: %v", err)
	}
	to.Result.Metadata = metav1.ObjectMeta{} // the API keeps nothing of it
	return &to
}

// writeStatus writes the status, if it changes, unless somebody else has changed the variant meanwhile.
func (r *Reconciler) writeStatus(ctx context.Context, pv *v1alpha1.PackageVariant, change func(*v1alpha1.PackageVariantStatus)) error {
	before := pv.DeepCopy()
	change(&pv.Status)
	if equality.Semantic.DeepEqual(before.Status, pv.Status) {
		return nil
	}
	if err := r.client.Status().Patch(ctx, pv, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
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

// await waits until the caches know what was written, so that the next reconcile finds it settled. It reports whether they
// came to know it in time.
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

// event records an Event of the variant.
func (r *Reconciler) event(pv *v1alpha1.PackageVariant, kind, reason, message string) {
	r.events.Eventf(pv, nil, kind, reason, "Reconcile", "%s", v1alpha1.ShortenNote(message))
}
