// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"errors"
	"fmt"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/access"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// mutationError is the failure of a function of the variant over the files of a revision.
type mutationError struct {
	revision string
	err      error
}

func (e *mutationError) Error() string { return decide.FunctionFailed(e.revision, e.err).Message }

func (e *mutationError) Unwrap() error { return e.err }

// approvalError is the failure of an approval, or of a step on the way to it. The package is still as the variant asks
// for.
type approvalError struct {
	revision string
	err      error
}

func (e *approvalError) Error() string { return e.err.Error() }

func (e *approvalError) Unwrap() error { return e.err }

// aspect returns the condition for the failure.
func (e *approvalError) aspect() *decide.Aspect {
	a := &decide.Aspect{Type: v1alpha1.ConditionApproved, Reason: v1alpha1.ReasonApprovalFailed,
		Message: fmt.Sprintf("%s is not published, will try again: %v", e.revision, e.err)}
	if apierrors.IsForbidden(e.err) {
		a.Reason = v1alpha1.ReasonPermissionMissing
		a.Message += "; bind the controller's ServiceAccount to the ClusterRole " + decide.ApproverRole
	}
	return a
}

// conditionOf returns the condition for an error.
func conditionOf(err error) v1alpha1.Condition {
	runtime, noRuntime := errors.AsType[*mutate.UnavailableError](err)
	mutation, ofFunction := errors.AsType[*mutationError](err)
	rendered, ofRender := porch.RenderError(err)
	unusable, isUnusable := errors.AsType[*unusableError](err)
	timedOut, isTimedOut := errors.AsType[*timedOutError](err)
	switch {
	case isUnusable:
		return v1alpha1.Stalled(unusable.reason, unusable.Error())
	case isTimedOut:
		return v1alpha1.Stalled(v1alpha1.ReasonPorchTimedOut, timedOut.Error())
	case porch.RefusesFiles(err):
		return v1alpha1.Stalled(v1alpha1.ReasonPackageRefused, krm.Visible("Porch does not take a file of the package: "+
			"rename or correct the file that it names, in the upstream or in this package ("+err.Error()+")"))
	case porch.TooLarge(err):
		return v1alpha1.Stalled(v1alpha1.ReasonPackageTooLarge,
			"nothing was saved, because all files of the package are sent in one request, and it is larger than Porch takes: "+
				"make the package smaller, or split it ("+err.Error()+")")
	case noRuntime:
		return v1alpha1.Reconciling(v1alpha1.ReasonFunctionRunnerUnavailable, "will try again: "+runtime.Message)
	case porch.RunnerUnavailable(err):
		return v1alpha1.Reconciling(v1alpha1.ReasonFunctionRunnerUnavailable,
			"will try again: Porch's function-runner does not answer: "+err.Error())
	case ofFunction && !porch.Unavailable(err):
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
	case apierrors.IsForbidden(err):
		return v1alpha1.Stalled(v1alpha1.ReasonPermissionMissing, "nothing is wrong with this variant, but the controller "+
			"lacks a right in this namespace, and tries again: an administrator has to bind its ServiceAccount to the "+
			"ClusterRole "+access.Role+" ("+err.Error()+")")
	default:
		return v1alpha1.Reconciling(v1alpha1.ReasonPorchUnavailable, "will try again: "+err.Error())
	}
}

// lasting reports whether an error stays until something changes that causes an event.
func lasting(err error) bool {
	_, isUnusable := errors.AsType[*unusableError](err)
	_, isTimedOut := errors.AsType[*timedOutError](err)
	return isUnusable || isTimedOut || porch.RefusesFiles(err) || porch.TooLarge(err) || porch.Placeholder(err)
}

// unavailable reports whether no function could be run.
func unavailable(err error) bool {
	_, is := errors.AsType[*mutate.UnavailableError](err)
	return is
}
