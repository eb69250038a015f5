// SPDX-License-Identifier: Apache-2.0

package sets_test

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/memory"
	"github.com/package-variants/package-variants/engine/memory/memorytest"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/reconcile"
	"github.com/package-variants/package-variants/engine/sets"
)

// fleet is a cluster in memory in which the controller of sets runs, and that of their variants. Only the writes of the
// first are told, and made to fail.
type fleet struct {
	*memorytest.Cluster
	client     *memorytest.Client
	reconciler *sets.Reconciler
	variants   *reconcile.Reconciler
	// again says after how long a set is reconciled again although nothing changes.
	again map[string]time.Duration
}

// newFleet returns a cluster with the Repository blueprints, and the first revision of the blueprint web.
func newFleet(t *testing.T) *fleet {
	t.Helper()
	f := &fleet{Cluster: memorytest.New(t, true),
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
	f.reconciler, f.Errs = sets.New(sets.Ports{
		Packages: f.client.Packages, Known: f.client.Packages, Sets: f.client.Objects, Selected: f.Source(),
		Functions: f.Runtime,
		Event: func(set *v1alpha2.PackageVariantSet, kind, reason, message string) {
			f.Event(set.Name, kind, reason, message)
		},
	}, sets.Options{Version: "1"}), map[string]error{}
	f.variants = reconcile.New(reconcile.Ports{
		Packages: f.Packages, Known: f.Packages, Variants: f.Objects, Injected: f.Source(), Functions: mutate.Builtin{},
	}, reconcile.Options{Version: "1", LookWithin: 1000 * time.Hour})
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
				_, _, _ = f.variants.Step(f.T.Context(), memorytest.Key(pv.Name)) // the variant says what failed
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
	return f.Objects.AllSets()
}

// made returns the variants, in the order of their names.
func (f *fleet) made() []v1alpha1.PackageVariant {
	return f.Objects.AllVariants()
}
