// SPDX-License-Identifier: Apache-2.0

package packagevariantset

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/sets"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/manifests"
	"github.com/package-variants/package-variants/sync-controller/internal/memory"
	"github.com/package-variants/package-variants/sync-controller/internal/memory/memorytest"
	"github.com/package-variants/package-variants/sync-controller/internal/packagevariant"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
)

// fleet is a cluster in memory in which the controller of sets runs, and that of their variants. Only the writes of the
// first are told, and made to fail.
type fleet struct {
	*memorytest.Cluster
	client     *memorytest.Client
	reconciler *sets.Reconciler
	variants   *packagevariant.Planner
	// again says after how long a set is reconciled again although nothing changes.
	again map[string]time.Duration
}

// newFleet returns a cluster with the Repository blueprints, and the first revision of the blueprint web.
func newFleet(t *testing.T) *fleet {
	t.Helper()
	f := &fleet{Cluster: memorytest.New(t, true, porch.AddIndexes, manifests.AddIndexes),
		again: map[string]time.Duration{}}
	f.OfSets = true
	f.Repository("blueprints", nil)
	f.Blueprint("web", 1, memorytest.Files("web", "red"))
	f.Start()
	return f
}

// Start implements memorytest.Player.
func (f *fleet) Start() {
	f.client = f.NewClient()
	ports := PortsOf(f.client, f.Source(), f.Runtime)
	ports.Event = func(set *v1alpha2.PackageVariantSet, kind, reason, message string) {
		f.Eventf(set, nil, kind, reason, "", "%s", message)
	}
	f.reconciler, f.Errs = sets.New(ports, sets.Options{Version: "1"}), map[string]error{}
	f.variants = packagevariant.NewPlanner(f.World, f.Source(), mutate.Builtin{}, "1")
}

// Run implements memorytest.Player.
func (f *fleet) Run() {
	f.T.Helper()
	for range 50 {
		before := f.Version()
		for _, set := range f.sets() {
			f.reconcile(set.Name)
		}
		if f.client.Killed() {
			f.Start()
			continue
		}
		for _, pv := range f.made() {
			for before := -1; before != f.Version(); {
				before = f.Version()
				if _, err := f.variants.Reconcile(f.T.Context(), memorytest.Key(pv.Name)); err != nil {
					f.T.Error(err)
				}
			}
		}
		f.Writes() // these are of the variants' controller
		if f.Version() == before {
			return
		}
	}
	f.T.Errorf("the controllers do not come to rest: %v", f.Written)
}

// reconcile reconciles a set once, and notes what is written.
func (f *fleet) reconcile(name string) {
	f.reconciler.Selected = f.Source() // it has what there is now
	f.again[name], f.Errs[name] = f.reconciler.Reconcile(f.T.Context(), memorytest.Key(name))
	f.Written = append(f.Written, inOrder(f.Writes())...)
}

// inOrder sorts the writes of variants that follow each other, for they are made at once.
func inOrder(writes []memory.Write) []memory.Write {
	from := 0
	for i, w := range writes {
		if w.Resource != "packagevariants" || w.Subresource != "" {
			from = i + 1
			continue
		}
		slices.SortFunc(writes[from:i+1], func(a, b memory.Write) int {
			return cmp.Or(cmp.Compare(a.Verb, b.Verb), cmp.Compare(a.Name, b.Name))
		})
	}
	return writes
}

// Pass implements memorytest.Player: a set is tried again whenever it is reconciled.
func (f *fleet) Pass() {}

// sets returns the sets, in the order of their names.
func (f *fleet) sets() []v1alpha2.PackageVariantSet {
	var list v1alpha2.PackageVariantSetList
	f.Must(f.List(f.T.Context(), &list))
	return list.Items
}

// made returns the variants, in the order of their names.
func (f *fleet) made() []v1alpha1.PackageVariant {
	var list v1alpha1.PackageVariantList
	f.Must(f.List(f.T.Context(), &list))
	return list.Items
}
