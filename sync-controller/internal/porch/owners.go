// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/package-variants/package-variants/sync-controller/internal/revision"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// How often, and after what times, it is looked whether Porch has kept the owners of a revision.
const (
	looks     = 3
	lookAfter = 400 * time.Millisecond
	maxWrites = 3
)

// untilKept writes the owners of a revision, and sees to it that they stay: Porch v1.5 brings back those of before if
// it was reading the repository at the time.
func (c *Client) untilKept(ctx context.Context, r *revision.Revision, owners []metav1.OwnerReference,
	write func() error) error {
	for range maxWrites {
		if err := write(); err != nil {
			return err
		}
		if kept, err := c.keeps(ctx, r, owners); kept || err != nil {
			return err
		}
	}
	return fmt.Errorf("cannot change the owners of package revision %s: Porch brings back those of before", r.Name)
}

// keeps reports whether a revision has the owners for a while.
func (c *Client) keeps(ctx context.Context, r *revision.Revision, owners []metav1.OwnerReference) (bool, error) {
	same := func(a, b metav1.OwnerReference) bool { return a.Kind == b.Kind && a.Name == b.Name && a.UID == b.UID }
	for range looks {
		if err := c.pause(ctx, lookAfter); err != nil {
			return false, err
		}
		now, err := c.Revision(ctx, r.Namespace, r.Name)
		if apierrors.IsNotFound(err) {
			return true, nil // there is none to keep them
		}
		if err != nil || !slices.EqualFunc(now.Owners, owners, same) {
			return false, err
		}
	}
	return true, nil
}

// pause waits for a time, or until ctx ends.
func (c *Client) pause(ctx context.Context, d time.Duration) error {
	if c.Pause != nil {
		return c.Pause(ctx, d)
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
