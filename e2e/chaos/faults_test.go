// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/stack"
)

// replicas are two controllers, of which one leads. One that ends is started again, as Kubernetes does.
type replicas struct {
	w   *world
	dir string // of their logs

	mu      sync.Mutex
	running [2]*controller.Process
	ending  bool
}

func newReplicas(w *world) *replicas {
	r := &replicas{w: w, dir: w.t.TempDir()}
	for i := range r.running {
		r.start(i)
		go r.keep(i)
	}
	r.running[0].WaitReady(w.t.Context())
	w.t.Cleanup(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.ending = true
	})
	return r
}

func (r *replicas) start(i int) {
	r.running[i] = controller.Start(r.w.t, controller.Options{Kubeconfig: r.w.kubeconfig,
		Namespaces: []string{r.w.Namespace}, Dir: filepath.Join(r.dir, strconv.Itoa(i)), Args: []string{"--log-format=text",
			"--leader-elect", "--leader-election-namespace=package-variants-system", "--leader-election-lease-duration=3s",
			"--leader-election-renew-deadline=2s", "--leader-election-retry-period=500ms"}})
}

// keep starts a controller again whenever it ends.
func (r *replicas) keep(i int) {
	for {
		r.mu.Lock()
		ended := r.running[i].Ended()
		r.mu.Unlock()
		<-ended
		time.Sleep(200 * time.Millisecond)
		r.mu.Lock()
		if r.ending || r.w.t.Context().Err() != nil {
			r.mu.Unlock()
			return
		}
		r.start(i)
		r.mu.Unlock()
	}
}

// kill ends one of the controllers.
func (r *replicas) kill(i int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running[i].Kill()
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

// until ends one component after the other, each at least once before one is ended again, and starts those of the stack
// again some time later.
func (f *faults) until(end time.Time) {
	const controllers = "controllers"
	components := []string{controllers, stack.Porch, stack.FunctionRunner, controllers, stack.GitServer, stack.APIServer}
	for {
		f.random.Shuffle(len(components), func(i, j int) { components[i], components[j] = components[j], components[i] })
		for _, component := range components {
			time.Sleep(f.within(3 * time.Second))
			if time.Now().After(end) || f.w.t.Failed() {
				return
			}
			f.killed[component]++
			if component == controllers {
				f.replicas.kill(f.random.IntN(2))
				continue
			}
			f.w.stack.Kill(component)
			time.Sleep(f.within(2 * time.Second))
			if err := f.w.stack.Restart(f.w.t.Context(), component); err != nil {
				f.w.t.Error(err)
				return
			}
		}
	}
}

// within returns a time of up to a limit.
func (f *faults) within(limit time.Duration) time.Duration {
	return time.Duration(f.random.Int64N(int64(limit)))
}
