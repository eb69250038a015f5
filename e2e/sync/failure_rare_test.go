// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/proxy"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

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
