// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"context"
	"errors"
	"fmt"

	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/packages"
)

// timedOutError says that the home repeatedly failed to make a draft in time, though it answers other requests. Regular
// retries would keep the home from its other work for ever.
type timedOutError struct {
	draft *decide.Draft
	err   error
}

func (e *timedOutError) Error() string {
	return fmt.Sprintf("Porch has not finished in time to %s %s, and not for the first time, though it answers "+
		"otherwise: what is in %s may be more than it can bear. It is asked again when the variant or what it is made "+
		"from changes, or when the variant is suspended and resumed (%v)",
		e.draft.Task.Type, e.draft.Package, e.draft.Task.Source, e.err)
}

func (e *timedOutError) Unwrap() error { return e.err }

// notCreated returns the error of a draft that was not made. It counts the times that the home did not make it in time
// though it answers other requests.
func (a *action) notCreated(ctx context.Context, draft *decide.Draft, err error) error {
	if !errors.Is(err, packages.ErrTimeout) {
		return err
	}
	if _, unanswered := a.Packages.Get(ctx, a.in.pv.Namespace, draft.Task.Source); unanswered != nil {
		return err
	}
	times := requestOf(&a.in.pv.Status).TimedOut + 1
	a.in.progress.request = decide.Request{Name: draft.Name(), Task: draft.Task, TimedOut: times}
	if times > 1 {
		return &timedOutError{draft, err}
	}
	return err
}
