// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"errors"
	"io"
	"net"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/access"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/timeouts"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Classify returns an error of Porch as the port packages has them.
func Classify(err error) error {
	if err == nil {
		return nil
	}
	rendered, _ := RenderError(err)
	return &packages.Error{Kind: kindOf(err), Condition: conditionOf(err), Rendered: rendered, Err: err}
}

// kindOf returns the kind of an error of Porch.
func kindOf(err error) error {
	switch {
	case apierrors.IsNotFound(err), SourceMissing(err):
		return packages.ErrAbsent
	case Busy(err), apierrors.IsAlreadyExists(err):
		return packages.ErrStale
	case errors.Is(err, ErrNoFiles):
		return packages.ErrNoFiles
	case TimedOut(err):
		return packages.ErrTimeout
	case isBroken(err):
		return packages.ErrNoAnswer
	case Unavailable(err), RunnerUnavailable(err):
		return packages.ErrUnavailable
	case RefusesFiles(err), Placeholder(err), SourceUnpublished(err), errors.Is(err, timeouts.ErrTooLarge),
		says(err, packageExists, packageNests), says(err, refusedForGood...), !Unsure(err):
		return packages.ErrRefused
	}
	return packages.ErrUnsure
}

// isBroken reports whether a connection ended before the answer came, so that what was asked may have been done.
func isBroken(err error) bool {
	var network net.Error
	var op *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.As(err, &network) && (!errors.As(err, &op) || op.Op != "dial")
}

// conditionOf returns what an error of Porch means for a variant; zero if that is no more than its kind says.
func conditionOf(err error) v1alpha1.Condition {
	rendered, ofRender := RenderError(err)
	switch {
	case RefusesFiles(err):
		return packages.FileRefused(err)
	case TooLarge(err):
		return packages.TooLarge(err)
	case RunnerUnavailable(err):
		return v1alpha1.Reconciling(v1alpha1.ReasonFunctionRunnerUnavailable,
			"will try again: Porch's function-runner does not answer: "+err.Error())
	case ofRender:
		return packages.RenderFailed(rendered)
	case Placeholder(err):
		return packages.Placeholder(err)
	case says(err, packageExists):
		return packages.Exists(err)
	case says(err, packageNests):
		return packages.Nests(err)
	case says(err, refusedForGood...):
		return packages.Refused(err)
	case Migrated(err):
		return v1alpha1.Stalled(v1alpha1.ReasonRepositoryMigrated,
			"the packages are served by another version of Porch's API, which this controller does not know yet: "+err.Error())
	case apierrors.IsForbidden(err):
		return v1alpha1.Stalled(v1alpha1.ReasonPermissionMissing, "nothing is wrong with this variant, but the controller "+
			"lacks a right in this namespace, and tries again: an administrator has to bind its ServiceAccount to the "+
			"ClusterRole "+access.Role+" ("+err.Error()+")")
	}
	return v1alpha1.Condition{}
}
