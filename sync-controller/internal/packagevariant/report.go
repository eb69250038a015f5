// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/conditions"
	"github.com/package-variants/package-variants/sync-controller/internal/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/mutate"
	"github.com/package-variants/package-variants/sync-controller/internal/objects"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// mutationError is the failure of a function of the variant, or of reading what it needs.
type mutationError struct {
	revision string
	err      error
}

func functionError(revision string, err error) error {
	return &mutationError{revision: revision, err: err}
}

func (e *mutationError) Error() string { return fmt.Sprintf("cannot change %s: %v", e.revision, e.err) }

func (e *mutationError) Unwrap() error { return e.err }

// failed returns the outcome of a reconcile that could not decide.
func failed(err error) outcome { return outcome{verdict: verdictOf(err), err: err} }

// verdictOf tells the user of an error.
func verdictOf(err error) conditions.Verdict {
	var denied *objects.DeniedError
	var mutation *mutationError
	var runtime *mutate.UnavailableError
	rendered, isRender := porch.RenderError(err)
	switch {
	case errors.As(err, &runtime):
		return conditions.Verdict{Reason: decide.ReasonFunctionRunnerUnavailable, Message: "will try again: " + runtime.Message}
	case porch.Unavailable(err):
		return conditions.Verdict{Reason: decide.ReasonPorchUnavailable, Message: "will try again: " + err.Error()}
	case errors.As(err, &denied):
		return conditions.Verdict{Reason: decide.ReasonPermissionMissing, Message: denied.Error()}
	case errors.As(err, &mutation):
		return conditions.Verdict{Reason: decide.ReasonFunctionFailed, Message: mutation.Error()}
	case isRender:
		return conditions.Verdict{Reason: decide.ReasonRenderFailed, Message: "nothing was saved, because the pipeline in the package's Kptfile failed; correct the function or its config, in the upstream or in this variant: " + rendered}
	default:
		return conditions.Verdict{Reason: decide.ReasonPorchFailed, Message: "will try again: " + err.Error()}
	}
}

// report writes the status, if it changed, and tells of a new problem by an Event.
func (r *Reconciler) report(ctx context.Context, pv *v1alpha1.PackageVariant, o *outcome) error {
	before := pv.DeepCopy()
	news := conditions.Set(&pv.Status.Conditions, pv.Generation, o.verdict)
	// Where there are none, the names of those that there were stay: if they come back without an owner, as they do when a
	// Repository is registered anew, they are known by it.
	if len(o.targets) > 0 {
		targets, err := downstreamTargets(before.Status.DownstreamTargets, o)
		if err != nil {
			return err
		}
		pv.Status.DownstreamTargets = targets
	}
	if equality.Semantic.DeepEqual(before.Status, pv.Status) {
		return nil
	}
	if news && !o.verdict.Ready {
		r.tell(pv, corev1.EventTypeWarning, o.verdict.Reason, o.verdict.Message, nil)
	}
	if o.err != nil {
		log.FromContext(ctx).Info("cannot reconcile", "reason", o.verdict.Reason, "error", o.err.Error())
	}
	if err := r.client.Status().Patch(ctx, pv, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("cannot write the status: %w", err)
	}
	r.statuses.Put(pv, &pv.Status)
	return nil
}

// downstreamTargets returns the targets of the status: with the render status of what was saved, or else the one known.
func downstreamTargets(known []v1alpha1.DownstreamTarget, o *outcome) ([]v1alpha1.DownstreamTarget, error) {
	var targets []v1alpha1.DownstreamTarget
	for _, r := range o.targets {
		target := v1alpha1.DownstreamTarget{Name: r.Name, Lifecycle: string(r.Lifecycle)}
		for _, k := range known {
			if k.Name == r.Name {
				target.RenderStatus = k.RenderStatus
			}
		}
		if status, saved := o.rendered[r.Name]; saved {
			converted, err := renderStatus(status)
			if err != nil {
				return nil, err
			}
			target.RenderStatus = converted
		}
		if rendered, ok := porch.RenderError(o.err); ok {
			target.RenderStatus = &v1alpha1.RenderStatus{Err: rendered}
		}
		targets = append(targets, target)
	}
	return targets, nil
}

// renderStatus returns Porch's render status as this API's, which has the same JSON.
func renderStatus(from porchapi.RenderStatus) (*v1alpha1.RenderStatus, error) {
	data, err := json.Marshal(from)
	if err != nil {
		return nil, err
	}
	var to v1alpha1.RenderStatus
	if err := json.Unmarshal(data, &to); err != nil {
		return nil, err
	}
	to.Result.Metadata = metav1.ObjectMeta{} // the API keeps nothing of it
	return &to, nil
}

// tell records an Event of the variant, unless what it tells of failed.
func (r *Reconciler) tell(pv *v1alpha1.PackageVariant, kind, reason, message string, err error) {
	if err == nil {
		conditions.Tell(r.events, pv, kind, reason, message)
	}
}
