// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// A variant whose steps failed is held for firstHold, and for twice as long with each failure in a row, up to lastHold.
// That is longer than other failures are: such steps are expensive.
const firstHold, lastHold = 2 * time.Second, 5 * time.Minute

// failures holds variants whose steps failed until it is time to try again, even if something wakes them earlier: a
// draft that the home fails to make causes events itself. Other inputs end a hold.
type failures struct {
	now func() time.Time

	mu   sync.Mutex
	held map[types.NamespacedName]hold
}

type hold struct {
	inputs string
	length time.Duration
	until  time.Time
}

func newFailures(now func() time.Time) *failures {
	return &failures{now: now, held: map[types.NamespacedName]hold{}}
}

// hold holds a variant that failed with some inputs, for longer with each failure in a row.
func (f *failures) hold(variant types.NamespacedName, inputs string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	length := min(max(firstHold, 2*f.held[variant].length), lastHold)
	f.held[variant] = hold{inputs: inputs, length: length, until: f.now().Add(length)}
}

// wait returns how long a variant with these inputs is held; 0 if it is not.
func (f *failures) wait(variant types.NamespacedName, inputs string) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if h := f.held[variant]; h.inputs == inputs {
		return max(0, h.until.Sub(f.now()))
	}
	return 0
}

// end ends the hold on a variant that did not fail, or is gone. Its next failure counts as the first.
func (f *failures) end(variant types.NamespacedName) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.held, variant)
}
