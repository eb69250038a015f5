// SPDX-License-Identifier: Apache-2.0

// Package packagevariant keeps the downstream packages of PackageVariants in step: gather, decide, act, report
// (section "The controller" of the design).
package packagevariant

import (
	"context"
	"fmt"
	"time"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/conditions"
	"github.com/package-variants/package-variants/sync-controller/internal/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/mutate"
	"github.com/package-variants/package-variants/sync-controller/internal/objects"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// Options are what the controller can be told.
type Options struct {
	// Concurrency is how many variants are worked on at once.
	Concurrency int
	// Runtime runs the functions.
	Runtime mutate.Runtime
}

// Reconciler reconciles PackageVariants.
type Reconciler struct {
	client   client.Client // reads from the cache
	porch    porch.Client
	runtime  mutate.Runtime
	watches  *objects.Watches
	contents *objects.Contents
	memos    *memos
	statuses *conditions.Written[*v1alpha1.PackageVariantStatus]
	gate     *gate
	events   events.EventRecorder
}

// SetupWithManager adds the controller to the manager. The manager's cache must have been configured by
// porch.ConfigureCache and have the indexes of porch.AddIndexes, its scheme must know the types of this API and of Porch's.
func SetupWithManager(mgr ctrl.Manager, options Options) error {
	metadataClient, err := metadata.NewForConfigAndClient(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return fmt.Errorf("cannot make a client for metadata: %w", err)
	}
	if err := addIndexes(mgr.GetFieldIndexer()); err != nil {
		return err
	}
	changed := make(chan event.TypedGenericEvent[types.NamespacedName], 1024)
	r := &Reconciler{
		client:   mgr.GetClient(),
		porch:    porch.Client{Reader: mgr.GetAPIReader(), Writer: mgr.GetClient()},
		runtime:  options.Runtime,
		contents: objects.NewContents(mgr.GetAPIReader()),
		memos:    newMemos(time.Now),
		statuses: conditions.NewWritten[*v1alpha1.PackageVariantStatus](),
		events:   mgr.GetEventRecorder("package-variants"),
	}
	enqueue := func(variant types.NamespacedName) {
		changed <- event.TypedGenericEvent[types.NamespacedName]{Object: variant}
	}
	r.watches, r.gate = objects.New(mgr.GetRESTMapper(), metadataClient, enqueue), newGate(enqueue)
	specChanged := builder.WithPredicates(predicate.GenerationChangedPredicate{})
	return ctrl.NewControllerManagedBy(mgr).
		Named("packagevariant").
		For(&v1alpha1.PackageVariant{}, specChanged).
		Watches(&v1alpha1.PackageVariant{}, handler.EnqueueRequestsFromMapFunc(r.rivals), specChanged).
		Watches(&porchapi.PackageRevision{}, handler.EnqueueRequestsFromMapFunc(r.affectedByRevision)).
		Watches(&configapi.Repository{}, handler.EnqueueRequestsFromMapFunc(r.affectedByRepository), builder.WithPredicates(readinessChanged())).
		WatchesRawSource(source.TypedChannel(changed, handler.TypedEnqueueRequestsFromMapFunc(
			func(_ context.Context, user types.NamespacedName) []ctrl.Request {
				return []ctrl.Request{{NamespacedName: user}}
			}))).
		WithOptions(controller.Options{MaxConcurrentReconciles: options.Concurrency}).
		Complete(r)
}

// Reconcile brings one variant a step nearer to what its spec asks for.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	defer r.gate.pass(req.NamespacedName)
	var pv v1alpha1.PackageVariant
	if err := r.client.Get(ctx, req.NamespacedName, &pv); err != nil {
		r.forget(req.NamespacedName)
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	pv.Status = *r.statuses.Newest(&pv, &pv.Status)
	if !pv.DeletionTimestamp.IsZero() {
		return r.finalize(ctx, &pv)
	}
	if err := r.ensureFinalizer(ctx, &pv); err != nil {
		return ctrl.Result{}, err
	}
	s, err := r.gather(ctx, &pv)
	if err != nil {
		return ctrl.Result{}, err
	}
	logger := log.FromContext(ctx)
	if wait, done := r.memos.done(req.NamespacedName, s.digest(), s.in.Revisions); done {
		logger.V(1).Info("nothing to do", "again", wait)
		return ctrl.Result{RequeueAfter: wait}, nil
	}
	if !r.gate.enter(s.repository(), s.key()) {
		logger.V(1).Info("waiting for another variant in the repository")
		return ctrl.Result{}, nil
	}
	evaluations.Inc()
	o := r.sync(ctx, s)
	return r.conclude(ctx, s, &o)
}

// conclude reports the outcome, remembers it, and says when to come again. What goes wrong once is tried again before it
// is reported: Porch fails now and then while it reads a repository, and the conditions are not to flap.
func (r *Reconciler) conclude(ctx context.Context, s *snapshot, o *outcome) (ctrl.Result, error) {
	log.FromContext(ctx).V(1).Info("reconciled", "reason", o.verdict.Reason, "message", o.verdict.Message, "again", o.again, "silent", o.silent, "error", o.err)
	digest := s.digest() // of what was worked on: writing the status brings the newest spec
	switch {
	case o.silent:
		return ctrl.Result{RequeueAfter: o.wait}, nil
	case porch.Busy(o.err) && r.memos.insist(s.key()) <= maxInsist:
		return ctrl.Result{RequeueAfter: busyDelay}, nil
	case o.again && r.memos.insist(s.key()) <= maxInsist:
		return ctrl.Result{RequeueAfter: time.Millisecond}, nil
	case o.err != nil:
		wait, failures := r.memos.fail(s.key(), digest, o.err)
		if failures == 1 && passing(o.verdict.Reason) {
			return ctrl.Result{RequeueAfter: wait}, nil
		}
		return ctrl.Result{RequeueAfter: wait}, r.report(ctx, s.pv, o)
	}
	if err := r.report(ctx, s.pv, o); err != nil {
		return ctrl.Result{}, err
	}
	after := recheck(o)
	r.memos.settle(s.key(), digest, after)
	return ctrl.Result{RequeueAfter: after}, nil
}

// recheck returns how often to look again at what no event of the variant's tells of: whether the base of an upgrade has
// become known, anywhere. It is 0 if there is nothing to look for. The caches are asked, not Porch.
func recheck(o *outcome) time.Duration {
	if o.verdict.Reason == decide.ReasonBaseNotFound {
		return recheckDelay
	}
	return 0
}

const recheckDelay = 30 * time.Second

// passing reports whether a failure of that kind may have gone by itself in a moment.
func passing(reason string) bool {
	return reason == decide.ReasonPorchFailed || reason == decide.ReasonPorchUnavailable || reason == decide.ReasonFunctionRunnerUnavailable
}

const (
	// busyDelay is how long to wait for another call to Porch to end.
	busyDelay = 200 * time.Millisecond
	// maxInsist is how often in a row a variant comes again at once, before what there is to say is said.
	maxInsist = 25
)

// sync does the next step for what was gathered, and then lets the next variant work in the Repository. What went wrong
// is in the outcome.
func (r *Reconciler) sync(ctx context.Context, s *snapshot) outcome {
	defer r.gate.leave(s.repository())
	if err := r.refresh(ctx, s); err != nil {
		return failed(err)
	}
	if wait, done := r.memos.done(s.key(), s.digest(), nil); done {
		return outcome{silent: true, wait: wait} // the cache was behind: nothing has changed since the last attempt
	}
	if err := r.disposeObsolete(ctx, s); err != nil {
		return failed(err)
	}
	if err := r.evaluate(ctx, s); err != nil {
		return failed(err)
	}
	return r.act(ctx, s)
}

func (r *Reconciler) ensureFinalizer(ctx context.Context, pv *v1alpha1.PackageVariant) error {
	before := pv.DeepCopy()
	if !controllerutil.AddFinalizer(pv, v1alpha1.Finalizer) {
		return nil
	}
	if err := r.client.Patch(ctx, pv, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("cannot add the finalizer: %w", err)
	}
	return nil
}

func (r *Reconciler) forget(key types.NamespacedName) {
	r.watches.Release(key)
	r.memos.forget(key)
}
