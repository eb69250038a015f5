// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/package-variants/package-variants/e2e/internal/controller"
)

// controllers stands for the two controllers among the components.
const controllers = "controllers"

// quiet is a test handle for each of many controllers that does not print their logs: world.tell does so, once.
type quiet struct{ *testing.T }

// Failed says that the test has not.
func (quiet) Failed() bool { return false }

// replicas are two controllers, of which one leads. One that ends is started again, as Kubernetes does.
type replicas struct {
	w      *world
	dir    string // of their logs
	keeper sync.WaitGroup

	mu      sync.Mutex
	running [2]*controller.Process
}

func newReplicas(w *world) *replicas {
	r := &replicas{w: w, dir: w.t.TempDir()}
	w.t.Cleanup(r.keeper.Wait) // it ends with the context of the test
	for i := range r.running {
		r.start(i)
		r.keeper.Go(func() { r.keep(i) })
	}
	r.running[0].WaitReady(w.t.Context())
	return r
}

func (r *replicas) start(i int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running[i] = controller.Start(quiet{r.w.t}, controller.Options{Kubeconfig: r.w.kubeconfig,
		Namespaces: []string{r.w.Namespace}, Dir: r.logs(i), Args: []string{"--log-format=text",
			"--leader-elect", "--leader-election-namespace=package-variants-system", "--leader-election-lease-duration=3s",
			"--leader-election-renew-deadline=2s", "--leader-election-retry-period=500ms"}})
}

// logs returns the directory of the log of a controller, and of those that it took the place of.
func (r *replicas) logs(i int) string { return filepath.Join(r.dir, strconv.Itoa(i)) }

func (r *replicas) process(i int) *controller.Process {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.running[i]
}

// keep starts a controller again whenever it ends.
func (r *replicas) keep(i int) {
	for {
		select {
		case <-r.process(i).Ended():
		case <-r.w.t.Context().Done():
			return
		}
		select {
		case <-time.After(200 * time.Millisecond):
			r.start(i)
		case <-r.w.t.Context().Done():
			return
		}
	}
}

// faults end components.
type faults struct {
	w        *world
	replicas *replicas
	random   *rand.Rand
	killed   map[string]int
}

func newFaults(w *world, r *replicas, random *rand.Rand) *faults {
	return &faults{w: w, replicas: r, random: random, killed: map[string]int{}}
}

// until ends components, each at least once before it ends one a second time, and starts those of the stack again some
// time later. Sometimes it ends the next component before that.
func (f *faults) until(end time.Time) {
	components := append([]string{controllers, controllers}, f.w.stack.Components()...)
	for first := true; first || time.Now().Before(end); first = false {
		f.random.Shuffle(len(components), func(i, j int) { components[i], components[j] = components[j], components[i] })
		for left := components; len(left) > 0; {
			n := 1
			if f.random.IntN(4) == 0 {
				n = min(2, len(left))
			}
			time.Sleep(f.within(3 * time.Second))
			over := !first && time.Now().After(end)
			if over || f.w.t.Failed() || !f.endAll(left[:n]) {
				return
			}
			left = left[n:]
		}
	}
}

// endAll ends components, and starts those of the stack again some time later. It reports false if one does not start.
func (f *faults) endAll(components []string) bool {
	for _, component := range components {
		f.killed[component]++
		if component == controllers {
			i := f.random.IntN(len(f.replicas.running))
			f.w.diary.note("kill controller %d", i)
			f.replicas.process(i).Kill()
			continue
		}
		f.w.diary.note("kill %s", component)
		if err := f.w.stack.Kill(component); err != nil {
			f.w.t.Error(err)
		}
	}
	time.Sleep(f.within(2 * time.Second))
	for _, component := range f.w.stack.Components() { // each after those without which it does not start
		if !slices.Contains(components, component) {
			continue
		}
		if err := f.w.stack.Restart(f.w.t.Context(), component); err != nil {
			f.w.t.Error(err)
			return false
		}
		f.w.diary.note("%s is back", component)
	}
	return true
}

// within returns a time of up to a limit.
func (f *faults) within(limit time.Duration) time.Duration {
	return time.Duration(f.random.Int64N(int64(limit)))
}
