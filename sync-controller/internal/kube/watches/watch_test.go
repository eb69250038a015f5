// SPDX-License-Identifier: Apache-2.0

package watches

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/package-variants/package-variants/engine/objects"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
)

// TestUseKeepsItsOwn checks that a caller may go on with the slice that it gave: a slice that grows with each package
// shares its memory with what was given before.
func TestUseKeepsItsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, object(configMaps, "fleet", "d", "1"))
	references := make([]objects.Reference, 0, 8)
	for _, name := range []string{"a", "b", "c"} {
		references = append(references, objects.Reference{Kind: teams, Name: name})
	}
	w.use(eu, references...)
	references = append(references, objects.Reference{Kind: configMaps, Name: "d"})
	w.use(eu, references...)
	if got := references[3].Kind; got != configMaps {
		t.Errorf("the caller's reference became one in %v", got)
	}
	if w.Object(configMaps, "d") == nil {
		t.Error("the object of the reference that was added is not known")
	}
	references[3] = objects.Reference{Kind: clusters}
	w.watching("configmaps", 1)
	w.wantNotified("of what there is", "web-eu")
	w.update(configMapResource, object(configMaps, "fleet", "d", "2"))
	w.wantNotified("of what it asked for", "web-eu")
}

// TestUseKeepsNothing checks that referring again and again, to what cannot be read too, costs no memory.
func TestUseKeepsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]clienttesting.ReactionFunc{"teams": func(clienttesting.Action) (bool, runtime.Object,
		error) {
		return true, nil, errors.New("boom")
	}})
	w.use(eu, objects.Reference{Kind: configMaps, Name: "a"})
	for range 100 {
		w.use(eu, objects.Reference{Kind: clusters, Name: "b"}, objects.Reference{Kind: teams})
	}
	if running := w.Running(); len(running) != 1 || running[0] != clusters {
		t.Errorf("watched are %v", running)
	}
	if got := len(w.references[eu]); got != 2 || len(w.kinds) != 2 {
		t.Errorf("%d references and %d kinds are kept", got, len(w.kinds))
	}
	w.use(eu)
	if len(w.references) > 0 || len(w.kinds) > 0 || len(w.users) > 0 {
		t.Errorf("kept are %v, %v and %v", w.references, w.kinds, w.users)
	}
}

// TestAdd checks that references are added to those that there are, each once.
func TestAdd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	a, b := objects.Reference{Kind: configMaps, Name: "a"}, objects.Reference{Kind: teams, Name: "b"}
	w.use(eu, a)
	for range 3 {
		if err := w.Add(t.Context(), eu, []objects.Reference{b, a}); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.references[eu]; !slices.Equal(got, []objects.Reference{a, b}) || len(w.Running()) != 2 {
		t.Errorf("the references are %v, watched are %v", got, w.Running())
	}
}

// TestConcurrentUsers checks that a kind is watched for as long as a user refers to it, whatever others do: they must
// not stop a watch between its start and its use.
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
		if err := w.Use(ctx, eu, []objects.Reference{{Kind: configMaps, Name: "a"}}); err != nil {
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
