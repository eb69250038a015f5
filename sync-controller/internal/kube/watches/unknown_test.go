// SPDX-License-Identifier: Apache-2.0

package watches

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/package-variants/package-variants/engine/objects"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"
)

// growing is a mapper of a cluster to which kinds are added.
type growing struct {
	meta.RESTMapper
	mu sync.Mutex
}

func (g *growing) RESTMapping(kind schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.RESTMapper.RESTMapping(kind, versions...)
}

func (g *growing) add(mapper meta.RESTMapper) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.RESTMapper = mapper
}

// notKnown returns a cluster that does not know any kind, and what makes it know those of the tests.
func notKnown(t *testing.T) (w *world, know func()) {
	t.Helper()
	w = newWorld(t, nil, object(configMaps, "fleet", "a", "1"))
	cluster := &growing{RESTMapper: meta.NewDefaultRESTMapper(nil)}
	w.mapper = cluster
	return w, func() { cluster.add(mapper()) }
}

// TestUnknown has the cluster come to know a kind that some wait for.
func TestUnknown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, know := notKnown(t)
		w.use(eu, objects.Reference{Kind: configMaps, Name: "a"}, objects.Reference{Kind: configMaps, Name: "b"})
		w.use(us, objects.Reference{Kind: configMaps, Name: "x"})
		if _, ok := errors.AsType[*UnknownKindError](w.Problem(configMaps)); !ok || w.Problem(teams) != nil {
			t.Errorf("the problem is %v; of a kind that nobody asks for: %v, want none", w.Problem(configMaps), w.Problem(teams))
		}
		time.Sleep(10 * lookAgain)
		w.wantNotified("nothing has changed")
		know()
		time.Sleep(lookAgain + time.Second)
		w.wantNotifiedAny("it is known", "web-eu", "web-us")
		if err := w.Problem(configMaps); err != nil || w.Object(configMaps, "a") == nil {
			t.Errorf("it is unknown still: %v", err)
		}
		time.Sleep(10 * lookAgain)
		w.wantNotified("they know that already")
		w.end()
	})
}

// TestUnknownAndLeft has one leave a kind before the cluster knows it, and another take it up.
func TestUnknownAndLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, know := notKnown(t)
		w.use(eu, objects.Reference{Kind: configMaps})
		w.Release(eu)
		if err := w.Problem(configMaps); err != nil {
			t.Errorf("it is looked for, though nobody refers to it: %v", err)
		}
		w.use(us, objects.Reference{Kind: configMaps})
		know()
		time.Sleep(10 * lookAgain)
		w.wantNotifiedAny("one refers to it again", "web-us")
		w.end()
	})
}

// TestPermission has a permission come, go and come again.
func TestPermission(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var permitted atomic.Bool
		w := newWorld(t, map[string]clienttesting.ReactionFunc{"configmaps": func(a clienttesting.Action) (bool,
			runtime.Object, error) {
			return !permitted.Load(), nil, apierrors.NewForbidden(a.GetResource().GroupResource(), "", errDown)
		}}, object(configMaps, "fleet", "facts", "1"))
		live := newAPI(facts("1", "eu"))
		contents, reference := NewSource(w.Watches, live), objects.Reference{Kind: configMaps, Name: "facts"}
		denied := func(when string, err error) {
			t.Helper()
			if is, ok := errors.AsType[*DeniedError](err); !ok || is.Namespace != "fleet" ||
				is.Resource.Resource != "configmaps" {
				t.Errorf("%s: the problem is %v", when, err)
			}
		}
		w.use(eu, reference)
		denied("before", w.Problem(configMaps))
		_, err := contents.Read(t.Context(), reference)
		denied("read before", err)
		if live.reads.Load() > 0 {
			t.Error("it was asked for nevertheless")
		}
		permitted.Store(true)
		time.Sleep(lookAgain + time.Second)
		w.wantNotifiedAny("permitted", "web-eu")
		if got, err := contents.Read(t.Context(), reference); err != nil || got == nil {
			t.Errorf("permitted: %v, %v", got, err)
		}

		time.Sleep(keptFor + time.Second)
		permitted.Store(false)
		live.answer.Store(apierrors.NewForbidden(configMapResource.GroupResource(), "facts", errDown))
		_, err = contents.Read(t.Context(), reference)
		denied("taken away", err)
		denied("taken away, of the kind", w.Problem(configMaps))
		if w.Object(configMaps, "facts") != nil || len(w.Running()) > 0 {
			t.Error("what may not be read is watched")
		}
		time.Sleep(10 * lookAgain)
		w.wantNotified("it stays so")
		permitted.Store(true)
		live.answer.Store((*apierrors.StatusError)(nil))
		time.Sleep(lookAgain + time.Second)
		w.wantNotifiedAny("permitted again", "web-eu")
		if got, err := contents.Read(t.Context(), reference); err != nil || got == nil {
			t.Errorf("permitted again: %v, %v", got, err)
		}
		w.end()
	})
}

// wantNotifiedAny is wantNotified where one may be told more than once.
func (w *world) wantNotifiedAny(why string, want ...string) {
	w.t.Helper()
	synctest.Wait()
	w.mu.Lock()
	slices.Sort(w.notified)
	w.notified = slices.Compact(w.notified)
	w.mu.Unlock()
	w.wantNotified(why, want...)
}

// end releases all, and waits until nothing runs any more.
func (w *world) end() {
	w.Release(eu)
	w.Release(us)
	synctest.Wait()
}
