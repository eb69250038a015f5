// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"time"

	"github.com/package-variants/package-variants/engine/life"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/manifests"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"k8s.io/apimachinery/pkg/types"
)

// Planner reconciles variants as the controller does, over a world that is not a cluster.
type Planner struct {
	reconciler *life.Reconciler
	look       *life.Look
}

// PortsOf returns the ports over a world, which stands for the caches, the API server and Porch. The world must know at
// once what was written to it.
func PortsOf(world porch.API, injected objects.Source, functions mutate.Runtime) life.Ports {
	return life.Ports{
		Packages: porch.Unhurried(world), Known: porch.Cache{Reader: world}, Variants: manifests.Variants{API: world},
		Injected: injected, Functions: functions, MayApprove: manifests.MayApprove(world),
	}
}

// NewPlanner returns a Planner over a world.
func NewPlanner(world porch.API, injected objects.Source, functions mutate.Runtime, version string) *Planner {
	p := &Planner{}
	ports := PortsOf(world, injected, functions)
	ports.Looked = func(l *life.Look) { p.look = l }
	// A variant that another version of the controller has settled stays settled.
	p.reconciler = life.New(ports, life.Options{Version: version, LookWithin: 1000 * time.Hour})
	return p
}

// Reconcile does one step for a variant, or reports that there is none, as the controller does. It returns nil if the
// variant is settled, or does not exist.
func (p *Planner) Reconcile(ctx context.Context, variant types.NamespacedName) (*life.Look, error) {
	p.look = nil
	_, _, err := p.reconciler.Step(ctx, variant)
	if p.look != nil {
		err = nil // the look says why the steps ended
	}
	return p.look, err
}
