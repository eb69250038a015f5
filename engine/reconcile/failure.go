// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"errors"
	"fmt"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/packages"
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
	if c, _ := packages.ConditionOf(e.err); c.Reason == v1alpha1.ReasonPermissionMissing {
		a.Reason = v1alpha1.ReasonPermissionMissing
		a.Message += "; bind the controller's ServiceAccount to the ClusterRole " + decide.ApproverRole
	}
	return a
}

// conditionOf returns the condition for an error.
func conditionOf(err error) v1alpha1.Condition {
	runtime, noRuntime := errors.AsType[*mutate.UnavailableError](err)
	mutation, ofFunction := errors.AsType[*mutationError](err)
	condition, told := packages.ConditionOf(err)
	unusable, isUnusable := errors.AsType[*unusableError](err)
	timedOut, isTimedOut := errors.AsType[*timedOutError](err)
	switch {
	case isUnusable:
		return v1alpha1.Stalled(unusable.reason, unusable.Error())
	case isTimedOut:
		return v1alpha1.Stalled(v1alpha1.ReasonPorchTimedOut, timedOut.Error())
	case noRuntime:
		return v1alpha1.Reconciling(v1alpha1.ReasonFunctionRunnerUnavailable, "will try again: "+runtime.Message)
	case ofFunction:
		return decide.FunctionFailed(mutation.revision, mutation.err)
	case told:
		return condition
	default:
		return v1alpha1.Reconciling(v1alpha1.ReasonPorchUnavailable, "will try again: "+err.Error())
	}
}

// lasting are the reasons of what stays until something changes that causes an event.
var lastingReasons = []string{
	v1alpha1.ReasonPackageTooLarge, v1alpha1.ReasonPackageRefused, v1alpha1.ReasonUpstreamIsPlaceholder,
	v1alpha1.ReasonPorchTimedOut, v1alpha1.ReasonRejected,
}

// lasting reports whether an error stays until something changes that causes an event.
func lasting(err error) bool {
	return err != nil && slices.Contains(lastingReasons, conditionOf(err).Reason)
}

// isUnavailable reports whether the home of packages gave no answer.
func isUnavailable(err error) bool {
	return errors.Is(err, packages.ErrUnavailable) || errors.Is(err, packages.ErrNoAnswer)
}

// isUnsure reports whether a write failed in a way that leaves open what was done.
func isUnsure(err error) bool { return errors.Is(err, packages.ErrUnsure) || isUnavailable(err) }

// ignoreAbsent returns nil for the error of a revision that there is not, and every other error.
func ignoreAbsent(err error) error {
	if errors.Is(err, packages.ErrAbsent) {
		return nil
	}
	return err
}

// unavailable reports whether no function could be run.
func unavailable(err error) bool {
	_, ok := errors.AsType[*mutate.UnavailableError](err)
	return ok
}
