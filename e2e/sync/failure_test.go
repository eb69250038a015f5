// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/stack"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestReplicas runs two controllers, of which one acts until the other takes over.
func TestReplicas(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), newVariant("first"))
	elect := []string{"--leader-elect", "--leader-election-namespace=package-variants-system",
		"--leader-election-lease-duration=2s",
		"--leader-election-renew-deadline=1500ms", "--leader-election-retry-period=200ms"}
	a := w.start(elect...)
	w.target("first")
	b := w.start(elect...)
	acted := func(p *controller.Process) float64 {
		return p.Metric(reconcilesMetric, nil)
	}
	w.Apply(newVariant("second"))
	w.target("second")
	if acted(a) == 0 || acted(b) != 0 {
		t.Errorf("the leader has reconciled %v times, the other %v", acted(a), acted(b))
	}
	a.Kill()
	w.Apply(newVariant("third"))
	w.target("third")
	c := w.start(elect...)
	if code := b.Stop(); code != 0 {
		t.Errorf("asked to end, the leader ends with code %d", code)
	}
	w.Apply(newVariant("fourth"))
	w.target("fourth")
	if acted(c) == 0 {
		t.Error("the last has not taken over")
	}
	for _, name := range []string{"first", "second", "third", "fourth"} {
		w.expectDrafts(name, "edge."+name+".packagevariant-1")
	}
}

// TestRegisteredAnew takes the downstream Repository away and registers it again; Porch then knows of no owner.
func TestRegisteredAnew(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), newVariant("web"), newVariant("shop"))
	c := w.start()
	w.publish(w.target("web"))
	w.target("shop")
	w.target("web")
	workspace := "packagevariant-1"
	if w.stack.Cache() == stack.DBCache { // the draft is not in git, and goes with the Repository
		workspace = "packagevariant-2"
	}
	w.kubectl("delete", "repository", "edge", "--namespace", w.Namespace)
	w.WaitReason("web", "RepositoryNotFound")
	w.WaitReason("shop", "RepositoryNotFound")
	w.registerAnew("edge", true)
	if w.stack.Foreign() { // Porch sends no watch event for the loss
		w.synced("edge")
		c.Stop()
		w.start()
	}
	w.waitTarget("web", "edge.web.packagevariant-1")
	w.waitTarget("shop", "edge.shop."+workspace)
	w.expectStates("web", map[string]state{"packagevariant-1": {isPublished, 1}})
	w.expectStates("shop", map[string]state{workspace: {isDraft, 1}})
}

// waitNoRepository waits until a Repository that was deleted has gone.
func (w *world) waitNoRepository(name string) {
	w.t.Helper()
	w.Eventually("the Repository "+name+" has gone", func() error {
		err := w.Client.Get(w.t.Context(), client.ObjectKey{Namespace: w.Namespace, Name: name}, &configapi.Repository{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("it is there: %w", err)
	})
}

// registerAnew registers a deleted Repository again. Porch removes its clone a little later, and never reads a
// Repository that is registered before that. Events of the revisions that go may come after those of the revisions that
// are found.
func (w *world) registerAnew(name string, deployment bool) {
	w.t.Helper()
	if w.stack.Foreign() { // the clone of Porch's API server stays, and a Repository that goes is there for a while
		w.waitNoRepository(name)
		w.Repository(name, nil, deployment)
		return
	}
	w.Eventually("Porch has no revision of "+name, func() error {
		var list porchapi.PackageRevisionList
		err := w.Client.List(w.t.Context(), &list, client.InNamespace(w.Namespace))
		isOf := func(r porchapi.PackageRevision) bool { return r.Spec.RepositoryName == name }
		if err == nil && slices.ContainsFunc(list.Items, isOf) {
			err = errors.New("it has one")
		}
		return err
	})
	w.Eventually("Porch has removed its clone of "+name, func() error {
		left, err := filepath.Glob(filepath.Join(w.stack.Dir, "cache", "*", "*-"+w.Namespace+"-"+name))
		if err != nil || len(left) > 0 {
			return fmt.Errorf("there is %v, %w", left, err)
		}
		return nil
	})
	w.Repository(name, nil, deployment)
}
