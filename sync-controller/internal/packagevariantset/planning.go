// SPDX-License-Identifier: Apache-2.0

package packagevariantset

import (
	"context"

	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/sets"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/manifests"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"k8s.io/apimachinery/pkg/types"
)

// Planner reconciles sets as the controller does, over a world that is not a cluster.
type Planner struct {
	*sets.Reconciler
	look *sets.Look
}

// PortsOf returns the ports over a world, which stands for the caches, the API server and Porch.
func PortsOf(world porch.API, selected objects.Source, functions mutate.Runtime) sets.Ports {
	return sets.Ports{
		Packages: porch.Unhurried(world), Known: porch.Cache{Reader: world}, Sets: manifests.NewSets(world, world),
		Selected: selected, Functions: functions,
	}
}

// NewPlanner returns a Planner over a world: what it reads from there is what the caches and the API server say, and
// what it writes is written there.
func NewPlanner(world porch.API, selected objects.Source, functions mutate.Runtime, version string) *Planner {
	p := &Planner{}
	ports := PortsOf(world, selected, functions)
	ports.Looked = func(l *sets.Look) { p.look = l }
	p.Reconciler = sets.New(ports, sets.Options{Version: version})
	return p
}

// Reconcile makes the variants of a set what its spec asks for, as sets.Reconciler does. It returns nil for one that is
// not there, or that could not be expanded: the status says why.
func (p *Planner) Reconcile(ctx context.Context, set types.NamespacedName) (*sets.Look, error) {
	p.look = nil
	_, err := p.Reconciler.Reconcile(ctx, set)
	return p.look, err
}
