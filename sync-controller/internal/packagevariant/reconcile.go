// SPDX-License-Identifier: Apache-2.0

// Package packagevariant keeps the downstream packages of PackageVariants in step: observe, inspect, decide, act,
// report (docs/design.md, "The controller"). Each stage makes values of values; only act writes to Porch.
package packagevariant

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/timeouts"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// Reconcile brings one variant to what its spec asks for, step by step. Its writes come back as events. A failure is
// tried again when the limiter of the work queue says so, or when something has changed. A write that was refused
// because something has changed is no failure: the variant is decided again, and no error is logged.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	for more := true; more; {
		var wait time.Duration
		var err error
		wait, more, err = r.reconcile(ctx, req)
		switch {
		case errors.Is(err, packages.ErrStale):
			log.FromContext(ctx).V(1).Info("decides again", "because", err.Error())
			return ctrl.Result{Requeue: true}, nil //nolint:staticcheck // RequeueAfter would reset the limiter each time
		case err != nil, !more:
			return ctrl.Result{RequeueAfter: wait}, err
		}
	}
	return ctrl.Result{}, nil
}

// reconcile does one step of a variant's life, or reports that there is none. It returns whether there may be more to
// do at once, or else after how long to look at the variant again; 0 to wait for an event.
func (r *Reconciler) reconcile(ctx context.Context, req ctrl.Request) (wait time.Duration, more bool, err error) {
	cached, err := r.variants.Variant(ctx, req.Namespace, req.Name)
	if err != nil || cached == nil || isGone(cached) {
		r.forget(req)
		return 0, false, err
	}
	queued := false
	defer func() {
		if !more && !queued {
			r.repoLocks.Release(req.NamespacedName)
		}
	}()
	pv := r.progresses.of(cached).latest(cached)
	if pv == nil {
		return lookSoon, false, nil
	}
	if isGone(pv) { // the cache does not know yet
		return 0, false, nil
	}
	seen, err := r.observe(ctx, pv)
	if err != nil {
		return 0, false, err
	}
	if wait, rests := r.rests(req, seen); rests {
		return wait, false, nil
	}
	has, err := r.lock(ctx, seen)
	if err != nil {
		return 0, false, err
	}
	if queued = !has; queued {
		return 0, false, nil // it is woken when its turn comes
	}
	return r.work(ctx, req, seen)
}

// work inspects and decides, and does a step or reports, with the places that the variant may write to locked.
func (r *Reconciler) work(ctx context.Context, req ctrl.Request, seen *observation) (wait time.Duration, more bool,
	err error) {
	evaluations.Inc()
	var in *inspection
	if err = r.observeUnlisted(ctx, seen); err == nil {
		in, err = r.inspect(ctx, seen)
	}
	if ctx.Err() != nil {
		return 0, false, ctx.Err() // it is asked to stop, and nothing was begun
	}
	ctx, end := timeouts.Begun(ctx) // what is begun now is finished even if the controller is asked to stop
	defer end()
	if err != nil {
		return 0, false, r.reportFailure(ctx, seen, err)
	}
	decision := decide.Decide(&in.Input)
	if wait := r.absences.wait(req, seen, &decision); wait > 0 {
		return min(wait, lookAgain), false, nil
	}
	var failed error
	if len(decision.Steps) > 0 {
		if failed = r.act(ctx, in, &decision); failed == nil || errors.Is(failed, packages.ErrStale) {
			return 0, failed == nil, failed
		}
	} else {
		r.expose(in, &decision, nil)
	}
	r.repoLocks.Release(seen.key()) // the rest writes to no Repository
	if err := r.report(ctx, in, &decision, failed); err != nil {
		if failed = cmp.Or(failed, decision.Err); failed != nil && !errors.Is(err, packages.ErrStale) {
			r.failures.hold(req, seen.hash())
		}
		return 0, false, err
	}
	r.failures.end(req)
	if seen.progress.behind() {
		return lookAgain, false, nil
	}
	return 0, false, nil
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
	// lookAgain is when to look at a variant again although an event should come: Porch occasionally loses a write.
	lookAgain = 10 * time.Second
	// lookSoon is when to look again at a variant whose status the cache does not have yet: its events wake nobody.
	lookSoon = 200 * time.Millisecond
)

// isGone reports whether nothing is left to do for a variant that is being deleted.
func isGone(pv *v1alpha1.PackageVariant) bool {
	return !pv.DeletionTimestamp.IsZero() && !controllerutil.ContainsFinalizer(pv, v1alpha1.Finalizer)
}

// forget drops what is kept for a variant.
func (r *Reconciler) forget(req ctrl.Request) {
	r.injected.Release(req.NamespacedName)
	r.repoLocks.Release(req.NamespacedName)
	r.failures.end(req)
	r.absences.end(req)
	r.progresses.end(req.NamespacedName)
}
