// SPDX-License-Identifier: Apache-2.0

package sets

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/equality"
)

// atOnce is how many steps run at once: a request takes an API server about ten milliseconds, and the variants' own
// controller should start in all Repositories.
const atOnce = 8

// apply does the steps and notes in each what went wrong with it. One Event reports them all.
func (r *Reconciler) apply(ctx context.Context, set *v1alpha2.PackageVariantSet, steps []step) {
	each(steps, (*step).does, func(s *step) { s.err = r.do(ctx, s, set.Spec.Rollout != nil) })
	done := map[action]int{}
	for i := range steps {
		if s := &steps[i]; s.does() && s.err == nil {
			done[s.do]++
		}
	}
	if len(done) > 0 {
		r.event(set, objects.Normal, "VariantsChanged",
			fmt.Sprintf("created %d, updated %d and deleted %d PackageVariants", done[create], done[update], done[remove]))
	}
}

// each calls a function for the selected steps. A failure of one step does not stop the others.
func each(steps []step, are func(*step) bool, do func(*step)) {
	var all errgroup.Group
	all.SetLimit(atOnce)
	for i := range steps {
		if s := &steps[i]; are(s) {
			all.Go(func() error { do(s); return nil })
		}
	}
	_ = all.Wait() // the errors are in the steps
}

// try finds out, by dry runs, which steps the API server refuses because of what they write, and returns these with
// their errors. It skips steps that were tried before, by the name of the wanted variant. A right that the controller
// lacks is not the variants' fault, and shows when the steps are done.
func (r *Reconciler) try(ctx context.Context, steps []step, tried map[string]bool) (refused []step) {
	untried := func(s *step) bool { return s.of != nil && (s.do == create || s.do == update) && !tried[s.of.Name] }
	each(steps, untried, func(s *step) {
		pv := s.want.DeepCopy()
		if s.do == create {
			s.err = wrap("create", pv, r.Sets.Create(ctx, pv, objects.How{Try: true}))
		} else {
			s.err = wrap("update", pv, r.Sets.Update(ctx, s.have, pv, objects.How{Try: true}))
		}
	})
	for i := range steps {
		s := &steps[i]
		if c, _ := packages.ConditionOf(s.err); errors.Is(s.err, packages.ErrRefused) && c.Reason == "" {
			refused = append(refused, *s)
		}
		if s.err = nil; untried(s) {
			tried[s.of.Name] = true
		}
	}
	return refused
}

// refuse leaves out what the API server refuses, and reports whether it refuses any. The variants of these targets stay
// as they are.
func (in *input) refuse(refused []step) bool {
	names := make(map[string]bool, len(refused))
	for i := range refused {
		s := &refused[i]
		d := *s.of.Spec.Downstream
		in.refused = append(in.refused, mutate.Excluded{
			Name: s.want.Name, Downstream: d, Target: d.Repo + "/" + d.Package, Message: s.err.Error(),
		})
		names[s.of.Name] = true
	}
	in.wanted = slices.DeleteFunc(slices.Clone(in.wanted),
		func(want v1alpha1.PackageVariant) bool { return names[want.Name] })
	return len(refused) > 0
}

// do does one step of a set, with or without a rollout.
func (r *Reconciler) do(ctx context.Context, s *step, inWaves bool) error {
	switch s.do {
	case create:
		return wrap("create", s.want, r.Sets.Create(ctx, s.want, objects.How{}))
	case update:
		return wrap("update", s.have, r.Sets.Update(ctx, s.have, s.want, objects.How{Exact: exact(s, inWaves)}))
	case remove:
		return wrap("delete", s.have, r.Sets.Delete(ctx, s.have))
	case keep, waiting, taken:
	}
	return nil
}

// wrap says what could not be done.
func wrap(what string, pv *v1alpha1.PackageVariant, err error) error {
	if err != nil {
		return fmt.Errorf("cannot %s PackageVariant %s: %w", what, pv.Name, err)
	}
	return nil
}

// exact reports whether an update must fail after a change by another writer: owner references are written as one list,
// and if two writers roll out a set, neither may undo what the other opened.
func exact(s *step, inWaves bool) bool {
	return inWaves || !equality.Semantic.DeepEqual(s.have.OwnerReferences, s.want.OwnerReferences)
}

// isBehind reports whether a step failed because the cache does not know the newest variants.
func isBehind(s *step) bool { return errors.Is(s.err, packages.ErrStale) }
