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
// turn. One that waits for several places keeps none of them from others meanwhile, so that a place in which somebody
// stays holds up nobody else's. The zero value is not usable; see New.
type Turns struct {
	wake func(types.NamespacedName)

	mu      sync.Mutex
	queues  map[types.NamespacedName][]types.NamespacedName // by place; who has it, and who waits for it
	wanted  map[types.NamespacedName][]types.NamespacedName // by object: the places in whose queues it is
	holders map[types.NamespacedName]types.NamespacedName   // by place: who has it
}

// New returns Turns without any queue. wake is called with an object that waited, once all its places are its own; it
// must not call back.
func New(wake func(object types.NamespacedName)) *Turns {
	return &Turns{
		wake: wake, queues: map[types.NamespacedName][]types.NamespacedName{},
		wanted:  map[types.NamespacedName][]types.NamespacedName{},
		holders: map[types.NamespacedName]types.NamespacedName{},
	}
}

// Take reports whether all the places are the object's now. If not, the object is in the queue of each, in the order in
// which Take was called, and is woken when it is its turn: when all its places are free, and nobody before it in
// their queues could have them. An object that asks again for the same places keeps its turn; one that asks for others
// gives up its former ones and goes to the end of each queue.
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
		t.grant(object)
	}
	has := len(places) == 0 || t.holders[places[0]] == object
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

// grant gives an object all its places, if all are free, and reports whether it did. The lock must be held.
func (t *Turns) grant(object types.NamespacedName) bool {
	for _, place := range t.wanted[object] {
		if _, held := t.holders[place]; held {
			return false
		}
	}
	for _, place := range t.wanted[object] {
		t.holders[place] = object
	}
	return true
}

// drop takes the object out of its queues and returns the objects whose turn it is thereby. The lock must be held.
func (t *Turns) drop(object types.NamespacedName) (next []types.NamespacedName) {
	places := t.wanted[object]
	delete(t.wanted, object)
	for _, place := range places {
		t.queues[place] = slices.DeleteFunc(t.queues[place], func(o types.NamespacedName) bool { return o == object })
		if len(t.queues[place]) == 0 {
			delete(t.queues, place)
		}
		if t.holders[place] == object {
			delete(t.holders, place)
		}
	}
	for _, place := range places {
		for _, waiting := range t.queues[place] {
			if t.grant(waiting) {
				next = append(next, waiting)
				break
			}
		}
	}
	return next
}

func (t *Turns) notify(objects []types.NamespacedName) {
	for _, o := range objects {
		t.wake(o)
	}
}
