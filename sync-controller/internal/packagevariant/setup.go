// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"fmt"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/manifests"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/ttlcache"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/watches"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/queue/fairqueue"
	"github.com/package-variants/package-variants/sync-controller/internal/queue/largework"
	"github.com/package-variants/package-variants/sync-controller/internal/queue/repolock"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

const (
	// keptContents is how many upstream contents are kept, each for keptFor: all variants of a fleet want the same one.
	keptContents, keptFor = 16, time.Minute
	// keptAnswers is for how many namespaces the right to approve is kept, each for answerFor.
	keptAnswers, answerFor = 1024, 10 * time.Second
)

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

// Reconciler reconciles PackageVariants.
type Reconciler struct {
	variants   objects.Variants
	packages   packages.Home
	known      packages.Known
	runtime    mutate.Runtime
	large      *largework.Limit
	version    string
	started    time.Time
	lookWithin time.Duration
	// requestTimeout is how long a call to Porch takes at most, and so how long a save may be in progress.
	requestTimeout time.Duration
	injected       objects.Source
	upstream       *ttlcache.Values[upstreamContent]
	// mayApproveIn asks whether the controller may approve package revisions in a namespace, allowed has the answers.
	mayApproveIn func(ctx context.Context, namespace string) (bool, error)
	allowed      *ttlcache.Values[bool]
	repoLocks    *repolock.Locks
	// concurrency is how many variants of a namespace are worked on at once.
	concurrency int
	progresses  *progresses
	failures    *failures
	absences    *absences
	events      events.EventRecorder
	// looked is called with each look at a variant; nil for none.
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
	if err := manifests.AddIndexes(mgr.GetFieldIndexer()); err != nil {
		return err
	}
	woken := make(chan event.TypedGenericEvent[types.NamespacedName], 1024)
	wake := func(variant types.NamespacedName) {
		woken <- event.TypedGenericEvent[types.NamespacedName]{Object: variant}
	}
	r := &Reconciler{
		variants: manifests.Variants{API: mgr.GetClient()}, known: porch.Cache{Reader: mgr.GetClient()},
		packages:     &porch.Home{Client: porch.Client{Reader: mgr.GetAPIReader(), Writer: mgr.GetClient()}},
		mayApproveIn: manifests.MayApprove(mgr.GetClient()),
		runtime:      options.Runtime, large: options.Large,
		version: options.Version, started: time.Now().UTC(), lookWithin: options.LookWithin,
		requestTimeout: options.RequestTimeout,
		injected:       watches.NewSource(watches.New(mgr.GetRESTMapper(), metadataClient, wake), mgr.GetAPIReader()),
		upstream:       ttlcache.New[upstreamContent](keptContents, keptFor),
		allowed:        ttlcache.New[bool](keptAnswers, answerFor),
		repoLocks:      repolock.New(wake), concurrency: options.Concurrency,
		progresses: newProgresses(), failures: newFailures(), absences: newAbsences(patience),
		events: mgr.GetEventRecorder("package-variants"),
	}
	b := ctrl.NewControllerManagedBy(mgr).
		Named("packagevariant").
		For(&v1alpha1.PackageVariant{}, builder.WithPredicates(changed()))
	for _, t := range r.triggers() {
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
