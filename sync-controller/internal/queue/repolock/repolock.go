// SPDX-License-Identifier: Apache-2.0

// Package repolock limits how many objects work in a place at a time. If Porch v1.5 keeps drafts in git, it has one
// clone of each git repository. Writing several branches of that clone at once sometimes fails, or loses revisions and
// their owners. Otherwise a place can take many objects, but not all of them: calls that hang there must leave room for
// other places.
package repolock

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// Turns are the queues for the places. Waiting holds no goroutine: a waiting object is woken when its turn comes. An
// object that waits for several places blocks none of them, so a place that stays taken delays no other place. The zero
// value is not usable; see New.
type Turns struct {
	wake func(types.NamespacedName)

	mu      sync.Mutex
	queues  map[types.NamespacedName][]types.NamespacedName // by place: its holders and those that wait
	wanted  map[types.NamespacedName]claim                  // by object
	holders map[types.NamespacedName][]types.NamespacedName // by place
}

// claim is what an object asks for: the places that it queues for, and how many objects may have each at a time.
type claim struct {
	places []types.NamespacedName
	most   int
}

// New returns Turns without queues. wake is called with a waiting object once it has all its places; it must not call
// back.
func New(wake func(object types.NamespacedName)) *Turns {
	return &Turns{
		wake: wake, queues: map[types.NamespacedName][]types.NamespacedName{},
		wanted:  map[types.NamespacedName]claim{},
		holders: map[types.NamespacedName][]types.NamespacedName{},
	}
}

// Take reports whether the object has all the places, each named once, now. At most so many objects have a place at a
// time. If it does not have them, the object queues for each place, in the order of the calls, and is woken when its
// turn comes: when all its places are free and no object before it in their queues could have them. An object that asks
// again for the same places keeps its turn; one that asks for others gives up its former places and goes to the end of
// each queue.
func (t *Turns) Take(object types.NamespacedName, most int, places ...types.NamespacedName) bool {
	t.mu.Lock()
	if !slices.Equal(t.wanted[object].places, places) {
		defer t.notify(t.drop(object)) // evaluated now; woken after the lock is released
		for _, place := range places {
			t.queues[place] = append(t.queues[place], object)
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

// Release gives up the object's places, or its turn if it waits, and wakes the objects whose turn comes.
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
