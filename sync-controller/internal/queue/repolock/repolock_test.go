// SPDX-License-Identifier: Apache-2.0

package repolock

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
)

func named(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: "fleet", Name: name}
}

// TestTurns follows objects step by step: "a: edge" is that a asks for the place edge, "a" that it leaves.
func TestTurns(t *testing.T) {
	t.Parallel()
	type step struct {
		do    string
		has   bool
		woken string // who is woken, in order
	}
	for name, steps := range map[string][]step{
		"a free place":       {{"a: edge", true, ""}, {"a", false, ""}, {"b: edge", true, ""}},
		"no place is needed": {{"a: edge", true, ""}, {"b:", true, ""}, {"b", false, ""}},
		"one at a time": {{"a: edge", true, ""}, {"b: edge", false, ""}, {"a", false, "b"},
			{"b: edge", true, ""}},
		"places do not wait": {{"a: edge", true, ""}, {"b: core", true, ""}},
		"in the order of asking": {{"a: edge", true, ""}, {"c: edge", false, ""}, {"b: edge", false, ""},
			{"a", false, "c"}, {"c: edge", true, ""}, {"c", false, "b"}, {"b: edge", true, ""}},
		"asking again keeps it": {{"a: edge", true, ""}, {"b: edge", false, ""}, {"c: edge", false, ""},
			{"b: edge", false, ""}, {"a: edge", true, ""}, {"a", false, "b"}},
		"the one to wait is passed": {{"a: edge", true, ""}, {"c: edge", false, ""}, {"d: edge", false, ""},
			{"a", false, "c"}, {"c: core", true, "d"}, {"d: edge", true, ""}},
		"one that waits goes": {{"a: edge", true, ""}, {"b: edge", false, ""}, {"c: edge", false, ""},
			{"b", false, ""}, {"a", false, "c"}},
		"the next goes": {{"a: edge", true, ""}, {"b: edge", false, ""}, {"c: edge", false, ""},
			{"a", false, "b"}, {"b", false, "c"}},
		"it goes elsewhere and back": {{"a: edge", true, ""}, {"b: edge", false, ""}, {"c: edge", false, ""},
			{"b: core", true, ""}, {"b: edge", false, ""}, {"a", false, "c"}, {"c", false, "b"}},
		"it needs nothing any more": {{"a: edge", true, ""}, {"b: edge", false, ""}, {"a:", true, "b"},
			{"b: edge", true, ""}},
		"leaving without a place": {{"a", false, ""}, {"a: edge", true, ""}, {"b", false, ""}, {"b: edge", false, ""}},
		"a place twice": {{"a: edge edge", true, ""}, {"b: edge", false, ""}, {"a", false, "b"},
			{"b: edge", true, ""}},

		"both of two places": {{"a: core edge", true, ""}, {"b: core", false, ""}, {"c: edge", false, ""},
			{"a", false, "b c"}},
		"one of two is taken": {{"a: edge", true, ""}, {"b: core edge", false, ""}, {"c: edge", false, ""},
			{"a", false, "b"}, {"b: core edge", true, ""}, {"b", false, "c"}},
		"each of two is taken": {{"a: edge", true, ""}, {"b: core", true, ""}, {"c: core edge", false, ""},
			{"a", false, ""}, {"c: core edge", false, ""}, {"b", false, "c"}},
		"one that waits for two keeps the free one from nobody": {{"a: edge", true, ""}, {"b: core edge", false, ""},
			{"c: core", true, ""}, {"a", false, ""}, {"d: edge", true, ""}, {"c", false, ""}, {"d", false, "b"},
			{"b: core edge", true, ""}},
		"a place in which somebody stays holds up no other": {{"hangs: a", true, ""}, {"moves: a b", false, ""},
			{"x: b", true, ""}, {"y: b", false, ""}, {"x", false, "y"}, {"y: b", true, ""}, {"y", false, ""},
			{"hangs", false, "moves"}},
		"crosswise": {{"a: core edge", true, ""}, {"b: edge core", false, ""}, {"a", false, "b"},
			{"b: edge core", true, ""}},
		"it holds one and wants both": {{"a: edge", true, ""}, {"b: edge", false, ""}, {"a: core edge", false, "b"},
			{"b: edge", true, ""}, {"b", false, "a"}, {"a: core edge", true, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var woken []string
			locks := New(func(o types.NamespacedName) { woken = append(woken, o.Name) })
			for i, s := range steps {
				woken = nil
				object, wanted, asks := strings.Cut(s.do, ":")
				has := false
				if asks {
					has = locks.Take(named(object), 1, strings.Fields(wanted)...)
				} else {
					locks.Release(named(object))
				}
				if has != s.has {
					t.Errorf("step %d, %s: it has its places: %v", i+1, s.do, has)
				}
				if diff := cmp.Diff(s.woken, strings.Join(woken, " ")); diff != "" {
					t.Errorf("step %d, %s: who is woken, -want +got:\n%s", i+1, s.do, diff)
				}
			}
		})
	}
}

// TestTurnsCopies checks that a caller may go on with the list that it gave.
func TestTurnsCopies(t *testing.T) {
	t.Parallel()
	locks := New(func(types.NamespacedName) {})
	wanted := []string{"edge"}
	locks.Take(named("a"), 1, wanted...)
	wanted[0] = "core"
	if !locks.Take(named("b"), 1, "core") || locks.Take(named("c"), 1, "edge") {
		t.Error("the places of an object changed with the list that it asked by")
	}
}

// crowd are objects that ask for places at random, until each has had its turns.
type crowd struct {
	t       *testing.T
	places  int // how many there are
	random  *rand.Rand
	locks   *Locks
	todo    map[string]int      // turns yet to be had
	wants   map[string][]string // what each waits for, or holds
	holds   map[string]string   // by place
	awake   map[string]bool     // who may act: those that do not wait, or were woken
	inside  map[string]bool     // who has its places
	history map[string][]string // who waits for each place, in the order of asking
}

func newCrowd(t *testing.T, seed uint64, objects, rounds int) *crowd {
	c := &crowd{
		t: t, random: rand.New(rand.NewPCG(seed, 1)), todo: map[string]int{}, wants: map[string][]string{},
		holds: map[string]string{}, awake: map[string]bool{}, inside: map[string]bool{},
		history: map[string][]string{},
	}
	c.locks = New(func(o types.NamespacedName) { c.awake[o.Name] = true })
	for i := range objects {
		name := fmt.Sprintf("o%d", i)
		c.todo[name], c.awake[name] = rounds, true
	}
	return c
}

// choose returns some of so many places.
func (c *crowd) choose(of int) []string {
	var names []string
	for i := range of {
		if c.random.IntN(of) < 2 {
			names = append(names, fmt.Sprintf("p%d", i))
		}
	}
	return names
}

// ask asks for places, and checks that no other object has them and that no earlier one is passed. An object that waits
// for several places may be passed.
func (c *crowd) ask(object string, wanted []string) {
	if !slices.Equal(c.wants[object], wanted) {
		c.forget(object)
		c.wants[object] = wanted
		for _, place := range wanted {
			c.history[place] = append(c.history[place], object)
		}
	}
	if !c.locks.Take(named(object), 1, wanted...) {
		return
	}
	c.inside[object], c.awake[object] = true, true
	for _, place := range wanted {
		if first := c.history[place][0]; first != object && c.places == 1 {
			c.t.Fatalf("%s has %s before %s, who asked first", object, place, first)
		}
		if other := c.holds[place]; other != "" && other != object {
			c.t.Fatalf("%s and %s have %s at once", object, other, place)
		}
		c.holds[place] = object
	}
}

// forget takes an object out of what is known of the places.
func (c *crowd) forget(object string) {
	for _, place := range c.wants[object] {
		c.history[place] = slices.DeleteFunc(c.history[place], func(o string) bool { return o == object })
		if c.holds[place] == object {
			delete(c.holds, place)
		}
	}
	delete(c.wants, object)
	delete(c.inside, object)
}

// act has an object do something.
func (c *crowd) act(object string, of int) {
	c.awake[object] = false
	switch {
	case c.inside[object]:
		c.forget(object)
		c.locks.Release(named(object))
		c.todo[object]--
		c.awake[object] = c.todo[object] > 0
	case c.wants[object] != nil && c.random.IntN(4) > 0:
		c.ask(object, c.wants[object])
	default:
		c.ask(object, c.choose(of))
	}
}

// TestCrowd checks, for many objects and places, that a place has one object at a time, that a single place is given in
// the order of asking, that every object gets all its turns, and that nothing is kept of objects that left.
func TestCrowd(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		of := 1 + int(seed)%6
		c := newCrowd(t, seed, 30, 20)
		c.places = of
		for step := 0; ; step++ {
			var can []string
			for object, awake := range c.awake {
				if awake {
					can = append(can, object)
				}
			}
			if len(can) == 0 {
				break
			}
			slices.Sort(can)
			object := can[c.random.IntN(len(can))]
			if c.random.IntN(50) == 0 { // an event comes for one that waits
				object = fmt.Sprintf("o%d", c.random.IntN(len(c.todo)))
				if c.todo[object] == 0 {
					continue
				}
			}
			c.act(object, of)
		}
		for object, todo := range c.todo {
			if todo > 0 {
				t.Fatalf("seed %d: %s is forgotten: it waits for %v, and lacks %d turns", seed, object, c.wants[object], todo)
			}
		}
		if len(c.locks.queues) > 0 || len(c.locks.wanted) > 0 || len(c.locks.holders) > 0 {
			t.Errorf("seed %d: kept are %v, %v and %v", seed, c.locks.queues, c.locks.wanted, c.locks.holders)
		}
	}
}

// TestTurnsAtOnce holds the same of goroutines.
func TestTurnsAtOnce(t *testing.T) {
	t.Parallel()
	const objects, rounds = 20, 50
	wakes := map[types.NamespacedName]chan struct{}{}
	for i := range objects {
		wakes[named(fmt.Sprint(i))] = make(chan struct{}, 1)
	}
	locks := New(func(o types.NamespacedName) {
		select {
		case wakes[o] <- struct{}{}:
		default: // it is awake
		}
	})
	var mu [3]sync.Mutex // each is locked by who has the place
	var group sync.WaitGroup
	for i := range objects {
		group.Go(func() {
			object, place := named(fmt.Sprint(i)), i%len(mu)
			for range rounds {
				for !locks.Take(object, 1, fmt.Sprint("p", place)) {
					<-wakes[object]
				}
				if !mu[place].TryLock() {
					t.Error("two have one place")
				} else {
					mu[place].Unlock()
				}
				locks.Release(object)
				place = (place + 1) % len(mu)
			}
		})
	}
	group.Wait()
}

// TestSeveral checks that a place has as many objects as its takers bear, and that the next is woken for each that
// leaves.
func TestSeveral(t *testing.T) {
	t.Parallel()
	var woken []string
	locks := New(func(o types.NamespacedName) { woken = append(woken, o.Name) })
	take := func(name string) bool { return locks.Take(named(name), 2, "edge") }
	for name, want := range map[string]bool{"a": true, "b": true} {
		if take(name) != want {
			t.Errorf("%s has its turn: %t, want %t", name, !want, want)
		}
	}
	if take("c") || take("d") || !take("a") {
		t.Error("the place has more than two, or took it from one of them")
	}
	locks.Release(named("b"))
	locks.Release(named("a"))
	if diff := cmp.Diff([]string{"c", "d"}, woken); diff != "" {
		t.Errorf("woken (-want +got):\n%s", diff)
	}
	if !take("c") || !take("d") || take("e") {
		t.Error("those that were woken do not have the place, or another has")
	}
}
