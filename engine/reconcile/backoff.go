// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// A variant whose steps failed waits for firstBackoff, and for twice as long with each failure in a row, up to
// lastBackoff. That is longer than after other failures: such steps are expensive.
const firstBackoff, lastBackoff = 2 * time.Second, 5 * time.Minute

// backoffs has variants whose steps failed wait until it is time to try again, even if something wakes them earlier: a
// draft that the home fails to make causes events itself. Other inputs end that.
type backoffs struct {
	now func() time.Time

	mu      sync.Mutex
	waiting map[types.NamespacedName]backoff
}

type backoff struct {
	inputs string
	length time.Duration
	until  time.Time
}

func newBackoffs(now func() time.Time) *backoffs {
	return &backoffs{now: now, waiting: map[types.NamespacedName]backoff{}}
}

// add has a variant wait that failed with some inputs, for longer with each failure in a row.
func (b *backoffs) add(variant types.NamespacedName, inputs string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	length := min(max(firstBackoff, 2*b.waiting[variant].length), lastBackoff)
	b.waiting[variant] = backoff{inputs: inputs, length: length, until: b.now().Add(length)}
}

// wait returns how long a variant with these inputs has to wait still; 0 if it has not.
func (b *backoffs) wait(variant types.NamespacedName, inputs string) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if h := b.waiting[variant]; h.inputs == inputs {
		return max(0, h.until.Sub(b.now()))
	}
	return 0
}

// end ends the waiting of a variant that did not fail, or is gone. Its next failure counts as the first.
func (b *backoffs) end(variant types.NamespacedName) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.waiting, variant)
}
