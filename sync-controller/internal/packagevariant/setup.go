// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"fmt"
	"time"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/fair"
	"github.com/package-variants/package-variants/sync-controller/internal/mutate"
	"github.com/package-variants/package-variants/sync-controller/internal/objects"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/recent"
	"github.com/package-variants/package-variants/sync-controller/internal/retry"
	"github.com/package-variants/package-variants/sync-controller/internal/turns"
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

const (
	// firstRetry is the time after which a reconcile that failed is done again for the first time, firstSteps that for
	// steps that failed.
	firstRetry, firstSteps = 250 * time.Millisecond, 2 * time.Second
	// keptContents is how many upstream contents are kept, each for keptFor: all variants of a fleet want the same.
	keptContents, keptFor = 16, time.Minute
	// keptAnswers is for how many namespaces it is kept, each for answerFor, whether the controller may approve there.
	keptAnswers, answerFor = 1024, 10 * time.Second
)

// Options are what the controller can be told.
type Options struct {
	// Concurrency is how many variants of a namespace are worked on at once; of all together, twice as many.
	Concurrency int
	// Runtime runs the functions.
	Runtime mutate.Runtime
	// Share bounds what the functions of a namespace compute at once; nil for what runs elsewhere.
	Share *fair.Share
	// Version identifies the controller and the functions. After a change of it each variant is looked at once, all of
	// them within LookWithin.
	Version    string
	LookWithin time.Duration
}

// Reconciler reconciles PackageVariants.
type Reconciler struct {
	client     porch.API // reads from the cache
	live       client.Reader
	porch      porch.Client
	runtime    mutate.Runtime
	share      *fair.Share
	version    string
	started    time.Time
	lookWithin time.Duration
	watches    objects.Source
	objects    *objects.Contents
	upstream   *recent.Values[porch.Content]
	allowed    *recent.Values[bool] // to approve, by namespace
	turns      *turns.Turns
	// retries says when a variant that could not be looked at is looked at again, steps when steps that failed are done
	// again.
	retries *retry.Limiter[ctrl.Request]
	steps   *retry.Limiter[types.NamespacedName]
	events  events.EventRecorder
	// looked is told of each look at a variant; nil for none.
	looked func(*Look)
}

// SetupWithManager adds the controller to the manager. The manager's cache must have been configured by
// porch.ConfigureCache and have the indexes of porch.AddIndexes, its scheme must know the types of this API and of
// Porch's.
func SetupWithManager(mgr ctrl.Manager, options Options) error {
	metadataClient, err := metadata.NewForConfigAndClient(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return fmt.Errorf("cannot make a client for metadata: %w", err)
	}
	if err := addIndexes(mgr.GetFieldIndexer()); err != nil {
		return err
	}
	woken := make(chan event.TypedGenericEvent[types.NamespacedName], 1024)
	wake := func(variant types.NamespacedName) {
		woken <- event.TypedGenericEvent[types.NamespacedName]{Object: variant}
	}
	r := &Reconciler{
		client: mgr.GetClient(), live: mgr.GetAPIReader(),
		porch:   porch.Client{Reader: mgr.GetAPIReader(), Writer: mgr.GetClient()},
		runtime: options.Runtime, share: options.Share,
		version: options.Version, started: time.Now().UTC(), lookWithin: options.LookWithin,
		watches:  objects.New(mgr.GetRESTMapper(), metadataClient, wake),
		upstream: recent.New[porch.Content](keptContents, keptFor),
		allowed:  recent.New[bool](keptAnswers, answerFor),
		turns:    turns.New(wake),
		retries:  retry.New[ctrl.Request](firstRetry), steps: retry.New[types.NamespacedName](firstSteps),
		events: mgr.GetEventRecorder("package-variants"),
	}
	r.objects = objects.NewContents(r.watches, mgr.GetAPIReader())
	specChanged := builder.WithPredicates(predicate.GenerationChangedPredicate{})
	changed := builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, tampered(),
		suspendReasonChanged()))
	return ctrl.NewControllerManagedBy(mgr).
		Named("packagevariant").
		For(&v1alpha1.PackageVariant{}, changed).
		Watches(&v1alpha1.PackageVariant{}, handler.EnqueueRequestsFromMapFunc(r.conflicting), specChanged).
		Watches(&v1alpha1.PackageVariant{}, handler.EnqueueRequestsFromMapFunc(r.related),
			builder.WithPredicates(dependencyChanged())).
		Watches(&porchapi.PackageRevision{}, handler.EnqueueRequestsFromMapFunc(r.affectedByRevision)).
		Watches(&configapi.Repository{}, handler.EnqueueRequestsFromMapFunc(r.affectedByRepository),
			builder.WithPredicates(repositoryChanged())).
		WatchesRawSource(source.TypedChannel(woken, handler.TypedEnqueueRequestsFromMapFunc(
			func(_ context.Context, user types.NamespacedName) []ctrl.Request {
				return []ctrl.Request{{NamespacedName: user}}
			}))).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: 2 * options.Concurrency, NewQueue: fair.Queue(options.Concurrency), RateLimiter: r.retries,
		}).
		Complete(r)
}
