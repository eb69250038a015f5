// SPDX-License-Identifier: Apache-2.0

// Package retry says when a failed item is retried.
package retry

import (
	"math/rand/v2"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/workqueue"
)

// Last is the longest time until an item is retried.
const Last = 5 * time.Minute

// Limiter is a rate limiter of a work queue: the time until an item is retried doubles with each failure. Each time is
// chosen at random from the upper half of its range, because a thousand items that fail at once would otherwise come
// back at once. The times depend on the number of failures, so a clock that jumps does not change them. The zero value
// is not usable; see New.
type Limiter[T comparable] struct {
	doubling workqueue.TypedRateLimiter[T]

	mu    sync.Mutex
	asked map[T]time.Duration // by a server, for the next retry
	held  map[T]hold
}

// hold makes an item wait until a time, as long as it has these inputs. The time is zero until the queue has asked for
// it.
type hold struct {
	inputs string
	until  time.Time
}

// New returns a Limiter that first retries an item after first at most.
func New[T comparable](first time.Duration) *Limiter[T] {
	return &Limiter[T]{
		doubling: workqueue.NewTypedItemExponentialFailureRateLimiter[T](first, Last),
		asked:    map[T]time.Duration{},
		held:     map[T]hold{},
	}
}

// SetRetryAfter makes the next retry of an item wait at least as long as a server's error asks for, up to Last. An
// error that asks for nothing has no effect.
func (l *Limiter[T]) SetRetryAfter(item T, err error) {
	seconds, asks := apierrors.SuggestsClientDelay(err)
	if !asks || seconds <= 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked[item] = time.Duration(min(seconds, int(Last/time.Second))) * time.Second
}

// When implements workqueue.TypedRateLimiter: it counts a failure of the item, and returns the time until its retry.
func (l *Limiter[T]) When(item T) time.Duration {
	wait := l.doubling.When(item)
	wait -= fraction(wait)
	l.mu.Lock()
	defer l.mu.Unlock()
	asked := l.asked[item]
	delete(l.asked, item)
	wait = max(wait, min(asked+fraction(asked), Last))
	if h, held := l.held[item]; held {
		l.held[item] = hold{inputs: h.inputs, until: time.Now().Add(wait)}
	}
	return wait
}

// heldFrom is how many failures the first failure of a held item counts as, because what failed was expensive.
const heldFrom = 3

// Hold makes an item that failed with some inputs wait until its time comes, even if it is woken earlier, unless its
// inputs change. It is called before When, and makes the first wait eight times as long.
func (l *Limiter[T]) Hold(item T, inputs string) {
	for l.doubling.NumRequeues(item) < heldFrom {
		l.doubling.When(item)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held[item] = hold{inputs: inputs}
}

// Held returns how long an item with these inputs has to wait; 0 if it does not have to.
func (l *Limiter[T]) Held(item T, inputs string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	h, held := l.held[item]
	if !held || h.inputs != inputs {
		return 0
	}
	return max(time.Until(h.until), 0)
}

// Release ends the hold on an item.
func (l *Limiter[T]) Release(item T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.held, item)
}

// fraction returns a random time that is less than half of d.
func fraction(d time.Duration) time.Duration {
	return time.Duration(rand.Float64() * float64(d) / 2) //nolint:gosec // it spreads load, and protects nothing
}

// Forget implements workqueue.TypedRateLimiter: the next failure of the item counts as its first. It does nothing for a
// held item, because the work queue also forgets an item that it puts off.
func (l *Limiter[T]) Forget(item T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, held := l.held[item]; held {
		return
	}
	l.doubling.Forget(item)
	delete(l.asked, item)
}

// NumRequeues implements workqueue.TypedRateLimiter: it returns how often the item has failed in a row.
func (l *Limiter[T]) NumRequeues(item T) int { return l.doubling.NumRequeues(item) }
