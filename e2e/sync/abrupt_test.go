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

	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/proxy"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestKilled kills the controller at random, over and over: before and after writes, and while Porch works on them.
// After each kill the controller has to continue where it was. KILLS sets the number of kills, 100 by default. In the
// end there are exactly the drafts and files that there would be without kills, and published revisions have the same
// files as before. It is the slowest test, and is in the first file so that it starts first.
func TestKilled(t *testing.T) {
	w, git := newWorldBehind(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Apply(configMap("eu", map[string]string{"api": "0"}))
	names := []string{"web-0", "web-1", "web-2"}
	for _, name := range names {
		w.Apply(newVariant(name))
	}
	k := newKiller(w, git)
	kills := fromEnv(t, "KILLS", 100, strconv.Atoi)
	round, seen := 1, map[string]int{}      // how many revisions there were of each
	files := map[string]map[string]string{} // of each published revision
	for ; k.killed.Load() < int64(kills); round++ {
		// Work for the controller: a changed object, and now and then a published draft.
		w.Apply(configMap("eu", map[string]string{"api": strconv.Itoa(round)}))
		w.Eventually(fmt.Sprintf("round %d is settled", round), func() error { return w.allSettled(names, round, seen) })
		if round%publishEvery == 0 {
			name := names[round/publishEvery%len(names)]
			if drafts, _ := w.drafts(name); len(drafts) == 1 {
				w.publish(drafts[0])
				w.Eventually("the files of "+drafts[0]+" are there", func() (err error) {
					files[drafts[0]], err = w.GetFiles(drafts[0])
					return err
				})
			}
		}
	}
	t.Logf("killed %d times, of these %d inside a call", k.killed.Load(), k.inside.Load())
	k.spare()
	w.readAnew("edge") // Porch now knows what a call left behind
	for _, name := range names {
		drafts, published := w.drafts(name)
		if len(drafts) > 1 {
			t.Errorf("%s has the drafts %v beside %v", name, drafts, published)
		}
		for i := range max(seen[name], len(drafts)+len(published)) {
			revision := fmt.Sprintf("edge.%s.packagevariant-%d", name, i+1)
			w.waitOwner(revision, name)
		}
	}
	for revision, want := range files {
		w.Eventually(revision+" is as it was published", func() error {
			got, err := w.GetFiles(revision)
			if diff := cmp.Diff(want, got); err == nil && diff != "" {
				err = fmt.Errorf("-published +got:\n%s", diff)
			}
			return err
		})
	}
	// The files are those of a variant that is made in one step.
	w.Apply(newVariant("fresh"))
	fresh := w.Files(w.target("fresh"))
	for _, name := range names {
		target := w.target(name)
		w.Eventually("the files of "+target+" are whole", func() error {
			files, err := w.GetFiles(target)
			if diff := cmp.Diff(fresh["region.yaml"], files["region.yaml"]); err == nil && diff != "" {
				err = fmt.Errorf("-fresh +got:\n%s", diff)
			}
			return err
		})
	}
}

// publishEvery is after how many rounds a draft is published; the next round makes another by an edit.
const publishEvery = 2

// settled returns an error unless a revision has the object's value of a round in it.
func (w *world) settled(revision string, round int) error {
	files, err := w.GetFiles(revision)
	if want := fmt.Sprintf("api: %q\n", strconv.Itoa(round)); err == nil && !strings.Contains(files["region.yaml"], want) {
		err = fmt.Errorf("%s has no %s", revision, want)
	}
	return err
}

// allSettled returns an error unless the last revision of each variant contains the object's value of a round, and
// every revision seen before still exists. It stores in seen how many there are.
func (w *world) allSettled(names []string, round int, seen map[string]int) error {
	for _, name := range names {
		drafts, published, err := w.listDrafts(name)
		if err != nil {
			return err
		}
		all := slices.Concat(published, drafts)
		there := len(slices.Compact(slices.Sorted(slices.Values(all)))) // one that is just published may be in both
		seen[name] = max(seen[name], there)
		if there == 0 || there < seen[name] {
			return fmt.Errorf("%s has the revisions %v only, of %d", name, all, seen[name])
		}
		if err := w.settled(all[len(all)-1], round); err != nil {
			return fmt.Errorf("%w; what the variant says: %+v", err, w.Variant(name).Status)
		}
	}
	return nil
}

// waitOwner waits until a revision has one owner, which is a variant, and returns the reference. Porch v1.5 may lose
// sight of owners.
func (w *world) waitOwner(revision, name string) (owner metav1.OwnerReference) {
	w.t.Helper()
	uid := w.Variant(name).UID
	w.Eventually(revision+" is owned by "+name, func() error {
		r, err := w.GetRevision(revision)
		if err != nil {
			return err
		}
		if len(r.OwnerReferences) != 1 || r.OwnerReferences[0].Name != name || r.OwnerReferences[0].UID != uid {
			return fmt.Errorf("it is owned by %v, want %s (%s)", r.OwnerReferences, name, uid)
		}
		owner = r.OwnerReferences[0]
		return nil
	})
	return owner
}

// killer runs a controller, kills it at writes, and starts it again.
type killer struct {
	w   *world
	git *gitServer
	// killed counts the kills, inside those during a call.
	killed, inside atomic.Int64

	mu        sync.Mutex
	random    *rand.Rand
	running   *controller.Process
	phase     proxy.Phase
	delay     time.Duration // from the beginning of a write until it is in the phase Inside
	countdown int           // writes until the next kill; none below 0
	spared    bool
}

// newKiller starts a controller, and kills it.
func newKiller(w *world, git *gitServer) *killer {
	k := &killer{w: w, git: git, random: rand.New(rand.NewPCG(1, 2))} // the same each time
	w.Timeout = unanswered
	w.proxy.Handle(k.hook)
	w.proxy.HandleInside(k.within)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.start()
	return k
}

// maxDelay is about how long Porch's calls take.
const maxDelay = 100 * time.Millisecond

// atPush is the phase of a call in which the git server has Porch's push, and Porch does not know that yet.
const atPush proxy.Phase = "Pushed"

// start starts a controller that is to be killed before, inside or after one of its first writes. The lock must be
// held.
func (k *killer) start() {
	k.phase = []proxy.Phase{proxy.Before, proxy.Inside, atPush, proxy.After}[k.random.IntN(4)]
	k.git.pushed.Store(nil)
	if k.phase == atPush {
		k.git.pushed.Store(new(k.pushed))
	}
	k.countdown = 1 + k.random.IntN(3)
	if k.phase == proxy.Inside { // few writes reach this phase
		k.countdown, k.delay = 1, time.Duration(k.random.Int64N(int64(maxDelay)))
	}
	k.running = controller.Start(k.w.t, k.w.options("--log-level=error"))
}

// within says which writes are in the phase Inside, and when.
func (k *killer) within(r proxy.Request) (time.Duration, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.delay, k.phase == proxy.Inside && proxy.IsWrite(r) && !proxy.IsBookkeeping(r)
}

// hook kills the controller when its time has come, and restarts it.
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
		k.kill()
	}
	if k.countdown > 0 {
		return nil
	}
	return &metav1.Status{Status: metav1.StatusFailure, Code: 503, Reason: metav1.StatusReasonServiceUnavailable,
		Message: "killed"}
}

// pushed kills the controller when the git server has Porch's push, and waits until Porch knows that its client is
// gone.
func (k *killer) pushed() {
	k.mu.Lock()
	if !k.spared && k.phase == atPush {
		k.kill()
	}
	k.mu.Unlock()
	time.Sleep(letGo)
}

// letGo is the longest time until Porch knows that its client has gone.
const letGo = 300 * time.Millisecond

// kill kills the controller and restarts it. The lock must be held.
func (k *killer) kill() {
	k.running.Kill()
	k.killed.Add(1)
	if k.phase == proxy.Inside || k.phase == atPush {
		k.inside.Add(1)
	}
	go func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.start()
	}()
}

// spare lets the controller live.
func (k *killer) spare() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.spared = true
	k.git.pushed.Store(nil)
}
