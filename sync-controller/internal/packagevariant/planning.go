// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"time"

	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/manifests"
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
	// Input is that of the decision, with the draft that was made.
	Input *decide.Input
	// Err is why the steps ended early.
	Err error
}

// expose passes a look at a variant to a Planner, with the steps of its decision that were done, or failed.
func (r *Reconciler) expose(in *inspection, d *decide.Decision, err error) {
	if r.looked != nil {
		done, after := *d, in.Input // a copy, as a pointer into it would keep the contents alive
		done.Steps = d.Next()
		r.looked(&Look{Decision: done, Input: &after, Err: err})
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
		variants: manifests.Variants{API: world}, known: porch.Cache{Reader: world}, runtime: functions, version: version,
		packages:     porch.Unhurried(world),
		mayApproveIn: manifests.MayApprove(world),
		// A variant that another version of the controller has settled stays settled.
		started: time.Now().UTC(), lookWithin: 1000 * time.Hour,
		injected: source,
		upstream: ttlcache.New[upstreamContent](keptContents, time.Hour), allowed: ttlcache.New[bool](keptAnswers, time.Hour),
		repoLocks: repolock.New(func(types.NamespacedName) {}), events: &events.FakeRecorder{},
		progresses: newProgresses(), failures: newFailures(), absences: newAbsences(0),
		looked: func(l *Look) { p.look = l },
	}
	return p
}

// Reconcile does one step for a variant, or reports that there is none, as the controller does. It returns nil if the
// variant is settled, or does not exist.
func (p *Planner) Reconcile(ctx context.Context, variant types.NamespacedName) (*Look, error) {
	p.look = nil
	_, _, err := p.reconciler.reconcile(ctx, ctrl.Request{NamespacedName: variant})
	if p.look != nil {
		err = nil // the look says why the steps ended
	}
	return p.look, err
}
