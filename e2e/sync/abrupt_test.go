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

	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/proxy"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestKilled kills the controller before and after writes, at random, over and over: after each write it has to go on
// where it was. KILLS says how often, where not a hundred times. In the end there are the same drafts, with the same
// files, as if nothing had happened, and no other. It takes the longest of all tests, and is in the first of the files, so
// that it is the first to start.
func TestKilled(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Apply(configMap("eu", map[string]string{"api": "0"}))
	names := []string{"web-0", "web-1", "web-2"}
	for _, name := range names {
		w.Apply(newVariant(name))
	}
	k := newKiller(w)
	t.Cleanup(w.compareDrafts)
	kills := fromEnv(t, "KILLS", 100, strconv.Atoi)
	round := 1
	for ; k.killed.Load() < int64(kills); round++ {
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
	w.only, w.random = "edge.fresh.", []string{fmt.Sprintf("%q", strconv.Itoa(round-1)), "ROUND"}
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
	k.running = controller.Start(k.w.t, k.w.options("--log-level=error"))
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
