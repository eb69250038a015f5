// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"context"
	"time"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// quiet is how long after a watch reported a listed revision for the last time the others count as not reported.
	quiet = 3 * time.Second
	// silent is how long they have if the watch reports none, and how long to wait after a list that failed.
	silent = 30 * time.Second
)

// opening is a watch of Porch that also reports what was deleted after the last list, but before Porch began to watch.
// Porch's watch begins with all existing revisions. If it leaves out some that were listed, they are listed once more.
type opening struct {
	watch.Interface
	lister *relisting
	events chan watch.Event
	stop   context.CancelFunc
	// left are the listed revisions that the watch has not reported yet.
	left revisions
}

// open returns a watch that was just opened, after a list of these revisions.
func (r *relisting) open(ctx context.Context, w watch.Interface, listed revisions) watch.Interface {
	ctx, stop := context.WithCancel(ctx)
	o := &opening{Interface: w, lister: r, events: make(chan watch.Event), stop: stop, left: listed}
	go o.run(ctx)
	return o
}

// Stop implements watch.Interface.
func (o *opening) Stop() {
	o.stop()
	o.Interface.Stop()
}

// ResultChan implements watch.Interface.
func (o *opening) ResultChan() <-chan watch.Event { return o.events }

// look is what a list has found.
type look struct {
	exist revisions
	err   error
}

// run passes events on, also during a list: Porch waits for those who watch.
func (o *opening) run(ctx context.Context) {
	defer close(o.events)
	defer o.stop()
	timer := time.NewTimer(silent)
	defer timer.Stop()
	var looking chan look // nil while there is no list
	for {
		select {
		case <-ctx.Done():
			return
		case event, isOpen := <-o.Interface.ResultChan():
			if !isOpen {
				return
			}
			if o.reports(event) {
				timer.Reset(quiet)
			}
			o.send(ctx, event)
		case <-timer.C:
			if looking == nil && len(o.left) > 0 {
				looking = make(chan look, 1)
				go o.look(ctx, looking)
			}
		case found := <-looking:
			if looking = nil; found.err != nil {
				timer.Reset(silent)
				continue
			}
			o.reportGone(ctx, found.exist)
		}
	}
}

// reports notes the revision of an event, and tells whether it is a listed one that was not reported before.
func (o *opening) reports(event watch.Event) bool {
	pr, ok := event.Object.(*porchapi.PackageRevision)
	if !ok || !o.left[client.ObjectKeyFromObject(pr)] {
		return false
	}
	delete(o.left, client.ObjectKeyFromObject(pr))
	return true
}

// look lists.
func (o *opening) look(ctx context.Context, found chan<- look) {
	_, exist, err := o.lister.list(ctx, metav1.ListOptions{})
	found <- look{exist, err}
}

// reportGone reports that the revisions that are still left were deleted, except those that exist.
func (o *opening) reportGone(ctx context.Context, exist revisions) {
	for _, pr := range o.lister.known() {
		if key := client.ObjectKeyFromObject(pr); o.left[key] && !exist[key] {
			o.send(ctx, watch.Event{Type: watch.Deleted, Object: pr.DeepCopy()})
		}
	}
	o.left = nil
}

func (o *opening) send(ctx context.Context, event watch.Event) {
	select {
	case o.events <- event:
	case <-ctx.Done():
	}
}
