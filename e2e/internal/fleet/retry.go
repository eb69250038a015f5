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

// retry retries do while Porch is busy, until Timeout.
func (f *Fleet) retry(do func() error) error { return f.retryWhile(busy, do) }

// find is retry for an existing package revision. Porch can lose sight of a package revision and find it again when it
// next reads the repository: see docs/limits.md. A package revision that stays away until Timeout is an error. What
// Porch has not done in time, on a busy machine, is done again.
func (f *Fleet) find(do func() error) error {
	return f.retryWhile(func(err error) bool {
		return busy(err) || apierrors.IsNotFound(err) || apierrors.IsTimeout(err)
	}, do)
}

// retryWhile retries do while its error is a passing one, until Timeout.
func (f *Fleet) retryWhile(passing func(error) bool, do func() error) error {
	ctx, cancel := context.WithTimeout(f.t.Context(), f.Timeout)
	defer cancel()
	pauses := polling
	for {
		err := do()
		if !passing(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("gave up after %s", f.Timeout), err)
		case <-time.After(pauses.Step()):
		}
	}
}

// busy reports whether a request conflicts with another one: Porch serves one request for a package at a time and
// refuses others.
func busy(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsServiceUnavailable(err) || lostForNow(err)
}

// lostForNow reports whether Porch did not find a branch or saw it elsewhere than it expected, or did not find its own
// record of a package revision, or had two of them. Porch misreads those of a repository while it writes them, and
// writes what it reads into its database.
func lostForNow(err error) bool {
	status, answered := errors.AsType[*apierrors.StatusError](err)
	return answered && status.Status().Code == http.StatusInternalServerError &&
		slices.ContainsFunc([]string{"reference not found", "ref file is empty", "remote not found",
			"conflicting with required remote ref", "failed to update ref", "packagerevs.config.porch.kpt.dev",
			"duplicate key value",
		}, func(text string) bool {
			return strings.Contains(err.Error(), text)
		})
}
