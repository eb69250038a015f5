// SPDX-License-Identifier: Apache-2.0

// Package retry says when what has failed is tried again.
package retry

import (
	"math/rand/v2"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/workqueue"
)

// Last is the longest time after which an item is tried again.
const Last = 5 * time.Minute

// Limiter is a rate limiter of a work queue: the time until an item is tried again doubles with each failure. Each
// time is chosen at random from the upper half of what it may be, because a thousand items that fail at once would
// otherwise come back at once. Times are counted in failures, so no clock that jumps changes them. The zero value is
// not usable; see New.
type Limiter[T comparable] struct {
	doubling workqueue.TypedRateLimiter[T]

	mu    sync.Mutex
	asked map[T]time.Duration // by a server, for the next time
}

// New returns a Limiter by which an item that fails for the first time is tried again after first at most.
func New[T comparable](first time.Duration) *Limiter[T] {
	return &Limiter[T]{
		doubling: workqueue.NewTypedItemExponentialFailureRateLimiter[T](first, Last),
		asked:    map[T]time.Duration{},
	}
}

// Heed has the next time of an item be no less than what a server asks for with its error, up to Last. An error that
// asks for nothing is of no effect.
func (l *Limiter[T]) Heed(item T, err error) {
	seconds, asks := apierrors.SuggestsClientDelay(err)
	if !asks || seconds <= 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked[item] = time.Duration(min(seconds, int(Last/time.Second))) * time.Second
}

// When implements workqueue.TypedRateLimiter: it counts a failure of the item, and returns after what time it is tried
// again.
func (l *Limiter[T]) When(item T) time.Duration {
	wait := l.doubling.When(item)
	wait -= fraction(wait)
	l.mu.Lock()
	defer l.mu.Unlock()
	asked := l.asked[item]
	delete(l.asked, item)
	return max(wait, min(asked+fraction(asked), Last))
}

// fraction returns a random time that is less than half of d.
func fraction(d time.Duration) time.Duration {
	return time.Duration(rand.Float64() * float64(d) / 2) //nolint:gosec // it spreads load, and protects nothing
}

// Forget implements workqueue.TypedRateLimiter: the next failure of the item is its first.
func (l *Limiter[T]) Forget(item T) {
	l.doubling.Forget(item)
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.asked, item)
}

// NumRequeues implements workqueue.TypedRateLimiter: it returns how often the item has failed in a row.
func (l *Limiter[T]) NumRequeues(item T) int { return l.doubling.NumRequeues(item) }
