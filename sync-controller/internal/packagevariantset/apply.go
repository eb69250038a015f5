// SPDX-License-Identifier: Apache-2.0

package packagevariantset

import (
	"context"
	"fmt"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// atOnce is how many steps are done at once: a request takes an API server some ten milliseconds, and the variants' own
// controller is to start in all Repositories.
const atOnce = 8

// apply does the steps and notes in each what went wrong with it. One Event tells of all.
func (r *Reconciler) apply(ctx context.Context, set *v1alpha2.PackageVariantSet, steps []step) {
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i := range steps {
		if s := &steps[i]; s.does() {
			group.Go(func() error {
				s.err = r.do(ctx, s, set.Spec.Rollout != nil)
				return nil // what failed keeps no other step from being done
			})
		}
	}
	_ = group.Wait()
	done := map[action]int{}
	for i := range steps {
		if s := &steps[i]; s.does() && s.err == nil {
			done[s.do]++
		}
	}
	if len(done) > 0 {
		r.event(set, corev1.EventTypeNormal, "VariantsChanged",
			fmt.Sprintf("created %d, updated %d and deleted %d PackageVariants", done[create], done[update], done[remove]))
	}
}

// do does one step, of a set with a rollout or without.
func (r *Reconciler) do(ctx context.Context, s *step, inWaves bool) error {
	switch s.do {
	case create:
		return wrap("create", s.want, r.client.Create(ctx, s.want))
	case update:
		return wrap("update", s.have, r.client.Patch(ctx, s.want, patchFrom(s, inWaves)))
	case remove:
		same := client.Preconditions{UID: &s.have.UID}
		return wrap("delete", s.have, client.IgnoreNotFound(r.client.Delete(ctx, s.have, same)))
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

// patchFrom returns the merge patch for an update. Owner references are patched as one list, so that the patch must not
// meet a change of another's; and of two that roll out a set, none may take back what the other has opened.
func patchFrom(s *step, inWaves bool) client.Patch {
	if !inWaves && equality.Semantic.DeepEqual(s.have.OwnerReferences, s.want.OwnerReferences) {
		return client.MergeFrom(s.have)
	}
	return client.MergeFromWithOptions(s.have, client.MergeFromWithOptimisticLock{})
}

// isBehind reports whether a step failed because the cache does not know the newest variants.
func isBehind(s *step) bool {
	return apierrors.IsConflict(s.err) || s.do == create && apierrors.IsAlreadyExists(s.err) || s.do == update &&
		apierrors.IsNotFound(s.err)
}
