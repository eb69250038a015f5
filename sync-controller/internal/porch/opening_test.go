// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestOpening checks that the informer reports a revision that is deleted after a list and before the watch that
// follows it, and that it lists once more only if the watch does not report all that was listed.
func TestOpening(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		after, unread []string // what exists when the watch opens, and what of it the watch does not report
		later         func(*server)
		found         map[string]error
		want, deleted []string
		lists         int
	}{
		"nothing is deleted":  {after: []string{"a", "b"}, want: []string{"a", "b"}, lists: 1},
		"one is deleted":      {after: []string{"b"}, want: []string{"b"}, deleted: []string{"a"}, lists: 2},
		"all are deleted":     {deleted: []string{"a", "b"}, lists: 2},
		"another one is made": {after: []string{"b", "c"}, want: []string{"b", "c"}, deleted: []string{"a"}, lists: 2},
		"Porch could not read one": {after: []string{"a", "b"}, unread: []string{"a"}, want: []string{"a", "b"},
			lists: 2},
		"Porch cannot list one": {after: []string{"b"}, found: map[string]error{"a": nil}, want: []string{"a", "b"},
			lists: 2},
		"one is deleted, and the watch says so": {after: []string{"a", "b"}, later: func(s *server) {
			pr := packageRevision("a")
			s.names = []string{"b"}
			s.watch.Delete(&pr)
		}, want: []string{"b"}, deleted: []string{"a"}, lists: 1},
		"one is deleted, and comes back": {after: []string{"b"}, later: func(s *server) {
			pr := packageRevision("a")
			s.names = []string{"a", "b"}
			s.watch.Add(&pr)
		}, want: []string{"a", "b"}, lists: 1},
		"a list fails": {after: []string{"b"}, later: func(s *server) {
			s.fails = errors.New("boom")
			time.AfterFunc(20*time.Second, func() {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.fails = nil
			})
		}, want: []string{"b"}, deleted: []string{"a"}, lists: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &server{names: []string{"a", "b"}, unread: c.unread}
				s.opening = func() { s.names = c.after }
				ask := asker{reader: func() client.Reader { return &answers{errs: c.found} }}
				informer := newInformer(s, &porchapi.PackageRevision{}, 0, nil, ask)
				var deleted []string
				if _, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{DeleteFunc: func(o any) {
					if pr, ok := o.(*porchapi.PackageRevision); ok {
						deleted = append(deleted, pr.Name)
					}
				}}); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go informer.RunWithContext(ctx)
				if time.Sleep(time.Second); c.later != nil {
					s.mu.Lock()
					c.later(s)
					s.mu.Unlock()
				}
				time.Sleep(2 * time.Minute)
				synctest.Wait()
				var have []string
				for _, o := range informer.GetStore().List() {
					if pr, ok := o.(*porchapi.PackageRevision); ok {
						have = append(have, pr.Name)
					}
				}
				slices.Sort(have)
				slices.Sort(deleted)
				if diff := cmp.Diff(c.want, have); diff != "" {
					t.Errorf("the cache, -want +got:\n%s", diff)
				}
				if diff := cmp.Diff(c.deleted, deleted); diff != "" {
					t.Errorf("told to be deleted, -want +got:\n%s", diff)
				}
				if s.lists != c.lists {
					t.Errorf("%d lists, want %d", s.lists, c.lists)
				}
			})
		})
	}
}
