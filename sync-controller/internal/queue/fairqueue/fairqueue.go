// SPDX-License-Identifier: Apache-2.0

// Package fairqueue is a work queue in which no namespace waits for another's work.
package fairqueue

import (
	"sync"

	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
)

// NewQueue makes a work queue with a name and a limiter (controller.Options.NewQueue).
type NewQueue = func(
	string, workqueue.TypedRateLimiter[ctrl.Request],
) workqueue.TypedRateLimitingInterface[ctrl.Request]

// Queue returns a function that makes the work queue of a controller (controller.Options.NewQueue). The waiting
// namespace with the fewest workers is served next; if several have as few, the one that was served longest ago. A
// namespace has at most so many workers, so others get one even if all of its work hangs.
func Queue(most int) NewQueue {
	return func(name string, limiter workqueue.TypedRateLimiter[ctrl.Request],
	) workqueue.TypedRateLimitingInterface[ctrl.Request] {
		lanes := newLanes(most)
		inner := workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[ctrl.Request]{Name: name, Queue: lanes})
		return workqueue.NewTypedRateLimitingQueueWithConfig(limiter,
			workqueue.TypedRateLimitingQueueConfig[ctrl.Request]{
				Name: name,
				DelayingQueue: workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[ctrl.Request]{
					Name: name, Queue: &counted{TypedInterface: inner, lanes: lanes},
				}),
			})
	}
}

// counted reports to the lanes when a worker is done.
type counted struct {
	workqueue.TypedInterface[ctrl.Request]
	lanes *lanes
}

// Done implements workqueue.TypedInterface. The worker that calls it then asks for the next item, and gets one that is
// allowed now.
func (c *counted) Done(item ctrl.Request) {
	c.lanes.done(item)
	c.TypedInterface.Done(item)
}

// lanes implements workqueue.Queue: a queue for each namespace.
type lanes struct {
	most int

	mu      sync.Mutex
	waiting map[string][]ctrl.Request // by namespace; never empty
	order   []string                  // those namespaces, the one that was served last at the end
	running map[string]int            // workers, by namespace
}

func newLanes(most int) *lanes {
	return &lanes{most: most, waiting: map[string][]ctrl.Request{}, running: map[string]int{}}
}

// Touch implements workqueue.Queue.
func (*lanes) Touch(ctrl.Request) {}

// Push implements workqueue.Queue.
func (l *lanes) Push(item ctrl.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, there := l.waiting[item.Namespace]; !there {
		l.order = append(l.order, item.Namespace)
	}
	l.waiting[item.Namespace] = append(l.waiting[item.Namespace], item)
}

// Len implements workqueue.Queue: how many items may start now.
func (l *lanes) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for namespace, items := range l.waiting {
		n += min(len(items), max(0, l.most-l.running[namespace]))
	}
	return n
}

// Pop implements workqueue.Queue. It is only called if Len is not 0.
func (l *lanes) Pop() ctrl.Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	next := 0
	for i, namespace := range l.order {
		if l.running[namespace] < l.running[l.order[next]] {
			next = i
		}
	}
	namespace := l.order[next]
	l.order = append(l.order[:next], l.order[next+1:]...)
	item := l.waiting[namespace][0]
	l.waiting[namespace][0] = ctrl.Request{}
	if l.waiting[namespace] = l.waiting[namespace][1:]; len(l.waiting[namespace]) > 0 {
		l.order = append(l.order, namespace)
	} else {
		delete(l.waiting, namespace)
	}
	l.running[namespace]++
	return item
}

func (l *lanes) done(item ctrl.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running[item.Namespace]--; l.running[item.Namespace] == 0 {
		delete(l.running, item.Namespace)
	}
}
