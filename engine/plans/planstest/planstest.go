// SPDX-License-Identifier: Apache-2.0

// Package planstest lets the tests of controllers compare what these do with what a plan says that they will do.
package planstest

import (
	"context"
	"maps"
	"slices"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/memory/memorytest"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/plans"
	"k8s.io/apimachinery/pkg/types"
)

// future is what a plan says about a cluster.
type future struct {
	*memorytest.Cluster
	plan *plans.Plan
	// files are those of drafts that are made or changed, by name.
	files map[string]map[string]string
}

// Foresee plans what the controllers will do in a cluster, and returns what compares that with what they have written
// and left, once they are at rest: writes, the files of drafts, and what is said of each set and each variant. It is a
// memorytest.Foresee.
func Foresee(c *memorytest.Cluster) (compare func(after string)) {
	c.T.Helper()
	f := &future{Cluster: c, files: map[string]map[string]string{}}
	named := plans.Keys{}
	for _, set := range c.Objects.AllSets() {
		named.Sets = append(named.Sets, objects.KeyOf(&set))
	}
	for _, pv := range c.Objects.AllVariants() {
		named.Variants = append(named.Variants, objects.KeyOf(&pv))
	}
	plan, err := plans.Make(c.T.Context(), plans.Of(c.Clone()), named, plans.Options{Version: "1", Runtime: c.Runtime,
		Rendered: true, Write: f.keep,
		MayApprove: func(context.Context, string) (bool, error) { return !c.MayNotApprove, nil },
		Denied:     func(_ context.Context, kind objects.Kind, _ ...string) error { return c.Unreadable[kind.Kind] }})
	c.Must(err)
	f.plan = plan
	return f.compare
}

// keep keeps the files of a draft.
func (f *future) keep(draft types.NamespacedName, files map[string]string) error {
	f.files[draft.Name] = files
	return nil
}

// compare compares the plan with what came.
func (f *future) compare(after string) {
	f.T.Helper()
	if diff := cmp.Diff(f.writes(), f.written()); diff != "" {
		f.T.Errorf("%s: writes (-planned +came):\n%s", after, diff)
	}
	if diff := cmp.Diff(f.conditions(), f.came()); diff != "" {
		f.T.Errorf("%s: conditions (-planned +came):\n%s", after, diff)
	}
	for _, name := range slices.Sorted(maps.Keys(f.files)) {
		if diff := cmp.Diff(f.files[name], f.FilesOf(name)); diff != "" {
			f.T.Errorf("%s: the files of %s (-planned +came):\n%s", after, name, diff)
		}
	}
}

// writes returns the writes that are planned, sorted where several objects take turns.
func (f *future) writes() []string {
	var out []string
	for i := range f.plan.Sets {
		out = append(out, f.plan.Sets[i].Requests...)
	}
	for i := range f.plan.Variants {
		if !f.OfSets {
			out = append(out, f.plan.Variants[i].Requests...)
		}
	}
	return f.inOrder(out)
}

// written returns what was written, in the same order.
func (f *future) written() []string {
	var out []string
	for _, w := range f.Written {
		if w.Subresource != "status" {
			out = append(out, w.Request())
		}
	}
	return f.inOrder(out)
}

// inOrder sorts writes where several objects take turns.
func (f *future) inOrder(writes []string) []string {
	if f.OfSets || len(f.plan.Variants) > 1 {
		slices.Sort(writes)
	}
	return writes
}

// conditions returns what the plan says of each set and each variant that is there in the end.
func (f *future) conditions() map[string][]plans.Condition {
	out := map[string][]plans.Condition{}
	for i := range f.plan.Sets {
		if s := &f.plan.Sets[i]; s.Condition.Reason != "" {
			out["set "+s.Name] = []plans.Condition{s.Condition}
		}
	}
	for i := range f.plan.Variants {
		if v := &f.plan.Variants[i]; v.Condition.Reason != "" {
			out[v.Name] = append([]plans.Condition{v.Condition}, v.Unmet...)
		}
	}
	return out
}

// came returns what is said of each set and each variant.
func (f *future) came() map[string][]plans.Condition {
	out := map[string][]plans.Condition{}
	for _, set := range f.Objects.AllSets() {
		out["set "+set.Name] = plans.Conditions(set.Status.Conditions)[:1]
	}
	for _, pv := range f.Objects.AllVariants() {
		out[pv.Name] = plans.Conditions(pv.Status.Conditions)
	}
	for i := range f.plan.Variants { // of one that is held back, the plan says so, and the cluster what was before
		if v := &f.plan.Variants[i]; v.Condition.Reason == plans.WaveNotOpen {
			out[v.Name] = []plans.Condition{v.Condition}
		}
	}
	for name, conditions := range out {
		if conditions[0].Reason == "" {
			delete(out, name)
		}
	}
	return out
}
