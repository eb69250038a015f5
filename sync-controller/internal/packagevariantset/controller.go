// SPDX-License-Identifier: Apache-2.0

// Package packagevariantset wakes the PackageVariantSets of a cluster, and gives the engine the ports to make their
// PackageVariants.
package packagevariantset

import (
	"context"
	"fmt"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/largework"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/sets"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/manifests"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/watches"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/queue/fairqueue"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// concurrency is how many sets of a namespace are worked on at once, so a set whose objects are slow to read does not
// hold up the others. All namespaces together get twice as many.
const concurrency = 2

// Reconciler reconciles PackageVariantSets of a cluster.
type Reconciler struct{ *sets.Reconciler }

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
	changed := make(chan event.TypedGenericEvent[types.NamespacedName], 1024)
	events := mgr.GetEventRecorder("package-variants")
	watched := watches.New(mgr.GetRESTMapper(), metadataClient, func(user types.NamespacedName) {
		changed <- event.TypedGenericEvent[types.NamespacedName]{Object: user}
	})
	r := &Reconciler{sets.New(sets.Ports{
		Packages: &porch.Home{Reader: mgr.GetAPIReader(), Writer: mgr.GetClient()},
		Known:    porch.Cache{Reader: mgr.GetClient()}, Sets: manifests.NewSets(mgr.GetClient(), mgr.GetAPIReader()),
		Selected: watches.NewSource(watched, mgr.GetAPIReader()), Functions: runtime,
		Event: func(set *v1alpha2.PackageVariantSet, kind, reason, message string) {
			events.Eventf(set, nil, kind, reason, "Reconcile", "%s", message)
		},
	}, sets.Options{Version: version, Large: large})}
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

// Reconcile makes the variants of one set what its spec asks for.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	wait, err := r.Reconciler.Reconcile(ctx, req.NamespacedName)
	return ctrl.Result{RequeueAfter: wait}, err
}
