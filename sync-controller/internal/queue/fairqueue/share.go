// SPDX-License-Identifier: Apache-2.0

package fairqueue

import (
	"context"
	"math"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Share bounds how much of the processors a namespace has at once, and how much memory all of them have. Workers of a
// namespace that has its share wait, which takes no worker from others (see Queue). A nil Share bounds nothing.
type Share struct {
	processors int
	// memory is what large work has at once, in bytes, of all namespaces; it is served in the order in which it came. Work
	// up to small is not counted, and so waits for no large work.
	memory        *semaphore.Weighted
	budget, small int64

	mu         sync.Mutex
	namespaces map[string]*namespaceShare
}

// namespaceShare is what a namespace has taken: processors, and the turn to do large work, which one has at a time.
type namespaceShare struct {
	processors, large chan struct{}
}

const (
	// computing is the part of the memory that is for large work; the rest is for small work and for what is kept.
	computing = 2
	// smallWork is the part of the memory for large work up to which work is small: half of the memory that is left bears
	// as much of it as there are workers.
	smallWork = 64
)

// NewShare returns a Share of so many processors for each namespace, in a process that has so much memory, in bytes;
// math.MaxInt64 stands for no limit.
func NewShare(processors int, memory int64) *Share {
	s := &Share{processors: processors, namespaces: map[string]*namespaceShare{}}
	s.budget, s.small = memory/computing, memory/computing/smallWork
	if memory == math.MaxInt64 {
		s.small = math.MaxInt64
	}
	s.memory = semaphore.NewWeighted(s.budget)
	return s
}

// Do runs work, which must only compute and takes about so many bytes of memory, within the share of a namespace. Work
// that takes more than there is for all runs alone. It holds no processor while it waits for memory.
func (s *Share) Do(namespace string, memory int64, work func()) {
	if s == nil {
		work()
		return
	}
	of := s.of(namespace)
	if memory > s.small {
		of.large <- struct{}{}
		defer func() { <-of.large }()
		memory = min(memory, s.budget)
		_ = s.memory.Acquire(context.Background(), memory) // which fails with its context only
		defer s.memory.Release(memory)
	}
	of.processors <- struct{}{}
	defer func() { <-of.processors }()
	work()
}

func (s *Share) of(namespace string) *namespaceShare {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.namespaces[namespace]
	if of == nil {
		of = &namespaceShare{processors: make(chan struct{}, s.processors), large: make(chan struct{}, 1)}
		s.namespaces[namespace] = of
	}
	return of
}
