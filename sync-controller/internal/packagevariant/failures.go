// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"sync"
	"time"

	"github.com/package-variants/package-variants/sync-controller/internal/queue/fairqueue"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
)

// firstHold is how long a variant whose steps failed for the first time is held. That is longer than
// fairqueue.FirstRetry, because such steps are expensive.
const firstHold = 2 * time.Second

// failures holds variants whose steps failed until it is time to try again, even if something wakes them earlier: a
// draft that Porch fails to make causes events itself. Other inputs end a hold.
type failures struct {
	delays workqueue.TypedRateLimiter[ctrl.Request]

	mu   sync.Mutex
	held map[ctrl.Request]hold
}

type hold struct {
	inputs string
	until  time.Time
}

func newFailures() *failures {
	return &failures{held: map[ctrl.Request]hold{},
		delays: workqueue.NewTypedItemExponentialFailureRateLimiter[ctrl.Request](firstHold, fairqueue.LastRetry)}
}

// hold holds a variant that failed with some inputs, for longer with each failure in a row.
func (f *failures) hold(variant ctrl.Request, inputs string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held[variant] = hold{inputs: inputs, until: time.Now().Add(f.delays.When(variant))}
}

// wait returns how long a variant with these inputs is held; 0 if it is not.
func (f *failures) wait(variant ctrl.Request, inputs string) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if h := f.held[variant]; h.inputs == inputs {
		return max(0, time.Until(h.until))
	}
	return 0
}

// end ends the hold on a variant that did not fail, or is gone. Its next failure counts as the first.
func (f *failures) end(variant ctrl.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.held, variant)
	f.delays.Forget(variant)
}
