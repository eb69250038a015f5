// SPDX-License-Identifier: Apache-2.0

// Package packagevariant wakes the PackageVariants of a cluster, and gives the engine the ports to bring them to what
// their specs ask for.
package packagevariant

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/largework"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/reconcile"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/manifests"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/watches"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/queue/fairqueue"
	"github.com/package-variants/package-variants/sync-controller/internal/queue/repolock"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// patience is for how long a draft that Porch does not find is waited for before another is made in its place. Where
// Porch keeps drafts in git, it loses sight of one that it reads while it writes to the same git repository, and finds
// it when it reads its Repository again.
const patience = 30 * time.Second

// Options are the options of the controller.
type Options struct {
	// Concurrency is how many variants of a namespace are worked on at once. All namespaces together get twice as many.
	Concurrency int
	// Runtime runs the functions.
	Runtime mutate.Runtime
	// Large limits what is computed at once; nil for no limit.
	Large *largework.Limit
	// Version identifies the controller and the functions. After it changes, each variant is looked at once, all of them
	// within LookWithin.
	Version    string
	LookWithin time.Duration
	// RequestTimeout is how long a call to Porch takes at most.
	RequestTimeout time.Duration
}

// Reconciler reconciles PackageVariants of a cluster.
type Reconciler struct{ *reconcile.Reconciler }

// SetupWithManager adds the controller to the manager. The manager's cache must have been configured by
// porch.ConfigureCache and have the indexes of porch.AddIndexes, its scheme must know the types of this API and of
// Porch's.
func SetupWithManager(mgr ctrl.Manager, options Options) error {
	metadataClient, err := metadata.NewForConfigAndClient(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return fmt.Errorf("cannot make a client for metadata: %w", err)
	}
	if err := manifests.AddIndexes(mgr.GetFieldIndexer()); err != nil {
		return err
	}
	woken := make(chan event.TypedGenericEvent[types.NamespacedName], 1024)
	wake := func(variant types.NamespacedName) {
		woken <- event.TypedGenericEvent[types.NamespacedName]{Object: variant}
	}
	variants, known := manifests.Variants{API: mgr.GetClient()}, porch.Cache{Reader: mgr.GetClient()}
	events := mgr.GetEventRecorder("package-variants")
	r := &Reconciler{reconcile.New(reconcile.Ports{
		Packages: &porch.Home{Reader: mgr.GetAPIReader(), Writer: mgr.GetClient()},
		Known:    known, Variants: variants, Functions: options.Runtime,
		Injected:   watches.NewSource(watches.New(mgr.GetRESTMapper(), metadataClient, wake), mgr.GetAPIReader()),
		Turns:      &turns{locks: repolock.New(wake), variants: variants, most: max(options.Concurrency/2, 1)},
		MayApprove: manifests.MayApprove(mgr.GetClient()),
		Event: func(pv *v1alpha1.PackageVariant, kind, reason, message string) {
			events.Eventf(pv, nil, kind, reason, "Reconcile", "%s", message)
			if reason == reconcile.Disposed { // Events are gone in an hour, and the variant is sooner
				mgr.GetLogger().Info(message, "namespace", pv.Namespace, "packagevariant", pv.Name)
			}
		},
		Stepped: countStep, Evaluated: evaluations.Inc,
	}, reconcile.Options{
		Version: options.Version, LookWithin: options.LookWithin, RequestTimeout: options.RequestTimeout,
		Patience: patience, Large: options.Large,
	})}
	b := ctrl.NewControllerManagedBy(mgr).
		Named("packagevariant").
		For(&v1alpha1.PackageVariant{}, builder.WithPredicates(onUpdate(reconcile.Changed)))
	for _, t := range triggers(&reconcile.Affected{Variants: variants, Known: known}) {
		b.Watches(t.kind, handler.EnqueueRequestsFromMapFunc(t.affected), builder.WithPredicates(t.passes))
	}
	return b.
		WatchesRawSource(source.TypedChannel(woken, handler.TypedEnqueueRequestsFromMapFunc(
			func(_ context.Context, user types.NamespacedName) []ctrl.Request {
				return []ctrl.Request{{NamespacedName: user}}
			}))).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: 2 * options.Concurrency, NewQueue: fairqueue.Queue(options.Concurrency),
			RateLimiter: fairqueue.NewLimiter(),
		}).
		Complete(r)
}

// Reconcile brings one variant to what its spec asks for. Its writes come back as events. A failure is tried again when
// the limiter of the work queue says so, or when something has changed. A write that was refused because something has
// changed is no failure: the variant is decided again, and no error is logged.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	wait, err := r.Reconciler.Reconcile(ctx, req.NamespacedName)
	if errors.Is(err, packages.ErrStale) {
		log.FromContext(ctx).V(1).Info("decides again", "because", err.Error())
		return ctrl.Result{Requeue: true}, nil //nolint:staticcheck // RequeueAfter would reset the limiter each time
	}
	return ctrl.Result{RequeueAfter: wait}, err
}
