// SPDX-License-Identifier: Apache-2.0

// Package reconcile keeps the downstream packages of PackageVariants in step: observe, inspect, decide, act,
// report (docs/design.md, "The controller"). Each stage makes values of values; only act writes to Porch.
package reconcile

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/packages"
	"k8s.io/apimachinery/pkg/types"
)

// Reconcile brings one variant to what its spec asks for, step by step. Its writes come back as events. A failure is
// tried again when the limiter of the work queue says so, or when something has changed. A write that was refused
// because something has changed is no failure: the variant is decided again, and no error is logged.
//
// It returns after how long to look at the variant again; 0 to wait for an event. An error of packages.ErrStale says
// that the variant has to be decided again at once.
func (r *Reconciler) Reconcile(ctx context.Context, variant types.NamespacedName) (time.Duration, error) {
	for {
		wait, more, err := r.Step(ctx, variant)
		if err != nil || !more {
			return wait, err
		}
	}
}

// Step does one step of a variant's life, or reports that there is none. It returns whether there may be more to
// do at once, or else after how long to look at the variant again; 0 to wait for an event.
func (r *Reconciler) Step(ctx context.Context, req types.NamespacedName) (wait time.Duration, more bool, err error) {
	cached, err := r.Variants.Variant(ctx, req.Namespace, req.Name)
	if err != nil || cached == nil || isGone(cached) {
		r.forget(req)
		return 0, false, err
	}
	queued := false
	defer func() {
		if !more && !queued {
			r.Turns.Release(req)
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
	has, err := r.take(ctx, seen)
	if err != nil {
		return 0, false, err
	}
	if queued = !has; queued {
		return 0, false, nil // it is woken when its turn comes
	}
	return r.work(ctx, req, seen)
}

// work inspects and decides, and does a step or reports, with the places that the variant may write to locked.
func (r *Reconciler) work(ctx context.Context, req types.NamespacedName, seen *observation) (wait time.Duration,
	more bool, err error) {
	r.Evaluated()
	var in *inspection
	if err = r.observeUnlisted(ctx, seen); err == nil {
		in, err = r.inspect(ctx, seen)
	}
	if ctx.Err() != nil {
		return 0, false, ctx.Err() // it is asked to stop, and nothing was begun
	}
	ctx, end := begun(ctx) // what is begun now is finished even if the controller is asked to stop
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
		failed = r.act(ctx, in, &decision)
		if failed == nil && !decision.Ends() || errors.Is(failed, packages.ErrStale) {
			return 0, failed == nil, failed
		}
	} else {
		r.expose(in, &decision, nil)
	}
	r.Turns.Release(seen.key()) // the rest writes to no Repository
	after := in.after(&decision)
	if err := r.report(ctx, after, &decision, failed); err != nil {
		if failed = cmp.Or(failed, decision.Err); failed != nil && !errors.Is(err, packages.ErrStale) {
			r.backoffs.add(req, after.hash())
		}
		return 0, false, err
	}
	r.backoffs.end(req)
	if seen.progress.behind() {
		return lookAgain, false, nil
	}
	return 0, false, nil
}

// Grace is how long a step that was begun may still take when its process is asked to stop: less than the grace period
// of a Pod.
const Grace = 25 * time.Second

// begun returns a context for a step that is not left half done: it ends Grace after ctx has ended. The returned
// function must be called when the step is done.
func begun(ctx context.Context) (context.Context, context.CancelFunc) {
	step, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(Grace, end) })
	return step, func() { stop(); end() }
}

// rests reports whether there is nothing to do for a variant now, and after how long to look at it again; 0 to wait for
// an event.
func (r *Reconciler) rests(req types.NamespacedName, seen *observation) (wait time.Duration, rests bool) {
	hash := seen.hash()
	if wait, settled := r.settled(seen, hash); settled {
		return wait, true
	}
	wait = r.backoffs.wait(req, hash)
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
	return !pv.DeletionTimestamp.IsZero() && !hasFinalizer(pv)
}

// forget drops what is kept for a variant.
func (r *Reconciler) forget(req types.NamespacedName) {
	r.Injected.Release(req)
	r.Turns.Release(req)
	r.backoffs.end(req)
	r.absences.end(req)
	r.progresses.end(req)
}
