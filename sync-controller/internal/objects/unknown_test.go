// SPDX-License-Identifier: Apache-2.0

package objects

import (
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
		w.wantNotified("nothing has changed")
		know()
		time.Sleep(lookAgain)
		w.wantNotified("it is known", "web-eu", "web-us")
		if w.Unknown(configMaps) {
			t.Error("it is unknown still")
		}
		time.Sleep(10 * lookAgain)
		w.wantNotified("they know that already")
	})
}

// TestUnknownAndLeft has one lose its interest in a kind before the cluster knows it, and another take it up.
func TestUnknownAndLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, know := notKnown(t)
		w.use(eu, Interest{Kind: configMaps})
		w.Release(eu)
		if w.Unknown(configMaps) {
			t.Error("it is looked for, though nobody is interested")
		}
		w.use(us, Interest{Kind: configMaps})
		know()
		time.Sleep(10 * lookAgain)
		w.wantNotified("one is interested again", "web-us")
	})
}
