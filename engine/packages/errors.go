// SPDX-License-Identifier: Apache-2.0

package packages

import (
	"errors"
	"fmt"

	"github.com/package-variants/package-variants/api/v1alpha1"
)

// The kinds of errors of a home, for errors.Is.
var (
	// ErrAbsent says that there is no such revision. A home can be wrong about that for a while.
	ErrAbsent = errors.New("absent")
	// ErrStale says that a write was decided on something that has changed: it has to be decided again.
	ErrStale = errors.New("stale")
	// ErrUnsure says that it is not known whether a write was done, in whole or in part, or that what was read is
	// incomplete: it has to be observed again.
	ErrUnsure = errors.New("unsure")
	// ErrRefused says that the home will never do this, until what it was asked changes.
	ErrRefused = errors.New("refused")
	// ErrUnavailable says that the home cannot be reached, or is too busy, and nothing was done.
	ErrUnavailable = errors.New("unavailable")
)

// Cases of ErrUnsure that are told apart.
var (
	// ErrNoFiles says that a revision was read that has no file. The content that is returned with it has its version.
	ErrNoFiles = fmt.Errorf("%w: no files", ErrUnsure)
	// ErrNoAnswer says that no answer came.
	ErrNoAnswer = fmt.Errorf("%w: no answer", ErrUnsure)
	// ErrTimeout says that none came in time.
	ErrTimeout = fmt.Errorf("%w in time", ErrNoAnswer)
)

// Error is what a home says of a call that failed.
type Error struct {
	// Kind is one of the kinds of errors.
	Kind error
	// Condition is what the error means for a variant; its Reason is "" if the error says no more than its kind.
	Condition v1alpha1.Condition
	// Rendered is what the functions of the package's pipeline said, if that is why a write was refused.
	Rendered string
	// Err says what failed.
	Err error
}

// Error implements error.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the kind, and what failed.
func (e *Error) Unwrap() []error { return []error{e.Kind, e.Err} }

// ConditionOf returns what an error of a home means for a variant, if the home said so.
func ConditionOf(err error) (v1alpha1.Condition, bool) {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Condition.Reason == "" {
		return v1alpha1.Condition{}, false
	}
	return e.Condition, true
}

// Rendered returns what the functions of a package's pipeline said, if that is why a write was refused.
func Rendered(err error) (string, bool) {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Rendered == "" {
		return "", false
	}
	return e.Rendered, true
}
