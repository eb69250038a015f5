// SPDX-License-Identifier: Apache-2.0

package sets

import (
	"context"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"k8s.io/apimachinery/pkg/types"
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
	if r.Looked == nil {
		return
	}
	names := byAction(steps)
	l := &Look{Created: names[create], Updated: names[update], Deleted: names[remove], Held: held.reason != "",
		Condition: o.condition, Err: o.err, Rollout: set.Status.Rollout.DeepCopy(), Waves: in.waves}
	for name := range in.heldBack {
		l.HeldBack = append(l.HeldBack, name)
	}
	r.Looked(l)
}

// Owned returns the names of the variants that are a set's now.
func (r *Reconciler) Owned(ctx context.Context, key types.NamespacedName) ([]string, error) {
	set, err := r.Sets.Set(ctx, key.Namespace, key.Name)
	if err != nil || set == nil {
		return nil, err
	}
	owned, err := r.ownedBy(ctx, set)
	names := make([]string, len(owned))
	for i := range owned {
		names[i] = owned[i].Name
	}
	return names, err
}
