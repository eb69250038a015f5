// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/reconcile"
	"github.com/package-variants/package-variants/engine/sets"
	"k8s.io/apimachinery/pkg/types"
)

// In a round, what is not pushed has not happened: a server may refuse it. So a set, which opens waves, sees variants
// as the last push left them, and so does a variant that waits for another one.

// reconcile looks at all sets and variants until nothing more is written. What earlier rounds knew may be wrong, so
// each begins with reconcilers that know nothing.
func (s *syncer) reconcile(ctx context.Context) error {
	ofSets := s.sets()
	ofVariants := reconcile.New(reconcile.Ports{Packages: s.packages(), Known: s.home, Variants: s.store,
		Injected: s.source, Functions: mutate.Builtin{}},
		reconcile.Options{Version: s.version(), Now: s.store.log.Now})
	s.stood = s.published()
	for pass := range maxPasses {
		seen, again := s.store.log.Version(), false
		if pass == 0 || !s.home.Unpushed() {
			again = s.lookAtSets(ctx, ofSets)
		}
		variants := s.store.AllVariants()
		s.inherit(ctx, variants) // before those that a set lets go ask for removals
		for _, pv := range variants {
			if ctx.Err() == nil {
				again = s.lookAt(ctx, &pv, ofVariants) || again
			}
		}
		if err := ctx.Err(); err != nil || s.store.log.Version() == seen && !again {
			return err
		}
	}
	s.report.note("some variants have not come to rest: run it again")
	return nil
}

// lookAtSets looks at all sets, and reports whether that has to be done again at once.
func (s *syncer) lookAtSets(ctx context.Context, of *sets.Reconciler) (again bool) {
	for _, set := range s.store.AllSets() {
		key := objects.KeyOf(&set)
		if s.manifests.ProblemOf(setGroupKind, key.Namespace, key.Name) != nil {
			continue
		}
		wait, err := of.Reconcile(ctx, key)
		again = s.outcome(setKind+" "+key.String(), wait, err) || again
	}
	return again
}

// lookAt looks at a variant, and reports whether that has to be done again at once.
func (s *syncer) lookAt(ctx context.Context, pv *v1alpha1.PackageVariant, of *reconcile.Reconciler) (again bool) {
	key := objects.KeyOf(pv)
	held, err := s.held(ctx, key)
	if err == nil && !held {
		held, err = s.waits(ctx, pv)
	}
	if held || s.refused[key] {
		return false
	}
	var wait time.Duration
	if err == nil {
		err = s.renew(ctx, pv)
	}
	if err == nil {
		wait, err = of.Reconcile(ctx, key)
	}
	return s.outcome(variantKind+" "+key.String(), wait, err)
}

// published returns which revisions are published of the packages of variants.
func (s *syncer) published() map[types.NamespacedName]int {
	all := map[types.NamespacedName]int{}
	for _, pv := range s.store.AllVariants() {
		if d := pv.Status.Downstream; d != nil {
			all[objects.KeyOf(&pv)] = d.Revision
		}
	}
	return all
}

// waits reports whether a variant depends on one of which something is published in this round.
func (s *syncer) waits(ctx context.Context, pv *v1alpha1.PackageVariant) (bool, error) {
	for _, d := range pv.Spec.DependsOn {
		key := types.NamespacedName{Namespace: pv.Namespace, Name: d.Name}
		on, err := s.store.Variant(ctx, key.Namespace, key.Name)
		if err != nil {
			return false, err
		}
		if on != nil && on.Status.Downstream != nil && on.Status.Downstream.Revision != s.stood[key] {
			return true, nil
		}
	}
	return false, nil
}
