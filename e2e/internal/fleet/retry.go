// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// retry does something again as long as Porch is busy. It gives up after Timeout.
func (f *Fleet) retry(do func() error) error { return f.retryWhile(busy, do) }

// find is retry for what is done to a package revision that is there. Porch loses sight of a package revision for a
// moment, and finds it when it reads the repository again: see docs/limits.md. One that does not come back within
// Timeout is lost, and is an error.
func (f *Fleet) find(do func() error) error {
	return f.retryWhile(func(err error) bool { return busy(err) || apierrors.IsNotFound(err) }, do)
}

// retryWhile does something again as long as its error is a passing one, until Timeout.
func (f *Fleet) retryWhile(passing func(error) bool, do func() error) error {
	ctx, cancel := context.WithTimeout(f.t.Context(), f.Timeout)
	defer cancel()
	for {
		err := do()
		if !passing(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("gave up after %s", f.Timeout), err)
		case <-time.After(interval):
		}
	}
}

// busy tells whether a request conflicts with what somebody else does: Porch serves one request for a package at a time
// and refuses others.
func busy(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsServiceUnavailable(err) || lostForNow(err)
}

// lostForNow tells whether Porch did not find a branch, or its own record of a package revision. While it writes those
// of a repository it reads them badly.
func lostForNow(err error) bool {
	status, answered := errors.AsType[*apierrors.StatusError](err)
	return answered && status.Status().Code == http.StatusInternalServerError &&
		slices.ContainsFunc([]string{"reference not found", "ref file is empty", "remote not found",
			"packagerevs.config.porch.kpt.dev"}, func(text string) bool {
			return strings.Contains(err.Error(), text)
		})
}
