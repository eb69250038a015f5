// SPDX-License-Identifier: Apache-2.0

package fairqueue

import (
	"runtime"
	"sync"
)

// Share bounds how much of the processors a namespace has at once. Workers of a namespace that has its share wait; they
// are none that others could have (see Queue). A nil Share bounds nothing.
type Share struct {
	most int

	mu    sync.Mutex
	taken map[string]chan struct{} // by namespace
}

// NewShare returns a Share of all processors but one, which is left for others, and of one at least.
func NewShare() *Share { return newShare(max(1, runtime.GOMAXPROCS(0)-1)) }

func newShare(most int) *Share { return &Share{most: most, taken: map[string]chan struct{}{}} }

// Do runs work, which is to be nothing but computing, within the share of a namespace.
func (s *Share) Do(namespace string, work func()) {
	if s == nil {
		work()
		return
	}
	s.mu.Lock()
	taken := s.taken[namespace]
	if taken == nil {
		taken = make(chan struct{}, s.most)
		s.taken[namespace] = taken
	}
	s.mu.Unlock()
	taken <- struct{}{}
	defer func() { <-taken }()
	work()
}
