// SPDX-License-Identifier: Apache-2.0

// Package repolock limits how many objects work in a place at a time. A place is a git repository, or a Repository, by
// a name that the caller chooses. If Porch v1.5 keeps drafts in git, it has one clone for each git address, whichever
// Repositories are over it. Writing several branches of that clone at once sometimes fails, or loses revisions and
// their owners. Otherwise many objects can work in a place, but not all of them: calls that hang there must leave
// workers for other places.
package repolock

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// Locks has a queue for each place. Waiting holds no goroutine: a waiting object is woken when its turn comes. An
// object that waits for several places blocks none of them, so a place that stays taken delays no other place. The zero
// value is not usable; see New.
type Locks struct {
	wake func(types.NamespacedName)

	mu      sync.Mutex
	queues  map[string][]types.NamespacedName // by place: its holders and those that wait
	wanted  map[types.NamespacedName]claim    // by object
	holders map[string][]types.NamespacedName // by place
}

// claim is what an object asks for: the places that it queues for, and how many objects may have each at a time.
type claim struct {
	places []string
	most   int
}

// New returns Locks without queues. wake is called with a waiting object once it has all its places; it must not call
// back.
func New(wake func(object types.NamespacedName)) *Locks {
	return &Locks{
		wake: wake, queues: map[string][]types.NamespacedName{},
		wanted:  map[types.NamespacedName]claim{},
		holders: map[string][]types.NamespacedName{},
	}
}

// Take reports whether the object has all the places, each named once, now. At most so many objects have a place at a
// time. If the object does not get its places, it joins the queue of each, and is woken when its turn comes: when all
// its places are free and no object before it in the queues can use them. An object that asks again for the same places
// keeps its position; one that asks for others gives up its former places and joins the end of each queue.
func (l *Locks) Take(object types.NamespacedName, most int, places ...string) bool {
	l.mu.Lock()
	if !slices.Equal(l.wanted[object].places, places) {
		defer l.notify(l.drop(object)) // evaluated now; woken after the lock is released
		for _, place := range places {
			l.queues[place] = append(l.queues[place], object)
		}
		if len(places) > 0 {
			l.wanted[object] = claim{slices.Clone(places), most}
		}
		l.grant(object)
	}
	has := len(places) == 0 || slices.Contains(l.holders[places[0]], object)
	l.mu.Unlock()
	return has
}

// Release gives up the object's places, or its turn if it waits, and wakes the objects whose turn comes.
func (l *Locks) Release(object types.NamespacedName) {
	l.mu.Lock()
	next := l.drop(object)
	l.mu.Unlock()
	l.notify(next)
}

// grant gives an object all its places, if all are free, and reports whether it did. The lock must be held.
func (l *Locks) grant(object types.NamespacedName) bool {
	wanted := l.wanted[object]
	for _, place := range wanted.places {
		if holders := l.holders[place]; len(holders) >= wanted.most || slices.Contains(holders, object) {
			return false
		}
	}
	for _, place := range wanted.places {
		l.holders[place] = append(l.holders[place], object)
	}
	return true
}

// drop takes the object out of its queues and returns the objects whose turn comes. The lock must be held.
func (l *Locks) drop(object types.NamespacedName) (next []types.NamespacedName) {
	places := l.wanted[object].places
	delete(l.wanted, object)
	is := func(o types.NamespacedName) bool { return o == object }
	for _, place := range places {
		for _, of := range []map[string][]types.NamespacedName{l.queues, l.holders} {
			if of[place] = slices.DeleteFunc(of[place], is); len(of[place]) == 0 {
				delete(of, place)
			}
		}
	}
	for _, place := range places {
		for _, waiting := range l.queues[place] {
			if l.grant(waiting) {
				next = append(next, waiting)
				break
			}
		}
	}
	return next
}

func (l *Locks) notify(objects []types.NamespacedName) {
	for _, o := range objects {
		l.wake(o)
	}
}
