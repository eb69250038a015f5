// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/package-variants/package-variants/engine/revision"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// How often, and after what times, the client checks whether Porch has kept a change of a revision.
const (
	looks     = 3
	lookAfter = 400 * time.Millisecond
	maxWrites = 3
)

// lets reports whether a revision loses an owner and gets none. A variant that lets a revision go may be gone before it
// is looked at again, and then what is owned by it is deleted; one that takes it sees when it has to do that again.
func lets(r *revision.Revision, owners []metav1.OwnerReference) bool {
	return !slices.ContainsFunc(owners, func(o metav1.OwnerReference) bool {
		return !slices.ContainsFunc(r.Owners, func(was metav1.OwnerReference) bool { return same(was, o) })
	})
}

// untilKept has a revision let go of owners, or changes its lifecycle, and repeats that until Porch keeps the change:
// where Porch v1.5 keeps revisions in git, it reverts a change that was made while it read the repository.
func (h *Home) untilKept(ctx context.Context, r *revision.Revision, what string,
	is func(*revision.Revision) bool, write func() error) error {
	for range maxWrites {
		if err := write(); err != nil || r.InParts {
			return err
		}
		if kept, err := h.keeps(ctx, r, is); kept || err != nil {
			return err
		}
	}
	return fmt.Errorf("cannot change the %s of package revision %s: Porch brings back what was before", what, r.Name)
}

// owned returns a function that reports whether a revision has these owners.
func owned(owners []metav1.OwnerReference) func(*revision.Revision) bool {
	return func(r *revision.Revision) bool { return slices.EqualFunc(r.Owners, owners, same) }
}

func same(a, b metav1.OwnerReference) bool {
	return a.Kind == b.Kind && a.Name == b.Name && a.UID == b.UID
}

// keeps reports whether a revision keeps satisfying a condition for a while.
func (h *Home) keeps(ctx context.Context, r *revision.Revision, is func(*revision.Revision) bool) (bool, error) {
	for range looks {
		if err := h.pause(ctx, lookAfter); err != nil {
			return false, err
		}
		now, err := h.get(ctx, r.Namespace, r.Name)
		if apierrors.IsNotFound(err) {
			return true, nil // the revision was deleted
		}
		if err != nil || !is(&now) {
			return false, err
		}
	}
	return true, nil
}

// pause waits for a time, or until ctx ends.
func (h *Home) pause(ctx context.Context, d time.Duration) error {
	if h.Pause != nil {
		return h.Pause(ctx, d)
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
