// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/proxy"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestKilled kills the controller before and after writes, at random, over and over: after each write it has to go on
// where it was. KILLS says how often, where not a hundred times. In the end there are the same drafts, with the same files, as if nothing had happened, and no other.
func TestKilled(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Apply(configMap("eu", map[string]string{"api": "0"}))
	names := []string{"web-0", "web-1", "web-2"}
	for _, name := range names {
		w.Apply(newVariant(name))
	}
	k := newKiller(w)
	kills := fromEnv(t, "KILLS", 100, strconv.Atoi)
	for round := 1; k.killed.Load() < int64(kills); round++ {
		// Work for the controller: a changed object, and now and then a published draft.
		w.Apply(configMap("eu", map[string]string{"api": strconv.Itoa(round)}))
		w.Eventually(fmt.Sprintf("round %d is settled", round), func() error { return w.allSettled(names, round) })
		if round%10 == 0 {
			name := names[round/10%len(names)]
			if drafts, _ := w.drafts(name); len(drafts) == 1 {
				w.publish(drafts[0])
			}
		}
	}
	t.Logf("killed %d times", k.killed.Load())
	k.spare()
	for _, name := range names {
		drafts, published := w.drafts(name)
		if len(drafts) > 1 {
			t.Errorf("%s has the drafts %v beside %v", name, drafts, published)
		}
		for i := range len(drafts) + len(published) {
			if r := fmt.Sprintf("edge.%s.packagevariant-%d", name, i+1); w.Revision(r).OwnerReferences[0].Name != name {
				t.Errorf("%s is not owned by %s", r, name)
			}
		}
	}
	// The files are those of a variant that is made in one go.
	w.Apply(newVariant("fresh"))
	fresh := w.Files(w.target("fresh"))
	for _, name := range names {
		if diff := cmp.Diff(fresh["region.yaml"], w.Files(w.target(name))["region.yaml"]); diff != "" {
			t.Errorf("%s (-fresh +got):\n%s", name, diff)
		}
	}
}

// settled tells whether a revision has the object's value of a round in it.
func (w *world) settled(revision string, round int) bool {
	return strings.Contains(w.Files(revision)["region.yaml"], fmt.Sprintf("api: %q\n", strconv.Itoa(round)))
}

func (w *world) allSettled(names []string, round int) error {
	for _, name := range names {
		drafts, published := w.drafts(name)
		all := slices.Concat(published, drafts)
		if len(all) == 0 || !w.settled(all[len(all)-1], round) {
			return fmt.Errorf("%s is not, of %v", name, all)
		}
	}
	return nil
}

// killer runs a controller, kills it at writes, and starts it again.
type killer struct {
	w      *world
	killed atomic.Int64

	mu        sync.Mutex
	random    *rand.Rand
	running   *controller.Process
	phase     proxy.Phase
	countdown int // writes until the next kill; none below 0
	spared    bool
}

func newKiller(w *world) *killer {
	k := &killer{w: w, random: rand.New(rand.NewPCG(1, 2))} // the same each time
	w.proxy.Handle(k.hook)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.start()
	return k
}

// start starts a controller that is to be killed before or after one of its first writes. The lock must be held.
func (k *killer) start() {
	k.phase = []proxy.Phase{proxy.Before, proxy.After}[k.random.IntN(2)]
	k.countdown = 1 + k.random.IntN(3)
	k.running = controller.Start(k.w.t, controller.Options{
		Kubeconfig: k.w.kubeconfig, Namespaces: []string{k.w.Namespace}, Dir: k.w.dir, Args: []string{"--log-format=text", "--log-level=error"},
	})
}

// hook kills the controller when it is time, and has it started anew.
func (k *killer) hook(r proxy.Request, phase proxy.Phase) *metav1.Status {
	if !proxy.IsWrite(r) || proxy.IsBookkeeping(r) {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.spared || phase != k.phase {
		return nil
	}
	if k.countdown--; k.countdown == 0 {
		k.running.Kill()
		k.killed.Add(1)
		go func() {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.start()
		}()
	}
	if k.countdown > 0 {
		return nil
	}
	return &metav1.Status{Status: metav1.StatusFailure, Code: 503, Reason: metav1.StatusReasonServiceUnavailable, Message: "killed"}
}

// spare lets the controller live.
func (k *killer) spare() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.spared = true
}

// TestReplicas runs two controllers of which one acts, and the other takes over.
func TestReplicas(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), newVariant("first"))
	elect := []string{"--leader-elect", "--leader-election-namespace=package-variants-system", "--leader-election-lease-duration=2s",
		"--leader-election-renew-deadline=1500ms", "--leader-election-retry-period=200ms"}
	a := w.start(elect...)
	w.target("first")
	b := w.start(elect...)
	acted := func(p *controller.Process) float64 {
		return p.Metric("controller_runtime_reconcile_total", nil)
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

// TestPorchDown has Porch not answer for a while, in which something happens.
func TestPorchDown(t *testing.T) {
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
	case <-time.After(12 * time.Second): // what is tried again is, more than once
	}
	w.proxy.SetDown("porch.kpt.dev", false)
	w.waitFile(draft, "region.yaml", "api: eu-2")
	w.Ready("web")
	w.target("shop")
	w.expectDrafts("web", draft)
	// What happened meanwhile is seen, too: the watch begins anew.
	w.proxy.SetDown("porch.kpt.dev", true)
	w.Delete(w.Revision(draft))
	w.proxy.SetDown("porch.kpt.dev", false)
	w.Eventually("the deleted draft is made anew", func() error {
		if drafts, _ := w.drafts("web"); len(drafts) != 1 {
			return fmt.Errorf("there are %v", drafts)
		}
		return nil
	})
	w.Ready("web")
}

// TestLostOwner has Porch forget whose a draft is, as it does when it reads a repository while a branch is written.
func TestLostOwner(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), newVariant("web", func(s *variant.Spec) { s.Labels = map[string]string{"team": "a"} }))
	w.start()
	draft := w.target("web")
	before := w.Files(draft)
	r := w.Revision(draft)
	r.OwnerReferences, r.Labels = nil, nil
	if err := w.Client.Update(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	w.Eventually("the draft is taken back", func() error {
		if r := w.Revision(draft); len(r.OwnerReferences) != 1 || r.Labels["team"] != "a" {
			return fmt.Errorf("it has the owners %v and the labels %v", r.OwnerReferences, r.Labels)
		}
		return nil
	})
	w.Ready("web")
	if diff := cmp.Diff(before["settings.yaml"], w.Files(draft)["settings.yaml"]); diff != "" {
		t.Errorf("-before +after:\n%s", diff)
	}
	w.expectDrafts("web", draft)
}

// TestRegisteredAnew takes the downstream Repository away and registers it again; Porch then knows of no owner.
func TestRegisteredAnew(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), newVariant("web"), newVariant("shop"))
	w.start()
	w.publish(w.target("web"))
	draft := w.target("shop")
	w.target("web")
	if out, err := shared.Kubectl(t.Context(), "delete", "repository", "edge", "--namespace", w.Namespace); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	w.WaitReason("web", "RepositoryNotFound")
	w.WaitReason("shop", "RepositoryNotFound")
	w.Repository("edge", nil, true)
	w.waitTarget("web", "edge.web.packagevariant-1")
	w.waitTarget("shop", draft)
	w.expectStates("web", map[string]state{"packagevariant-1": {isPublished, 1}})
	w.expectStates("shop", map[string]state{"packagevariant-1": {isDraft, 1}})
}
