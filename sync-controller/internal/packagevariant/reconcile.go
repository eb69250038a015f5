// SPDX-License-Identifier: Apache-2.0

// Package packagevariant keeps the downstream packages of PackageVariants in step: observe, inspect, decide, act,
// report (docs/design.md, "The controller"). Each stage makes values of values; only act writes to Porch.
package packagevariant

import (
	"context"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/decide"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// Reconcile brings one variant nearer to what its spec asks for. What it writes comes back as an event. A variant that
// cannot be looked at goes back to the work queue, whose limiter is the backoff; steps that fail are done again when
// the status says so.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	result, err := r.reconcile(ctx, req)
	r.retries.Heed(req, err)
	return result, err
}

func (r *Reconciler) reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var pv v1alpha1.PackageVariant
	if err := r.client.Get(ctx, req.NamespacedName, &pv); err != nil || isGone(&pv) {
		r.forget(req.NamespacedName)
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	seen, err := r.observe(ctx, &pv)
	if err != nil {
		r.turns.Release(req.NamespacedName)
		return ctrl.Result{}, err
	}
	if wait, settled := r.settled(seen); settled {
		r.turns.Release(req.NamespacedName)
		return ctrl.Result{RequeueAfter: wait}, nil
	}
	ctx = context.WithoutCancel(ctx) // what was begun is finished when the controller is asked to end
	result, err := r.work(ctx, seen, false)
	if outdated(err) {
		result, err = r.work(ctx, seen, true)
	}
	return result, err
}

// work does what follows from an observation, by caches that may be known to be behind.
func (r *Reconciler) work(ctx context.Context, seen *observation, behind bool) (ctrl.Result, error) {
	if !r.turns.Take(seen.key(), seen.places()...) {
		return ctrl.Result{}, nil // it is woken when it is its turn
	}
	defer r.turns.Release(seen.key())
	evaluations.Inc()
	in, err := r.inspect(ctx, seen, behind)
	if err != nil || in == nil {
		return ctrl.Result{}, r.reportFailure(ctx, seen, err)
	}
	decision := decide.Decide(&in.Input)
	result := r.act(ctx, in, decision)
	r.expose(in, decision, result)
	r.turns.Release(seen.key()) // what follows writes to no Repository
	return r.report(ctx, in, decision, result)
}

// isGone reports whether nothing is left to do for a variant that is being deleted.
func isGone(pv *v1alpha1.PackageVariant) bool {
	return !pv.DeletionTimestamp.IsZero() && !controllerutil.ContainsFinalizer(pv, v1alpha1.Finalizer)
}

// forget ends what is kept for a variant.
func (r *Reconciler) forget(variant types.NamespacedName) {
	r.watches.Release(variant)
	r.turns.Release(variant)
	r.steps.Forget(variant)
}
