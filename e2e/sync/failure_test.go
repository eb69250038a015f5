// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
	"github.com/package-variants/package-variants/e2e/stack"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// TestPorchDown stops Porch for a while, in which objects change. The controller does not retry in a loop.
func TestPorchDown(t *testing.T) {
	rare(t)
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), newVariant("web"))
	c := w.start()
	draft := w.target("web")
	w.proxy.SetDown("porch.kpt.dev", true)
	w.Apply(configMap("eu", map[string]string{"api": "eu-2"}), newVariant("shop"))
	message := w.message("web", "PorchUnavailable")
	t.Log(message)
	w.WaitReason("shop", "PorchUnavailable")
	select {
	case <-c.Ended():
		t.Fatal("the controller has ended")
	case <-time.After(12 * time.Second): // long enough for a second retry
	}
	w.proxy.SetDown("porch.kpt.dev", false)
	w.waitFile(draft, "region.yaml", "api: eu-2")
	w.Ready("web")
	w.target("shop")
	w.expectDrafts("web", draft)
	// The controller also sees what changed meanwhile: it watches again.
	w.proxy.SetDown("porch.kpt.dev", true)
	w.Delete(w.Revision(draft))
	w.proxy.SetDown("porch.kpt.dev", false)
	w.waitOneDraft("web")
	w.Ready("web")
	w.expectNoLoop()
}

// TestLostOwnerBehind has Porch forget the owner of a draft before the controller's cache has the status that names the
// draft. The controller does not take it for another's draft, and owns it again once the cache is up to date.
func TestLostOwnerBehind(t *testing.T) {
	rare(t)
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	web := newVariant("web", func(s *variant.Spec) { s.Labels = map[string]string{"team": "a"} })
	web.Finalizers = []string{v1alpha1.Finalizer}
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), web)
	var lists atomic.Int32
	var caughtUp atomic.Bool
	w.proxy.Handle(func(r proxy.Request, phase proxy.Phase) *metav1.Status {
		if phase != proxy.Before || r.Resource != "packagevariants" || caughtUp.Load() {
			return nil
		}
		if r.Verb == "watch" || r.Verb == "list" && lists.Add(1) > 1 {
			return &metav1.Status{Status: metav1.StatusFailure, Code: http.StatusServiceUnavailable,
				Reason: metav1.StatusReasonServiceUnavailable}
		}
		return nil
	})
	w.start()
	draft := w.target("web")
	w.loseOwner(draft)
	w.Eventually("a write by the cache is refused", func() error {
		refused := proxy.Count(w.proxy.Requests(), func(r proxy.Request) bool {
			return r.Resource == "packagevariants" && r.Subresource == "status" && r.Status == http.StatusConflict
		})
		if refused < 2 {
			return fmt.Errorf("%d were", refused)
		}
		return nil
	})
	if ready := w.Condition("web", v1alpha1.ConditionReady); ready.Status != metav1.ConditionTrue {
		t.Errorf("meanwhile it says %s: %s", ready.Reason, ready.Message)
	}
	caughtUp.Store(true)
	w.Eventually("the draft is taken back", func() error { return w.ownedAgain(draft) })
	w.Ready("web")
	w.expectDrafts("web", draft)
}

// loseOwner removes from a revision what Porch loses of it.
func (w *world) loseOwner(name string) {
	w.t.Helper()
	w.changeMeta(name, func(r *porchapi.PackageRevision) { r.OwnerReferences, r.Labels = nil, nil })
}

// ownedAgain returns an error unless a revision has an owner. Labels are the user's: the controller does not restore
// them.
func (w *world) ownedAgain(name string) error {
	r, err := w.GetRevision(name)
	if err == nil && len(r.OwnerReferences) != 1 {
		err = fmt.Errorf("it has the owners %v", r.OwnerReferences)
	}
	return err
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
