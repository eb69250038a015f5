// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"context"
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// TestSaveUnfinished checks when a save that failed is made again: when Porch has written some of the files, and no
// others.
func TestSaveUnfinished(t *testing.T) {
	t.Parallel()
	before := map[string]string{"Kptfile": "k", "a.yaml": "old"}
	wanted := map[string]string{"Kptfile": "k", "a.yaml": "new", "b.yaml": "b"}
	down := apierrors.NewServiceUnavailable("Porch is stopped")
	type write struct {
		files map[string]string // what Porch has then; nil for what it had
		err   error
	}
	for name, c := range map[string]struct {
		writes []write // the last of them again and again
		reads  int     // how many fail
		err    error
		files  map[string]string
		calls  int
	}{
		"it was finished":             {[]write{{wanted, nil}}, 0, nil, wanted, 1},
		"nothing was written":         {[]write{{nil, down}}, 0, down, before, 1},
		"the answer was lost":         {[]write{{wanted, down}}, 0, down, wanted, 1},
		"another than ours is there":  {[]write{{map[string]string{"c.yaml": ""}, down}}, 0, down, map[string]string{"c.yaml": ""}, 1},
		"some were written":           {[]write{{map[string]string{"b.yaml": "rendered"}, down}, {wanted, nil}}, 0, nil, wanted, 2},
		"all were taken away":         {[]write{{map[string]string{}, down}, {wanted, nil}}, 0, nil, wanted, 2},
		"some, and then Porch starts": {[]write{{map[string]string{"b.yaml": "b"}, down}, {wanted, nil}}, 2, nil, wanted, 2},
		"some, each time": {[]write{{map[string]string{"b.yaml": "b"}, down}}, 0, down, map[string]string{"b.yaml": "b"},
			1 + finishes},
		"some, and then it is refused": {[]write{{map[string]string{"b.yaml": "b"}, down}, {nil, errLost}}, 0, errLost,
			map[string]string{"b.yaml": "b"}, 1 + busy.Steps},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls, reads := 0, -1 // the first read is the test's
			p := newPorch(t, interceptor.Funcs{
				Get: func(ctx context.Context, cl client.WithWatch, key client.ObjectKey, o client.Object,
					options ...client.GetOption) error {
					if reads++; reads > 0 && reads <= c.reads {
						return down
					}
					return cl.Get(ctx, key, o, options...)
				},
				Update: func(ctx context.Context, cl client.WithWatch, o client.Object, _ ...client.UpdateOption) error {
					now := c.writes[min(calls, len(c.writes)-1)]
					if calls++; now.files != nil {
						o.(*porchapi.PackageRevisionResources).Spec.Resources = maps.Clone(now.files)
						if err := cl.Update(ctx, o); err != nil {
							return err
						}
					}
					return now.err
				},
			}, resources("a", before))
			p.Pause = func(context.Context, time.Duration) error { return nil }
			read, err := p.content(t.Context(), "fleet", "a")
			if err != nil {
				t.Fatal(err)
			}
			if _, err = p.saveWhole(t.Context(), read, wanted); !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
				t.Errorf("got error %v, want %v", err, c.err)
			}
			if diff := cmp.Diff(c.files, p.files(t, "a")); diff != "" || calls != c.calls {
				t.Errorf("got %d calls, want %d; files (-want +got):\n%s", calls, c.calls, diff)
			}
		})
	}
}

// TestUnsure checks which failures say that a write was not done.
func TestUnsure(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"none":                            {nil, false},
		"it changed meanwhile":            {apierrors.NewConflict(resource, "x", errors.New("")), false},
		"it is not there":                 {apierrors.NewNotFound(resource, "x"), false},
		"it is not allowed":               {apierrors.NewForbidden(resource, "x", nil), false},
		"it is wrong":                     {apierrors.NewBadRequest("no"), false},
		"a function failed":               {internal(renderText + "pkg.render: no labels"), false},
		"no function could be run":        {runnerIsGone, false},
		"Porch was reading the branches":  {errLost, false},
		"Porch does not run":              {apierrors.NewServiceUnavailable("no endpoints"), true},
		"the answer was cut":              {internal("unexpected EOF"), true},
		"the database is gone":            {internal("failed to connect to `user=porch`"), true},
		"the database has no more space":  {internal("No space left on device"), true},
		"the answer did not come in time": {context.DeadlineExceeded, true},
	} {
		if got := Unsure(c.err); got != c.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
