// SPDX-License-Identifier: Apache-2.0

// Package packagevariant keeps the downstream packages of PackageVariants in step: observe, inspect, decide, act,
// report (docs/design.md, "The controller"). Each stage makes values of values; only act writes to Porch.
package packagevariant

import (
	"context"
	"slices"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// Reconcile brings one variant nearer to what its spec asks for. Its writes come back as events. A failure is tried
// again when the limiter of the work queue says so, or when something has changed. A write that was refused because
// something has changed is no failure: the variant is decided again, and no error is logged.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	wait, err := r.reconcile(ctx, req)
	if porch.Busy(err) {
		log.FromContext(ctx).V(1).Info("decides again", "because", err.Error())
		return ctrl.Result{Requeue: true}, nil //nolint:staticcheck // RequeueAfter would reset the limiter each time
	}
	return ctrl.Result{RequeueAfter: wait}, err
}

// reconcile calls the stages in order, and returns after how long to look at the variant again; 0 to wait for an event.
func (r *Reconciler) reconcile(ctx context.Context, req ctrl.Request) (time.Duration, error) {
	var pv v1alpha1.PackageVariant
	if err := r.client.Get(ctx, req.NamespacedName, &pv); err != nil || isGone(&pv) {
		r.forget(req)
		return 0, client.IgnoreNotFound(err)
	}
	seen, err := r.observe(ctx, &pv)
	if err != nil {
		r.repoLocks.Release(req.NamespacedName)
		return 0, err
	}
	if wait, rests := r.rests(req, seen); rests {
		r.repoLocks.Release(req.NamespacedName)
		return wait, nil
	}
	has, err := r.lock(ctx, seen)
	if err == nil && !has {
		return 0, nil // it is woken when its turn comes
	}
	defer r.repoLocks.Release(seen.key())
	if err != nil {
		return 0, err
	}
	return r.work(ctx, req, seen)
}

// work inspects, decides, acts and reports, with the places that the variant may write to locked.
func (r *Reconciler) work(ctx context.Context, req ctrl.Request, seen *observation) (time.Duration, error) {
	evaluations.Inc()
	var in *inspection
	err := r.observeUnlisted(ctx, seen)
	if err == nil {
		in, err = r.inspect(ctx, seen)
	}
	if ctx.Err() != nil {
		return 0, ctx.Err() // it is asked to stop, and nothing was begun
	}
	ctx = context.WithoutCancel(ctx) // what is begun now is finished even if the controller is asked to stop
	if err != nil {
		return 0, r.reportFailure(ctx, seen, err)
	}
	decision := decide.Decide(&in.Input)
	if wait := r.absences.wait(req, seen, &decision); wait > 0 {
		return min(wait, lookAgain), nil
	}
	result := r.act(ctx, in, decision)
	r.expose(in, decision, result)
	r.repoLocks.Release(seen.key()) // the rest writes to no Repository
	known, more, err := r.report(ctx, in, decision, result)
	if err != nil {
		if known != nil && !porch.Busy(err) {
			r.failures.hold(req, known.hash())
		}
		return 0, err
	}
	r.failures.end(req)
	if known != nil && !r.await(ctx, known) || more {
		return lookAgain, nil
	}
	return 0, nil
}

// rests reports whether there is nothing to do for a variant now, and after how long to look at it again; 0 to wait for
// an event.
func (r *Reconciler) rests(req ctrl.Request, seen *observation) (wait time.Duration, rests bool) {
	hash := seen.hash()
	if wait, settled := r.settled(seen, hash); settled {
		return wait, true
	}
	wait = r.failures.wait(req, hash)
	return wait, wait > 0
}

const (
	// catchUp is how long a reconcile waits at most for the caches to know what it wrote.
	catchUp     = 3 * time.Second
	lookedAfter = 10 * time.Millisecond
	// lookAgain is when to look at a variant again although an event should come: Porch occasionally loses a write.
	lookAgain = 10 * time.Second
)

// await waits until the caches know what was written, so that the next reconcile finds the variant settled, or until
// they know that others have changed since: the caches will then never have what was written, and that change has
// already caused the next reconcile, which this one keeps waiting. It reports whether they knew in time.
func (r *Reconciler) await(ctx context.Context, written *observation) bool {
	return nil == wait.PollUntilContextTimeout(ctx, lookedAfter, catchUp, true, func(ctx context.Context) (bool, error) {
		var pv v1alpha1.PackageVariant
		if err := r.client.Get(ctx, written.key(), &pv); err != nil {
			return apierrors.IsNotFound(err), nil
		}
		if pv.ResourceVersion != written.pv.ResourceVersion {
			return pv.Generation != written.pv.Generation, nil
		}
		seen, err := r.observe(ctx, &pv)
		return err != nil || pv.Status.ObservedInputs == "" || seen.hash() == written.hash() || othersChanged(written, seen),
			nil
	})
}

// othersChanged reports whether what a reconcile only reads has changed: the variants that one depends on, those that
// depend on it, and its upstream.
func othersChanged(before, after *observation) bool {
	version := func(u *revision.Revision) string {
		if u == nil {
			return ""
		}
		return u.Name + " " + u.Version
	}
	return !slices.Equal(before.Dependencies, after.Dependencies) || !slices.Equal(before.Dependents, after.Dependents) ||
		version(before.Upstream) != version(after.Upstream)
}

// isGone reports whether nothing is left to do for a variant that is being deleted.
func isGone(pv *v1alpha1.PackageVariant) bool {
	return !pv.DeletionTimestamp.IsZero() && !controllerutil.ContainsFinalizer(pv, v1alpha1.Finalizer)
}

// forget drops what is kept for a variant.
func (r *Reconciler) forget(req ctrl.Request) {
	r.watches.Release(req.NamespacedName)
	r.repoLocks.Release(req.NamespacedName)
	r.failures.end(req)
	r.absences.end(req)
}
