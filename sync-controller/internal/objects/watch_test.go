// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
)

// TestUseKeepsItsOwn holds that a caller may go on with the slice that it gave: one that grows with each package that
// is looked at shares its memory with what was given before.
func TestUseKeepsItsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, object(configMaps, "fleet", "d", "1"))
	interests := make([]Interest, 0, 8)
	for _, name := range []string{"a", "b", "c"} {
		interests = append(interests, Interest{Kind: teams, Names: []string{name}})
	}
	w.use(eu, interests...)
	interests = append(interests, Interest{Kind: configMaps, Names: []string{"d"}})
	w.use(eu, interests...)
	if got := interests[3].Kind; got != configMaps {
		t.Errorf("the caller's interest became one in %v", got)
	}
	if w.Object(configMaps, "d") == nil {
		t.Error("the object of the interest that was added is not known")
	}
	interests[3] = Interest{Kind: clusters}
	w.watching("configmaps", 1)
	w.wantNotified("of what there is", "web-eu")
	w.update(configMapResource, object(configMaps, "fleet", "d", "2"))
	w.wantNotified("of what it asked for", "web-eu")
}

// TestUseFails holds that a user keeps its interests if the new ones cannot be read, and that trying again and again
// costs no memory.
func TestUseFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]clienttesting.ReactionFunc{"teams": func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("boom")
	}})
	w.use(eu, Interest{Kind: configMaps, Names: []string{"a"}})
	for range 100 {
		if err := w.Use(t.Context(), eu, []Interest{{Kind: clusters, Names: []string{"b"}}, {Kind: teams}}); err == nil {
			t.Fatal("no error")
		}
	}
	running := w.Running()
	if !slices.Contains(running, configMaps) || !slices.Contains(running, clusters) || len(running) != 2 {
		t.Errorf("watched are %v", running)
	}
	if got := len(w.interests[eu]); got > 3 {
		t.Errorf("%d interests are kept", got)
	}
	w.use(eu, Interest{Kind: clusters})
	if got := w.Running(); len(got) != 1 || got[0] != clusters {
		t.Errorf("watched are %v", got)
	}
}

// TestConcurrentUsers holds that a kind is watched for as long as a user is interested in it, whatever others do: they
// must not stop a watch between its start and its use.
func TestConcurrentUsers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, object(configMaps, "fleet", "a", "1"))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	done := make(chan struct{})
	var others sync.WaitGroup
	for range 4 {
		others.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					w.Release(us)
				}
			}
		})
	}
	for range 30 {
		if err := w.Use(ctx, eu, []Interest{{Kind: configMaps, Names: []string{"a"}}}); err != nil {
			t.Error(err)
			break
		}
		if w.Object(configMaps, "a") == nil {
			t.Error("the object of a user is not known")
			break
		}
		w.Release(eu)
	}
	close(done)
	others.Wait()
	if running := w.Running(); !t.Failed() && len(running) > 0 {
		t.Errorf("%v is watched for nobody", running)
	}
}
