// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// server is a Porch that lists and watches PackageRevisions as Porch does: a watch begins with all existing ones, and
// does not report those that were deleted before it.
type server struct {
	mu      sync.Mutex
	names   []string
	watch   *watch.FakeWatcher
	options []metav1.ListOptions
	fails   error
	lists   int
}

func (s *server) List(o metav1.ListOptions) (runtime.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.options = append(s.options, o)
	s.lists++
	list := &porchapi.PackageRevisionList{ListMeta: metav1.ListMeta{ResourceVersion: "a-commit"}}
	for _, name := range s.names {
		list.Items = append(list.Items, packageRevision(name))
	}
	return list, s.fails
}

func (s *server) Watch(o metav1.ListOptions) (watch.Interface, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.options = append(s.options, o)
	s.watch = watch.NewFakeWithChanSize(100, false)
	for _, name := range s.names {
		pr := packageRevision(name)
		s.watch.Add(&pr)
	}
	return s.watch, nil
}

func packageRevision(name string) porchapi.PackageRevision {
	return porchapi.PackageRevision{ObjectMeta: metav1.ObjectMeta{Namespace: "fleet", Name: name,
		ResourceVersion: "commit-of-" + name}}
}

func TestRelisting(t *testing.T) {
	t.Parallel()
	s := &server{names: []string{"a"}}
	r := &relisting{ListerWatcherWithContext: toolscache.ToListerWatcherWithContext(s)}
	expired := func(why string) {
		t.Helper()
		if _, err := r.Watch(metav1.ListOptions{}); !apierrors.IsResourceExpired(err) {
			t.Errorf("%s: got error %v", why, err)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	expired("a watch before any list")
	_, err := r.List(metav1.ListOptions{ResourceVersion: "0",
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, Limit: 500})
	must(err)
	_, err = r.Watch(metav1.ListOptions{ResourceVersion: "a-commit", AllowWatchBookmarks: true,
		TimeoutSeconds: new(int64(300))}) // after which it lists again: no event tells of what Porch finds in git by itself
	must(err)
	expired("a second watch")
	expired("a third watch")
	_, err = r.ListWithContext(t.Context(), metav1.ListOptions{ResourceVersion: "a-commit",
		ResourceVersionMatch: metav1.ResourceVersionMatchExact})
	must(err)
	_, err = r.WatchWithContext(t.Context(), metav1.ListOptions{ResourceVersion: "a-commit"})
	must(err)
	s.fails = errors.New("boom")
	if _, err := r.List(metav1.ListOptions{}); !errors.Is(err, s.fails) {
		t.Errorf("got error %v", err)
	}
	expired("a watch after a list that failed")
	want := []metav1.ListOptions{{Limit: 500}, {AllowWatchBookmarks: true, TimeoutSeconds: new(int64(300))},
		{}, {}, {}}
	if diff := cmp.Diff(want, s.options); diff != "" {
		t.Errorf("what reached Porch, -want +got:\n%s", diff)
	}
	if !r.IsWatchListSemanticsUnSupported() {
		t.Error("the reflector would list by a watch")
	}
}

// asked is a Porch that answers a question for a revision by its name with an error.
type asked struct {
	client.Reader
	err   error
	times int
}

func (a *asked) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	a.times++
	return a.err
}

// TestEmptyList checks that a list without revisions is an error while there are known ones, unless Porch says that one
// of them is gone, for which it is asked once.
func TestEmptyList(t *testing.T) {
	t.Parallel()
	down := errors.New("failed to connect to the database")
	for name, c := range map[string]struct {
		known []string
		err   error
		want  string
	}{
		"none was known":    {},
		"all are gone":      {[]string{"a", "b"}, apierrors.NewNotFound(porchapi.Resource("packagerevisions"), "a"), ""},
		"they are not gone": {[]string{"a"}, nil, "cannot list package revisions: Porch lists none, although fleet/a exists"},
		"Porch cannot say": {[]string{"a"}, down, "cannot list package revisions: Porch lists none, and does not say " +
			"whether fleet/a exists: failed to connect to the database"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			porch := &asked{err: c.err}
			r := &relisting{ListerWatcherWithContext: toolscache.ToListerWatcherWithContext(&server{}),
				store:  toolscache.NewStore(toolscache.MetaNamespaceKeyFunc),
				reader: func() client.Reader { return porch }}
			for _, name := range c.known {
				pr := packageRevision(name)
				if err := r.store.Add(&pr); err != nil {
					t.Fatal(err)
				}
			}
			_, err := r.List(metav1.ListOptions{})
			if err == nil && c.want != "" || err != nil && err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if porch.times != min(len(c.known), 1) {
				t.Errorf("Porch was asked %d times", porch.times)
			}
			if _, err := r.Watch(metav1.ListOptions{}); (err == nil) != (c.want == "") {
				t.Errorf("the watch after it: %v", err)
			}
		})
	}
}

// TestInformer checks that the informer reports a revision that is deleted while there is no watch.
func TestInformer(t *testing.T) {
	t.Parallel()
	s := &server{names: []string{"a", "b"}}
	informer := newInformer(s, &porchapi.PackageRevision{}, 0, nil, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	deleted := make(chan string, 10)
	if _, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{DeleteFunc: func(o any) {
		key, _ := toolscache.DeletionHandlingMetaNamespaceKeyFunc(o)
		deleted <- key
	}}); err != nil {
		t.Fatal(err)
	}
	go informer.RunWithContext(ctx)
	if !toolscache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		t.Fatal("not synced")
	}
	var first *watch.FakeWatcher
	for first == nil && ctx.Err() == nil {
		s.mu.Lock()
		first = s.watch
		s.mu.Unlock()
		time.Sleep(time.Millisecond)
	}
	s.mu.Lock()
	s.names = []string{"b", "c"}
	s.mu.Unlock()
	first.Stop()
	select {
	case got := <-deleted:
		if got != "fleet/a" {
			t.Errorf("%s was deleted", got)
		}
	case <-ctx.Done():
		t.Fatal("nobody was told that a revision went")
	}
	for ctx.Err() == nil {
		keys := informer.GetStore().ListKeys()
		slices.Sort(keys)
		if slices.Equal(keys, []string{"fleet/b", "fleet/c"}) {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("the cache has %v", informer.GetStore().ListKeys())
}

func TestConfigureCache(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]*cache.Options{
		"empty": {},
		"full":  {ByObject: map[client.Object]cache.ByObject{&corev1.Secret{}: {}}},
	} {
		others := len(options.ByObject)
		ConfigureCache(options, nil)
		if got := len(options.ByObject); got != others+1 {
			t.Errorf("%s: %d objects", name, got)
		}
		for object, by := range options.ByObject {
			if _, ok := object.(*porchapi.PackageRevision); !ok {
				continue
			}
			pr := packageRevision("a")
			if _, err := by.Transform(&pr); err != nil || pr.ResourceVersion == "commit-of-a" {
				t.Errorf("%s: the version is %q, %v", name, pr.ResourceVersion, err)
			}
			if got := Revision(&pr).Version; got != "commit-of-a" {
				t.Errorf("%s: Porch's version is %q", name, got)
			}
		}
		if options.NewInformer == nil {
			t.Errorf("%s: the informers are not ours", name)
		}
	}
	if options := (&server{}); newInformer(options, &corev1.Secret{}, 0, nil, nil) == nil {
		t.Error("no informer for another kind")
	}
}
