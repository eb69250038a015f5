// SPDX-License-Identifier: Apache-2.0

// Package repolock lets a number of objects at a time work in a place. Where Porch v1.5 keeps drafts in git, it has one
// clone of a git repository; when it writes several branches of that at once it fails now and then, or forgets
// revisions and their owners. Elsewhere a place bears many, but not all: calls that hang there leave room for other
// places.
package repolock

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// Turns are the queues before each place. Waiting holds no goroutine: an object that waits is woken when it is its
// turn. An object that waits for several places blocks none of them, so a place that stays taken holds up no other
// place. The zero value is not usable; see New.
type Turns struct {
	wake func(types.NamespacedName)

	mu      sync.Mutex
	queues  map[types.NamespacedName][]types.NamespacedName // by place; who has it, and who waits for it
	wanted  map[types.NamespacedName]claim                  // by object
	holders map[types.NamespacedName][]types.NamespacedName // by place: who has it
}

// claim is what an object asks for: the places in whose queues it is, and how many objects may have each at a time.
type claim struct {
	places []types.NamespacedName
	most   int
}

// New returns Turns without any queue. wake is called with an object that waited, once all its places are its own; it
// must not call back.
func New(wake func(object types.NamespacedName)) *Turns {
	return &Turns{
		wake: wake, queues: map[types.NamespacedName][]types.NamespacedName{},
		wanted:  map[types.NamespacedName]claim{},
		holders: map[types.NamespacedName][]types.NamespacedName{},
	}
}

// Take reports whether the object has all the places now. At most so many objects have a place at a time. If not, the
// object is in the queue of each, in the order in which Take was called, and is woken when it is its turn: when all its
// places are free, and no object before it in their queues could have them. An object that asks again for the same
// places keeps its turn; one that asks for others gives up its former ones and goes to the end of each queue.
func (t *Turns) Take(object types.NamespacedName, most int, places ...types.NamespacedName) bool {
	t.mu.Lock()
	if !slices.Equal(t.wanted[object].places, places) {
		defer t.notify(t.drop(object)) // evaluated now; woken after the lock is released
		for _, place := range places {
			if !slices.Contains(t.queues[place], object) {
				t.queues[place] = append(t.queues[place], object)
			}
		}
		if len(places) > 0 {
			t.wanted[object] = claim{slices.Clone(places), most}
		}
		t.grant(object)
	}
	has := len(places) == 0 || slices.Contains(t.holders[places[0]], object)
	t.mu.Unlock()
	return has
}

// Release gives up the object's places, and its turn if it waits. It wakes the objects whose turn it is then.
func (t *Turns) Release(object types.NamespacedName) {
	t.mu.Lock()
	next := t.drop(object)
	t.mu.Unlock()
	t.notify(next)
}

// grant gives an object all its places, if all are free, and reports whether it did. The lock must be held.
func (t *Turns) grant(object types.NamespacedName) bool {
	wanted := t.wanted[object]
	for _, place := range wanted.places {
		if holders := t.holders[place]; len(holders) >= wanted.most || slices.Contains(holders, object) {
			return false
		}
	}
	for _, place := range wanted.places {
		t.holders[place] = append(t.holders[place], object)
	}
	return true
}

// drop takes the object out of its queues and returns the objects whose turn comes. The lock must be held.
func (t *Turns) drop(object types.NamespacedName) (next []types.NamespacedName) {
	places := t.wanted[object].places
	delete(t.wanted, object)
	is := func(o types.NamespacedName) bool { return o == object }
	for _, place := range places {
		for _, of := range []map[types.NamespacedName][]types.NamespacedName{t.queues, t.holders} {
			if of[place] = slices.DeleteFunc(of[place], is); len(of[place]) == 0 {
				delete(of, place)
			}
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
