// SPDX-License-Identifier: Apache-2.0

// Package turns lets one object at a time work in a place. Porch v1.5 has one clone of a git repository; when it writes
// several branches of it at once it fails now and then, or forgets revisions and their owners.
package turns

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// Turns are the queues before each place. Waiting holds no goroutine: an object that waits is woken when it is its
// turn. The zero value is not usable; see New.
type Turns struct {
	wake func(types.NamespacedName)

	mu     sync.Mutex
	queues map[types.NamespacedName][]types.NamespacedName // by place; the first of a queue has the place
	wanted map[types.NamespacedName][]types.NamespacedName // by object: the places in whose queues it is
}

// New returns Turns without any queue. wake is called with an object that waited, once all its places are its own; it
// must not call back.
func New(wake func(object types.NamespacedName)) *Turns {
	return &Turns{
		wake: wake, queues: map[types.NamespacedName][]types.NamespacedName{},
		wanted: map[types.NamespacedName][]types.NamespacedName{},
	}
}

// Take reports whether all the places are the object's now. If not, the object is in the queue of each, in the order in
// which Take was called, and is woken when it is its turn. An object that asks again for the same places keeps its
// turn; one that asks for others gives up its former ones and goes to the end of each queue, so that no two objects
// wait for each other.
func (t *Turns) Take(object types.NamespacedName, places ...types.NamespacedName) bool {
	t.mu.Lock()
	if !slices.Equal(t.wanted[object], places) {
		defer t.notify(t.drop(object)) // evaluated now; woken after the lock is released
		for _, place := range places {
			if !slices.Contains(t.queues[place], object) {
				t.queues[place] = append(t.queues[place], object)
			}
		}
		if len(places) > 0 {
			t.wanted[object] = slices.Clone(places)
		}
	}
	has := t.has(object)
	t.mu.Unlock()
	return has
}

// Release gives up the object's places, and its turn if it waits. It wakes those whose turn it is then.
func (t *Turns) Release(object types.NamespacedName) {
	t.mu.Lock()
	next := t.drop(object)
	t.mu.Unlock()
	t.notify(next)
}

// has reports whether the object is the first in all its queues. The lock must be held.
func (t *Turns) has(object types.NamespacedName) bool {
	return !slices.ContainsFunc(t.wanted[object],
		func(place types.NamespacedName) bool { return t.queues[place][0] != object })
}

// drop takes the object out of its queues and returns the objects whose turn it is thereby. The lock must be held.
func (t *Turns) drop(object types.NamespacedName) (next []types.NamespacedName) {
	places := t.wanted[object]
	delete(t.wanted, object)
	for _, place := range places {
		at := slices.Index(t.queues[place], object)
		if at < 0 {
			continue // the place was asked for twice
		}
		t.queues[place] = slices.Delete(t.queues[place], at, at+1)
		if len(t.queues[place]) == 0 {
			delete(t.queues, place)
		} else if first := t.queues[place][0]; at == 0 && !slices.Contains(next, first) {
			next = append(next, first)
		}
	}
	return slices.DeleteFunc(next, func(o types.NamespacedName) bool { return !t.has(o) })
}

func (t *Turns) notify(objects []types.NamespacedName) {
	for _, o := range objects {
		t.wake(o)
	}
}
