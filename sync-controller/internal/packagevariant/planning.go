// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"time"

	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/objects"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/ttlcache"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/queue/repolock"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
)

// Look is what a reconcile saw of a variant, and what it decided.
type Look struct {
	Decision decide.Decision
	// Before is the input of the decision, After what was known once its steps were done.
	Before, After *decide.Input
	// Err is why the steps ended early.
	Err error
}

// expose passes a look at a variant to a Planner.
func (r *Reconciler) expose(in *inspection, d decide.Decision, out *result) {
	if r.looked != nil {
		before, after := in.Input, out.Input // copies, as a pointer into the two would keep the contents alive
		r.looked(&Look{Decision: d, Before: &before, After: &after, Err: out.err})
	}
}

// Planner reconciles variants as the controller does, over a world that is not a cluster.
type Planner struct {
	reconciler *Reconciler
	look       *Look
}

// NewPlanner returns a Planner over a world, which stands for the caches, the API server and Porch. The world must know
// at once what was written to it.
func NewPlanner(world porch.API, source objects.Source, functions mutate.Runtime, version string) *Planner {
	p := &Planner{}
	p.reconciler = &Reconciler{
		client: world, runtime: functions, version: version,
		porch: porch.Client{Reader: world, Writer: world, Pause: func(context.Context, time.Duration) error { return nil }},
		// A variant that another version of the controller has settled stays settled.
		started: time.Now().UTC(), lookWithin: 1000 * time.Hour,
		watches: source, objects: objects.NewContents(source, world),
		upstream: ttlcache.New[upstreamContent](keptContents, time.Hour), allowed: ttlcache.New[bool](keptAnswers, time.Hour),
		repoLocks: repolock.New(func(types.NamespacedName) {}), events: &events.FakeRecorder{},
		failures: newFailures(), absences: newAbsences(0),
		looked: func(l *Look) { p.look = l },
	}
	return p
}

// Reconcile brings one variant nearer to what its spec asks for, as Reconciler.Reconcile does. It returns nil if the
// variant is settled, or does not exist.
func (p *Planner) Reconcile(ctx context.Context, variant types.NamespacedName) (*Look, error) {
	p.look = nil
	_, err := p.reconciler.Reconcile(ctx, ctrl.Request{NamespacedName: variant})
	if p.look != nil {
		err = nil // the look says why the steps ended
	}
	return p.look, err
}
