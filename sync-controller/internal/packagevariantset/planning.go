// SPDX-License-Identifier: Apache-2.0

package packagevariantset

import (
	"context"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Look is what a reconcile planned for a set, and what it reports.
type Look struct {
	// Created, Updated and Deleted are the names of the variants that the plan writes. Held reports whether the plan was
	// held, so that none was written.
	Created, Updated, Deleted []string
	Held                      bool
	// HeldBack are the variants that do not get yet what the set makes for them.
	HeldBack []string
	// Waves are the waves of the variants that the set wants, by name; empty without a rollout.
	Waves map[string]string
	// Rollout is where the rollout stands; nil without one.
	Rollout *v1alpha2.RolloutStatus
	// Condition is the condition that the set would get.
	Condition v1alpha1.Condition
	// Err is why steps failed, or why the set could not be expanded, if a retry may help.
	Err error
}

// expose passes a plan of a set to a Planner.
func (r *Reconciler) expose(set *v1alpha2.PackageVariantSet, in *input, steps []step, held hold, o *outcome) {
	if r.looked == nil {
		return
	}
	names := byAction(steps)
	l := &Look{Created: names[create], Updated: names[update], Deleted: names[remove], Held: held.reason != "",
		Condition: o.condition, Err: o.err, Rollout: set.Status.Rollout.DeepCopy(), Waves: in.waves}
	for name := range in.heldBack {
		l.HeldBack = append(l.HeldBack, name)
	}
	r.looked(l)
}

// Planner reconciles sets as the controller does, over a world that is not a cluster.
type Planner struct {
	reconciler *Reconciler
	look       *Look
}

// NewPlanner returns a Planner over a world: what it reads from there is what the caches and the API server say, and
// what it writes is written there.
func NewPlanner(world porch.API, source objects.Source, functions mutate.Runtime, version string) *Planner {
	p := &Planner{}
	p.reconciler = &Reconciler{client: world, live: world, runtime: functions, version: version, watches: source,
		events: &events.FakeRecorder{}, looked: func(l *Look) { p.look = l }}
	return p
}

// Reconcile makes the variants of a set what its spec asks for, as Reconciler.Reconcile does. It returns nil for one
// that is not there, or that could not be expanded: the status says why.
func (p *Planner) Reconcile(ctx context.Context, set types.NamespacedName) (*Look, error) {
	p.look = nil
	_, err := p.reconciler.Reconcile(ctx, ctrl.Request{NamespacedName: set})
	return p.look, err
}

// Owned returns the names of the variants that are a set's now.
func (p *Planner) Owned(ctx context.Context, key types.NamespacedName) ([]string, error) {
	var set v1alpha2.PackageVariantSet
	if err := p.reconciler.client.Get(ctx, key, &set); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	owned, err := p.reconciler.ownedBy(ctx, key.Namespace, ownerOf(&set))
	names := make([]string, len(owned))
	for i := range owned {
		names[i] = owned[i].Name
	}
	return names, err
}
