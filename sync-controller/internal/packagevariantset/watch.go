// SPDX-License-Identifier: Apache-2.0

package packagevariantset

import (
	"context"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/sets"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// delay is how long events are collected, so a new fleet causes few writes of its set's status, and labels that are
// lost all at once look like an empty selection. It is also how long to wait for a cache that is behind.
const delay = 500 * time.Millisecond

// delayEach is how much longer events are collected for each variant of a set: a larger set takes longer to reconcile,
// and longer to come up.
const delayEach = 2 * time.Millisecond

// delayOf returns how long the events of a set are collected.
func delayOf(set *v1alpha2.PackageVariantSet) time.Duration {
	return delay + time.Duration(set.Status.Desired)*delayEach
}

type queue = workqueue.TypedRateLimitingInterface[ctrl.Request]

// laterSet enqueues the set that an event names, after the delay.
func laterSet(_ context.Context, e event.TypedGenericEvent[types.NamespacedName], q queue) {
	q.AddAfter(ctrl.Request{NamespacedName: e.Object}, delay)
}

// later enqueues the sets that an object affects, both as it was and as it is, after the delay.
func later(affected func(context.Context, client.Object) []*v1alpha2.PackageVariantSet) handler.EventHandler {
	enqueue := func(ctx context.Context, q queue, objects ...client.Object) {
		for _, o := range objects {
			for _, set := range affected(ctx, o) {
				q.AddAfter(ctrl.Request{NamespacedName: client.ObjectKeyFromObject(set)}, delayOf(set))
			}
		}
	}
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) { enqueue(ctx, q, e.Object) },
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) { enqueue(ctx, q, e.ObjectOld, e.ObjectNew) },
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) { enqueue(ctx, q, e.Object) },
	}
}

// affectedByVariant returns the sets that a variant affects.
func (r *Reconciler) affectedByVariant(ctx context.Context, o client.Object) []*v1alpha2.PackageVariantSet {
	pv, ok := o.(*v1alpha1.PackageVariant)
	if !ok {
		return nil
	}
	affected, err := r.ByVariant(ctx, pv)
	return noted(ctx, o, affected, err)
}

// affectedByRevision returns the sets that a package revision affects. They are not delayed: rollouts wait for this.
func (r *Reconciler) affectedByRevision(ctx context.Context, o client.Object) []ctrl.Request {
	rev, ok := porch.RevisionOf(o)
	if !ok {
		return nil
	}
	affected, err := r.ByRevision(ctx, &rev)
	var requests []ctrl.Request
	for _, set := range noted(ctx, o, affected, err) {
		requests = append(requests, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(set)})
	}
	return requests
}

// affectedByRepository returns the sets that a Repository affects.
func (r *Reconciler) affectedByRepository(ctx context.Context, o client.Object) []*v1alpha2.PackageVariantSet {
	affected, err := r.ByRepository(ctx, o.GetNamespace(), o.GetName())
	return noted(ctx, o, affected, err)
}

// noted returns the sets that an object affects, and logs why some may be missing.
func noted(ctx context.Context, o client.Object, affected []*v1alpha2.PackageVariantSet,
	err error) []*v1alpha2.PackageVariantSet {
	if err != nil { // the cache lacks an index, which a test would have found
		log.FromContext(ctx).Error(err, "cannot find the sets that an object affects", "object",
			client.ObjectKeyFromObject(o))
	}
	return affected
}

// variantChanged passes the updates of a variant that matter to its set.
func variantChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, okBefore := e.ObjectOld.(*v1alpha1.PackageVariant)
		after, okAfter := e.ObjectNew.(*v1alpha1.PackageVariant)
		return !okBefore || !okAfter || sets.Changed(before, after)
	}}
}

// revisionChanged passes on what an expansion sees of a PackageRevision.
func revisionChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		return !equality.Semantic.DeepEqual(revisionOf(e.ObjectOld), revisionOf(e.ObjectNew))
	}}
}

// revisionOf returns a PackageRevision as expansions take it, and nothing for other objects.
func revisionOf(o client.Object) []expansion.PackageRevision {
	rev, ok := porch.RevisionOf(o)
	if !ok {
		return nil
	}
	return []expansion.PackageRevision{rev.ForExpansion()}
}
