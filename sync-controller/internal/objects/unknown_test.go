// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// growing is a mapper of a cluster whose kinds become more.
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

// notifiedSince returns who was notified since the last call.
func (w *world) notifiedSince() []string {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	got := slices.Sorted(slices.Values(w.notified))
	w.notified = nil
	return got
}

// TestUnknown has the cluster come to know a kind that some wait for.
func TestUnknown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, know := notKnown(t)
		w.use(eu, Interest{Kind: configMaps, Names: []string{"a"}}, Interest{Kind: configMaps, Names: []string{"b"}})
		w.use(us, Interest{Kind: configMaps})
		if !w.Unknown(configMaps) || w.Unknown(teams) {
			t.Errorf("unknown: %v, want true; of a kind that nobody asks for: %v, want false", w.Unknown(configMaps), w.Unknown(teams))
		}
		time.Sleep(10 * lookAgain)
		if got := w.notifiedSince(); got != nil {
			t.Errorf("notified of nothing: %v", got)
		}
		know()
		time.Sleep(lookAgain)
		if got := w.notifiedSince(); !slices.Equal(got, []string{"web-eu", "web-us"}) {
			t.Errorf("notified: %v, want both, each once", got)
		}
		if w.Unknown(configMaps) {
			t.Error("it is unknown still")
		}
		time.Sleep(10 * lookAgain)
		if got := w.notifiedSince(); got != nil {
			t.Errorf("notified again: %v", got)
		}
	})
}

// TestUnknownAndLeft has all lose their interest in a kind before the cluster knows it, and one come back.
func TestUnknownAndLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, know := notKnown(t)
		w.use(eu, Interest{Kind: configMaps})
		w.Release(eu)
		if w.Unknown(configMaps) {
			t.Error("it is looked for, though nobody is interested")
		}
		know()
		time.Sleep(10 * lookAgain)
		if got := w.notifiedSince(); got != nil {
			t.Errorf("notified: %v", got)
		}
	})
}
