// SPDX-License-Identifier: Apache-2.0

// Package packagevariantset makes the PackageVariants of PackageVariantSets: gather, plan, apply, report (section "The
// controller" of the design).
package packagevariantset

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/largework"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/watches"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/queue/fairqueue"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// concurrency is how many sets of a namespace are worked on at once, so a set whose objects are slow to read does not
// hold up the others. All namespaces together get twice as many.
const concurrency = 2

// Reconciler reconciles PackageVariantSets.
type Reconciler struct {
	client  porch.API      // reads from the cache
	live    client.Reader  // reads from the API server
	runtime mutate.Runtime // runs the function that expands sets
	large   *largework.Limit
	watches objects.Source
	version string // of the controller and the functions
	// lacking has the names of the variants that a set wants and that none of its own has, by the key of the set.
	lacking sync.Map
	events  events.EventRecorder
	// looked is called with each plan of a set, unless it is nil.
	looked func(*Look)
}

// SetupWithManager adds the controller to the manager, whose cache must have the indexes of porch.AddIndexes. The
// version is that of the controller and of the functions; after it changes, each set is expanded once. Large
// expansions are done within the limit; nil for none.
func SetupWithManager(
	mgr ctrl.Manager, runtime mutate.Runtime, large *largework.Limit, version string,
) error {
	metadataClient, err := metadata.NewForConfigAndClient(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return fmt.Errorf("cannot make a client for metadata: %w", err)
	}
	if err := AddIndexes(mgr.GetFieldIndexer()); err != nil {
		return err
	}
	changed := make(chan event.TypedGenericEvent[types.NamespacedName], 1024)
	r := &Reconciler{
		client: mgr.GetClient(), live: mgr.GetAPIReader(), runtime: runtime, large: large, version: version,
		events: mgr.GetEventRecorder("package-variants"),
	}
	r.watches = watches.NewSource(watches.New(mgr.GetRESTMapper(), metadataClient, func(user types.NamespacedName) {
		changed <- event.TypedGenericEvent[types.NamespacedName]{Object: user}
	}), r.live)
	return ctrl.NewControllerManagedBy(mgr).
		Named("packagevariantset").
		For(&v1alpha2.PackageVariantSet{}, builder.WithPredicates(
			predicate.Or(predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{}))).
		Watches(&v1alpha1.PackageVariant{}, later(r.affectedByVariant), builder.WithPredicates(variantChanged())).
		Watches(porch.NewRevision(), handler.EnqueueRequestsFromMapFunc(r.affectedByRevision),
			builder.WithPredicates(revisionChanged())).
		Watches(porch.NewRepository(), later(r.affectedByRepository), builder.WithPredicates(
			predicate.Or(predicate.LabelChangedPredicate{}, predicate.AnnotationChangedPredicate{}))).
		WatchesRawSource(source.TypedChannel(changed, handler.TypedFuncs[types.NamespacedName,
			ctrl.Request]{GenericFunc: laterSet})).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: 2 * concurrency, NewQueue: fairqueue.Queue(concurrency),
			RateLimiter: fairqueue.NewLimiter(),
		}).
		Complete(r)
}

// Reconcile makes the variants of one set what its spec asks for. The variants of a set that is being deleted are left
// to the cluster, which deletes what the set owns.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var set v1alpha2.PackageVariantSet
	err := r.client.Get(ctx, req.NamespacedName, &set)
	if apierrors.IsNotFound(err) || err == nil && !set.DeletionTimestamp.IsZero() {
		r.watches.Release(req.NamespacedName)
		r.lacking.Delete(req.NamespacedName)
		return ctrl.Result{}, nil
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	o := r.sync(ctx, &set)
	if err := errors.Join(o.err, r.report(ctx, &set, &o)); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: o.wait}, nil
}

// sync does what the plan says. Nothing is done if the set cannot be expanded.
func (r *Reconciler) sync(ctx context.Context, set *v1alpha2.PackageVariantSet) outcome {
	in, err := r.gather(ctx, set)
	if err != nil {
		return failed(err)
	}
	steps, held, err := r.plan(ctx, set, in)
	if err != nil {
		return unapplied(err)
	}
	if held.reason != v1alpha2.ReasonTooManyDeletions {
		if err := r.writeRollout(ctx, set, in); apierrors.IsConflict(err) {
			return outcome{err: err} // someone else has changed the set: there is nothing to report
		} else if err != nil {
			return unapplied(err)
		}
	}
	if held.reason == "" {
		r.apply(ctx, set, steps)
	}
	o := judge(in, steps, held)
	r.expose(set, in, steps, held, &o)
	return o
}

// plan plans what to do. For a set whose errorPolicy is Continue, it leaves out what the API server refuses: that is
// tried before anything is written, so a refused variant takes no place in a rollout.
func (r *Reconciler) plan(ctx context.Context, set *v1alpha2.PackageVariantSet, in *input) ([]step, hold, error) {
	tried := map[string]bool{}
	for {
		pairs, err := r.rollOut(ctx, set, in)
		if err != nil {
			return nil, hold{}, err
		}
		steps := in.steps(pairs)
		held := in.hold(steps)
		if held.reason != "" || in.spec.ErrorPolicy != v1alpha2.ErrorPolicyContinue ||
			!in.refuse(r.try(ctx, set.Namespace, steps, tried)) {
			return steps, held, nil
		}
	}
}
