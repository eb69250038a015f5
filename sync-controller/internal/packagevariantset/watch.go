// SPDX-License-Identifier: Apache-2.0

package packagevariantset

import (
	"context"
	"slices"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
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

// affectedByVariant returns the sets whose variant it is, or which lack a variant of its name.
func (r *Reconciler) affectedByVariant(ctx context.Context, o client.Object) []*v1alpha2.PackageVariantSet {
	pv, ok := o.(*v1alpha1.PackageVariant)
	return r.sets(ctx, o, func(set *v1alpha2.PackageVariantSet) bool {
		return ok && (ownerOf(set).owns(pv) || r.lacks(set, pv.Name))
	})
}

// affectedByRevision returns the sets whose upstream a revision may be, or which have variants of its package.
func (r *Reconciler) affectedByRevision(ctx context.Context, o client.Object) []ctrl.Request {
	revisions := revisionOf(o)
	var requests []ctrl.Request
	for _, set := range r.sets(ctx, o, func(set *v1alpha2.PackageVariantSet) bool {
		return slices.ContainsFunc(revisions, func(pr expansion.PackageRevision) bool {
			return expansion.Candidates(set)(&pr) || r.hasMadeFrom(ctx, set, &pr)
		})
	}) {
		requests = append(requests, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(set)})
	}
	return requests
}

// affectedByRepository returns the sets that may make packages in a Repository, or that take their upstream from it.
func (r *Reconciler) affectedByRepository(ctx context.Context, o client.Object) []*v1alpha2.PackageVariantSet {
	return r.sets(ctx, o, func(set *v1alpha2.PackageVariantSet) bool { return mayUse(set, o.GetName()) })
}

// sets returns the sets in an object's namespace for which affected returns true.
func (r *Reconciler) sets(ctx context.Context, o client.Object,
	affected func(*v1alpha2.PackageVariantSet) bool) []*v1alpha2.PackageVariantSet {
	var list v1alpha2.PackageVariantSetList
	if err := r.client.List(ctx, &list, client.InNamespace(o.GetNamespace()), client.UnsafeDisableDeepCopy); err != nil {
		log.FromContext(ctx).Error(err, "cannot find the sets that an object affects", "object",
			client.ObjectKeyFromObject(o))
	}
	var sets []*v1alpha2.PackageVariantSet
	for i := range list.Items {
		if set := &list.Items[i]; affected(set) {
			sets = append(sets, set)
		}
	}
	return sets
}

// lacks reports whether a set wants a variant of that name, and had none when it was expanded last. If another variant
// had the name, its end wakes the set.
func (r *Reconciler) lacks(set *v1alpha2.PackageVariantSet, name string) bool {
	lacking, _ := r.lacking.Load(client.ObjectKeyFromObject(set))
	names, _ := lacking.(map[string]bool)
	return names[name]
}

// mayUse reports whether a set takes its upstream from a Repository or may make packages in it: not if it only names
// others.
func mayUse(set *v1alpha2.PackageVariantSet, repository string) bool {
	return takesFrom(set, repository) || slices.ContainsFunc(set.Spec.Targets, func(t v1alpha2.Target) bool {
		return t.Repositories == nil || t.Template != nil && t.Template.Downstream != nil ||
			slices.ContainsFunc(t.Repositories, func(r v1alpha2.RepositoryTarget) bool { return r.Name == repository })
	})
}

// variantChanged passes on what a set asks of its variants: that they are there, are its own, have its spec, are ready,
// and how far they are.
func variantChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, okBefore := e.ObjectOld.(*v1alpha1.PackageVariant)
		after, okAfter := e.ObjectNew.(*v1alpha1.PackageVariant)
		return !okBefore || !okAfter || before.Generation != after.Generation || readiness(before) != readiness(after) ||
			progressOf(before) != progressOf(after) ||
			before.Labels[v1alpha2.OwnerLabel] != after.Labels[v1alpha2.OwnerLabel] ||
			!equality.Semantic.DeepEqual(before.OwnerReferences, after.OwnerReferences)
	}}
}

// progress is the rest of what a set reads from a variant's status: how far a change has come.
type progress struct {
	generation       int64
	upstream         string
	open, conflicted bool
	waits            string // the reason of its open draft
}

func progressOf(pv *v1alpha1.PackageVariant) progress {
	p := progress{generation: pv.Status.ObservedGeneration,
		conflicted: meta.IsStatusConditionTrue(pv.Status.Conditions, v1alpha1.ConditionConflicted)}
	if u := pv.Status.Upstream; u != nil {
		p.upstream = u.Name
	}
	if d := pv.Status.OpenDraft; d != nil {
		p.waits = d.Reason
	}
	for _, d := range pv.Status.DownstreamTargets {
		p.open = p.open || d.Lifecycle != string(revision.Published)
	}
	return p
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
