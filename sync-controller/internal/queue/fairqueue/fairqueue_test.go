// SPDX-License-Identifier: Apache-2.0

package fairqueue

import (
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
)

func request(text string) ctrl.Request {
	namespace, name, _ := strings.Cut(text, "/")
	return ctrl.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}}
}

// TestOrder checks in which order the lanes hand out what waits, and to how many workers.
func TestOrder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		most int
		// steps are +namespace/name for what is added, -namespace/name for what a worker is done with, and ? for a worker
		// that asks for more.
		steps string
		// want is what the workers get, - for nothing.
		want string
	}{
		"one namespace in its order": {9, "+a/1 +a/2 +a/3 ? ? ?", "a/1 a/2 a/3"},
		"in turn":                    {9, "+a/1 +a/2 +a/3 +b/1 +b/2 +c/1 ? ? ? ? ? ?", "a/1 b/1 c/1 a/2 b/2 a/3"},
		"one that comes late":        {9, "+a/1 +a/2 +a/3 +a/4 ? ? +b/1 +b/2 ? ? ?", "a/1 a/2 b/1 b/2 a/3"},
		"fewest workers first":       {9, "+a/1 +a/2 +a/3 +b/1 +b/2 +b/3 ? ? ? -b/1 ? ?", "a/1 b/1 a/2 b/2 b/3"},
		"all that it may have":       {2, "+a/1 +a/2 +a/3 ? ? ? -a/1 ?", "a/1 a/2 - a/3"},
		"room for others":            {2, "+a/1 +a/2 +a/3 ? ? ? +b/1 ? ?", "a/1 a/2 - b/1 -"},
		"nothing":                    {2, "? +a/1 ? ?", "- a/1 -"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLanes(c.most)
			var got []string
			for _, step := range strings.Fields(c.steps) {
				switch step[0] {
				case '+':
					l.Push(request(step[1:]))
				case '-':
					l.done(request(step[1:]))
				default:
					next := "-"
					if l.Len() > 0 {
						next = l.Pop().String()
					}
					got = append(got, next)
				}
			}
			if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestWorkers checks that no worker stays idle while there is something that it may do, that none is at a namespace
// beyond its share, and that all that is added is done once.
func TestWorkers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const most, each = 4, 50
		q := Queue(most)("", workqueue.DefaultTypedControllerRateLimiter[ctrl.Request]())
		var mu sync.Mutex
		done, now, peak := map[string]int{}, map[string]int{}, map[string]int{}
		ended := map[string]time.Duration{}
		began := time.Now()
		for range 2 * most {
			go func() {
				for {
					item, shutdown := q.Get()
					if shutdown {
						return
					}
					mu.Lock()
					now[item.Namespace]++
					peak[item.Namespace] = max(peak[item.Namespace], now[item.Namespace])
					mu.Unlock()
					time.Sleep(map[string]time.Duration{"hostile": time.Minute, "good": time.Second}[item.Namespace])
					mu.Lock()
					now[item.Namespace]--
					done[item.Namespace]++
					ended[item.Namespace] = time.Since(began)
					mu.Unlock()
					q.Done(item)
				}
			}()
		}
		for i := range each {
			q.Add(request("hostile/" + string(rune('A'+i))))
		}
		synctest.Wait()
		for i := range each {
			q.Add(request("good/" + string(rune('A'+i))))
		}
		time.Sleep(time.Hour)
		mu.Lock()
		defer mu.Unlock()
		if diff := cmp.Diff(map[string]int{"hostile": each, "good": each}, done); diff != "" {
			t.Errorf("done, -want +got:\n%s", diff)
		}
		if diff := cmp.Diff(map[string]int{"hostile": most, "good": most}, peak); diff != "" {
			t.Errorf("at once, -want +got:\n%s", diff)
		}
		if diff := cmp.Diff(map[string]time.Duration{"hostile": 13 * time.Minute, "good": 13 * time.Second}, ended); diff != "" {
			t.Errorf("ended, -want +got:\n%s", diff)
		}
		q.ShutDown()
	})
}

// TestShare checks that a namespace computes as much at once as its share is, and waits for no other's.
func TestShare(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewShare(2, math.MaxInt64)
		var mu sync.Mutex
		ended := map[string]time.Duration{}
		began := time.Now()
		for namespace, n := range map[string]int{"hostile": 10, "good": 2} {
			for range n {
				go s.Do(namespace, 1<<40, func() {
					time.Sleep(time.Second)
					mu.Lock()
					defer mu.Unlock()
					ended[namespace] = time.Since(began)
				})
			}
		}
		time.Sleep(time.Hour)
		mu.Lock()
		defer mu.Unlock()
		if diff := cmp.Diff(map[string]time.Duration{"hostile": 5 * time.Second, "good": time.Second}, ended); diff != "" {
			t.Errorf("ended, -want +got:\n%s", diff)
		}
	})
}

// TestShareOfMemory checks that no more large work is done at once than there is memory for, that a namespace which has
// much of it lets another have its turn, that small work waits for none, and that what is larger than all is done.
func TestShareOfMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const mib = 1 << 20
		s := NewShare(4, 128*mib) // 64 MiB for large work, and what takes 1 MiB is small
		var mu sync.Mutex
		var inHand, peak int64
		ended := map[string]time.Duration{}
		began := time.Now()
		do := func(namespace string, memory int64) {
			s.Do(namespace, memory, func() {
				mu.Lock()
				inHand += memory
				peak = max(peak, inHand)
				mu.Unlock()
				time.Sleep(time.Second)
				mu.Lock()
				defer mu.Unlock()
				inHand -= memory
				ended[namespace] = time.Since(began)
			})
		}
		for range 10 {
			go do("hostile", 40*mib)
		}
		synctest.Wait()
		go do("large", 30*mib)
		synctest.Wait()
		go do("hostile", 1)
		go do("small", mib)
		synctest.Wait()
		if want := int64(40*mib + mib + 1); inHand != want {
			t.Errorf("%d bytes are in hand, want %d", inHand, want)
		}
		time.Sleep(time.Hour)
		if diff := cmp.Diff(map[string]time.Duration{"hostile": 11 * time.Second, "large": 2 * time.Second,
			"small": time.Second}, ended); diff != "" {
			t.Errorf("ended, -want +got:\n%s", diff)
		}
		if most := int64(64*mib + 2*mib); peak > most {
			t.Errorf("%d bytes were in hand at once, want %d at most", peak, most)
		}
		do("huge", 1<<40)
		if ended["huge"] == 0 {
			t.Error("what is larger than all memory is not done")
		}
	})
}

// TestKeep checks that no more large results are kept at once than there is memory for, that small ones wait for none,
// that work does not wait for them, and that a result larger than all is kept alone.
func TestKeep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const mib = 1 << 20
		s := NewShare(4, 128*mib) // 32 MiB for large results, and one of 1 MiB is small
		var mu sync.Mutex
		ended := map[string]time.Duration{}
		began := time.Now()
		keep := func(name string, memory int64) {
			free := s.Keep(memory)
			time.Sleep(time.Second)
			free()
			mu.Lock()
			defer mu.Unlock()
			ended[name] = time.Since(began)
		}
		for _, name := range []string{"first", "second", "third"} {
			go keep(name, 16*mib)
			synctest.Wait()
		}
		go keep("huge", 1<<40)
		synctest.Wait()
		go keep("last", 16*mib)
		go keep("small", mib)
		s.Do("a", 64*mib, func() { ended["work"] = time.Since(began) })
		time.Sleep(time.Hour)
		if diff := cmp.Diff(map[string]time.Duration{"work": 0, "first": time.Second, "second": time.Second,
			"small": time.Second, "third": 2 * time.Second, "huge": 3 * time.Second, "last": 4 * time.Second},
			ended); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		NewShare(4, math.MaxInt64).Keep(1 << 40) // without a limit nothing waits
	})
}

// TestAlone checks that nothing else runs beside what runs alone, and that all of it runs.
func TestAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewShare(4, math.MaxInt64)
		var mu sync.Mutex
		running, done := 0, 0
		work := func(most int) func() {
			return func() {
				mu.Lock()
				if running++; running > most {
					t.Errorf("%d run, want %d at most", running, most)
				}
				mu.Unlock()
				time.Sleep(time.Second)
				mu.Lock()
				defer mu.Unlock()
				running--
				done++
			}
		}
		for range 3 {
			go s.Do("a", 1, work(4))
			go s.Alone(work(1))
			go s.Do("b", 1, work(4))
		}
		time.Sleep(time.Hour)
		if done != 9 {
			t.Errorf("%d of 9 were done", done)
		}
	})
}
