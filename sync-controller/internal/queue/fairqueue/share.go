// SPDX-License-Identifier: Apache-2.0

package fairqueue

import (
	"context"
	"math"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Share limits how many processors a namespace uses at once, and how much memory all namespaces use together. Workers
// of a namespace that has used up its share wait. That takes no worker from other namespaces (see Queue).
type Share struct {
	processors int
	// memory is for large work of all namespaces, in bytes; it is granted in the order of the requests. Work up to small
	// is not counted, so it never waits for large work.
	memory        *semaphore.Weighted
	budget, small int64
	// kept is for large results that stay while others compute, such as the variants of a set, in bytes.
	kept       *semaphore.Weighted
	keptBudget int64
	// running is a unit for each piece of work that runs; Alone takes all units.
	running *semaphore.Weighted

	mu         sync.Mutex
	namespaces map[string]*namespaceShare
}

// namespaceShare is what a namespace uses: processors, and the turn for large work, which only one worker has at a
// time.
type namespaceShare struct {
	processors, large chan struct{}
}

const (
	// computing is the part of the memory that is for large work; the rest is for small work and for what is kept.
	computing = 2
	// keeping is the part of the memory that is for large results.
	keeping = 4
	// smallWork is the part of the memory for large work up to which work counts as small: half of the remaining memory is
	// enough for all workers to do such work at once.
	smallWork = 64
)

// NewShare returns a Share with so many processors for each namespace, in a process with so much memory, in bytes;
// math.MaxInt64 means no limit.
func NewShare(processors int, memory int64) *Share {
	s := &Share{processors: processors, namespaces: map[string]*namespaceShare{}}
	s.budget, s.small = memory/computing, memory/computing/smallWork
	if memory == math.MaxInt64 {
		s.small = math.MaxInt64
	}
	s.keptBudget = memory / keeping
	s.memory, s.kept = semaphore.NewWeighted(s.budget), semaphore.NewWeighted(s.keptBudget)
	s.running = semaphore.NewWeighted(math.MaxInt64)
	return s
}

// Do runs work within the share of a namespace. The work must only compute, and needs about so many bytes of memory.
// Work that needs more than the memory for all runs alone. It holds no processor while it waits for memory.
func (s *Share) Do(namespace string, memory int64, work func()) {
	of := s.of(namespace)
	if memory > s.small {
		of.large <- struct{}{}
		defer func() { <-of.large }()
		memory = min(memory, s.budget)
		_ = s.memory.Acquire(context.Background(), memory) // fails only with its context
		defer s.memory.Release(memory)
	}
	of.processors <- struct{}{}
	defer func() { <-of.processors }()
	s.run(1, work)
}

// Keep waits until there is memory for a result of about so many bytes, which stays while others compute, and returns
// what frees it. It must be called before the work that makes the result, so that what waits holds nothing.
func (s *Share) Keep(memory int64) (free func()) {
	if memory <= s.small {
		return func() {}
	}
	memory = min(memory, s.keptBudget)
	_ = s.kept.Acquire(context.Background(), memory) // fails only with its context
	return func() { s.kept.Release(memory) }
}

// Alone runs work while no other work of the Share runs: it waits for what runs, and all other work waits for it.
func (s *Share) Alone(work func()) {
	s.run(math.MaxInt64, work)
}

func (s *Share) run(units int64, work func()) {
	_ = s.running.Acquire(context.Background(), units) // fails only with its context
	defer s.running.Release(units)
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
