// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// errLost is what Porch answers while it reads the branches of a repository.
var errLost = apierrors.NewInternalError(errors.New("reference not found"))

// TestRetry checks which writes are tried again, how often and how long.
func TestRetry(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	conflict := apierrors.NewConflict(resource, "x", boom)
	for name, c := range map[string]struct {
		answers []error // the last of them is given again and again
		calls   int
		want    error
		longest time.Duration
	}{
		"done at once":                     {[]error{nil}, 1, nil, 0},
		"another error is not tried again": {[]error{boom}, 1, boom, 0},
		"nor is a conflict":                {[]error{conflict}, 1, conflict, 0},
		"busy once":                        {[]error{errLost, nil}, 2, nil, 300 * time.Millisecond},
		"busy, then another error":         {[]error{errLost, errLost, boom}, 3, boom, time.Second},
		"busy for good":                    {[]error{errLost}, 6, errLost, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				calls, start := 0, time.Now()
				err := retry(t.Context(), save, func() error {
					calls++
					return c.answers[min(calls, len(c.answers))-1]
				})
				if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) || calls != c.calls {
					t.Errorf("got error %v after %d calls, want %v after %d", err, calls, c.want, c.calls)
				}
				if took := time.Since(start); took > c.longest {
					t.Errorf("it took %s, want at most %s", took, c.longest)
				}
			})
		})
	}
}

// TestRetryEndsWithItsContext checks that a write that waits ends with the controller, and says why it failed.
func TestRetryEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		calls := 0
		err := retry(ctx, save, func() error { calls++; return errLost })
		if !errors.Is(err, errLost) || calls != 2 {
			t.Errorf("got error %v after %d calls", err, calls)
		}
	})
}

// TestWritesAreRetried checks that each kind of write is tried again while Porch is busy, as it was asked for: a client
// writes the answer of a call into the object that it was given.
func TestWritesAreRetried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		object := pr("edge", "web", "v1", "Draft")
		failed := map[string]bool{}
		busyOnce := func(verb string, o client.Object) error {
			if failed[verb] {
				return nil
			}
			failed[verb] = true
			o.SetResourceVersion("from the call that failed")
			return errLost
		}
		p := newPorch(t, interceptor.Funcs{
			Create: func(ctx context.Context, c client.WithWatch, o client.Object, options ...client.CreateOption) error {
				if err := busyOnce("create", o); err != nil {
					return err
				}
				o.SetName("edge.web.v2")
				return c.Create(ctx, o, options...)
			},
			Update: func(ctx context.Context, c client.WithWatch, o client.Object, options ...client.UpdateOption) error {
				if err := busyOnce("update", o); err != nil {
					return err
				}
				return c.Update(ctx, o, options...)
			},
			Patch: func(ctx context.Context, c client.WithWatch, o client.Object, patch client.Patch,
				options ...client.PatchOption) error {
				if err := busyOnce("patch", o); err != nil {
					return err
				}
				return c.Patch(ctx, o, patch, options...)
			},
			Delete: func(ctx context.Context, c client.WithWatch, o client.Object, options ...client.DeleteOption) error {
				if err := busyOnce("delete", o); err != nil {
					return err
				}
				return c.Delete(ctx, o, options...)
			},
		}, object, resources(object.Name, map[string]string{"Kptfile": "k"}))
		ctx, r := t.Context(), Revision(object)
		content, err := p.content(ctx, "fleet", object.Name)
		if err != nil {
			t.Fatal(err)
		}
		_, createErr := p.create(ctx, packages.Draft{Namespace: "fleet", Package: r.Package, Workspace: "v2",
			Task: revision.Task{Type: revision.Clone}})
		_, saveErr := p.saveWhole(ctx, content, map[string]string{"a.yaml": "a"})
		_, proposeErr := p.proposeDeletion(ctx, &revision.Revision{Namespace: "fleet", Name: object.Name},
			[]metav1.OwnerReference{})
		for verb, err := range map[string]error{
			"create": createErr, "update": saveErr, "patch": proposeErr,
			"delete": p.remove(ctx, &r),
		} {
			if err != nil || !failed[verb] {
				t.Errorf("%s: error %v, tried: %v", verb, err, failed[verb])
			}
		}
	})
}
