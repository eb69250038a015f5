// SPDX-License-Identifier: Apache-2.0

package fairqueue

import (
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
