// SPDX-License-Identifier: Apache-2.0

package watches

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/package-variants/package-variants/engine/objects"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"
)

// The last handler of errors delays each by the time since the one before, which has no meaning where each test has its
// own time.
func init() { utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1] }

// failing is a cluster whose answers to lists and watches of ConfigMaps can become errors.
type failing struct {
	*world
	list, watch atomic.Pointer[error]
	open        atomic.Pointer[watch.FakeWatcher]
}

func newFailing(t *testing.T) *failing {
	t.Helper()
	f := &failing{}
	f.world = newWorld(t, map[string]clienttesting.ReactionFunc{
		"configmaps": func(clienttesting.Action) (bool, runtime.Object, error) {
			if err := f.list.Load(); err != nil {
				return true, nil, *err
			}
			return false, nil, nil
		},
	}, object(configMaps, "fleet", "facts", "1"))
	f.client.PrependWatchReactor("configmaps", func(clienttesting.Action) (bool, watch.Interface, error) {
		if err := f.watch.Load(); err != nil {
			return true, nil, *err
		}
		opened := watch.NewFake()
		f.open.Store(opened)
		return true, opened, nil
	})
	return f
}

// answer closes the open watch, as an API server does now and then. Lists and watches then end with these errors.
func (f *failing) answer(list, watch error) {
	f.list.Store(orNone(list))
	f.watch.Store(orNone(watch))
	if open := f.open.Load(); open != nil {
		open.Stop()
	}
}

func orNone(err error) *error {
	if err == nil {
		return nil
	}
	return &err
}

// TestLost has the objects of a kind become unreadable, and readable again, while they are watched and nobody reads
// one of them.
func TestLost(t *testing.T) {
	t.Parallel()
	resource := configMapResource.GroupResource()
	forbidden, notFound := apierrors.NewForbidden(resource, "", errDown), apierrors.NewNotFound(resource, "")
	var noError error
	for name, c := range map[string]struct {
		list, watch error
		want        error
	}{
		"the right is taken away":   {forbidden, forbidden, &DeniedError{}},
		"the CRD is deleted":        {notFound, notFound, &UnknownKindError{}},
		"only the right to watch":   {nil, forbidden, noError},
		"the API server is down":    {apierrors.NewInternalError(errDown), errDown, noError},
		"the API server is down, 2": {apierrors.NewInternalError(errDown), forbidden, noError},
		"it closes connections":     {nil, nil, noError},
		"the version is too old":    {nil, apierrors.NewResourceExpired("too old"), noError},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFailing(t)
				f.use(eu, objects.Reference{Kind: configMaps})
				f.use(us, objects.Reference{Kind: configMaps, Name: "x"})
				time.Sleep(time.Minute)
				f.wantNotifiedAny("of what there is", "web-eu")

				f.answer(c.list, c.watch)
				time.Sleep(10 * time.Minute)
				if got := f.Problem(configMaps); fmt.Sprintf("%T", got) != fmt.Sprintf("%T", c.want) {
					t.Errorf("the problem is %v, want a %T", got, c.want)
				}
				if c.want == nil {
					f.wantNotified("it is as it was")
				} else {
					f.wantNotifiedAny("it is lost", "web-eu", "web-us")
				}
				if lost := f.Object(configMaps, "facts") == nil; lost != (c.want != nil) {
					t.Errorf("the object is lost: %v", lost)
				}

				f.answer(nil, nil)
				time.Sleep(10 * time.Minute)
				if err := f.Problem(configMaps); err != nil || f.Object(configMaps, "facts") == nil {
					t.Errorf("it can be read again, and the problem is %v", err)
				}
				if c.want != nil {
					f.wantNotifiedAny("it is back", "web-eu", "web-us")
				}
				f.end()
			})
		})
	}
}

// TestUnknownToTheServer has a kind that was deleted while the mapper still knows it.
func TestUnknownToTheServer(t *testing.T) {
	t.Parallel()
	f := newFailing(t)
	f.answer(apierrors.NewNotFound(configMapResource.GroupResource(), ""), nil)
	f.use(eu, objects.Reference{Kind: configMaps})
	if _, ok := errors.AsType[*UnknownKindError](f.Problem(configMaps)); !ok {
		t.Errorf("the problem is %v", f.Problem(configMaps))
	}
}
