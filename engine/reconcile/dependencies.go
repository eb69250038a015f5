// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"context"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/objects"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// observeDependencies finds the variants of spec.dependsOn, and the path by which they lead back to the variant.
func (r *Reconciler) observeDependencies(ctx context.Context, o *observation) error {
	if o.Deleting || len(o.Spec.DependsOn) == 0 {
		return nil
	}
	for i := range o.Spec.DependsOn {
		wanted := &o.Spec.DependsOn[i]
		d := decide.Dependency{Name: wanted.Name, AtLeast: wanted.AtLeast()}
		pv, err := r.Variants.Variant(ctx, o.pv.Namespace, wanted.Name)
		if err != nil {
			return err
		}
		if pv != nil {
			state := readiness(pv)
			d.Found, d.Ready, d.Message, d.Published = true, state.ready, state.message, state.published
		}
		o.Dependencies = append(o.Dependencies, d)
	}
	way, err := r.wayBack(ctx, o.pv, o.pv.Name, map[string]bool{})
	if err == nil && way != nil {
		o.Cycle = append([]string{o.pv.Name}, way...)
	}
	return err
}

// wayBack returns the path from a variant's dependencies to the given name, which is the last; nil if there is no path.
// It visits each variant once.
func (r *Reconciler) wayBack(ctx context.Context, from *v1alpha1.PackageVariant, to string,
	visited map[string]bool) ([]string, error) {
	for i := range from.Spec.DependsOn {
		name := from.Spec.DependsOn[i].Name
		if name == to {
			return []string{to}, nil
		}
		if visited[name] {
			continue
		}
		visited[name] = true
		next, err := r.Variants.Variant(ctx, from.Namespace, name)
		if err != nil {
			return nil, err
		}
		if next == nil {
			continue
		}
		if way, err := r.wayBack(ctx, next, to, visited); way != nil || err != nil {
			return append([]string{name}, way...), err
		}
	}
	return nil, nil
}

// observeDependents finds the variants with packages that depend on one that is being deleted. Its own dependencies do
// not count: one variant of a cycle has to go first.
func (r *Reconciler) observeDependents(ctx context.Context, o *observation) error {
	if !o.Deleting {
		return nil
	}
	variants, err := r.Variants.Find(ctx, o.pv.Namespace, objects.ByDependency, o.pv.Name)
	if err != nil {
		return err
	}
	for i := range variants {
		pv := &variants[i]
		if len(pv.Status.OwnedRevisions) == 0 || pv.Name == o.pv.Name {
			continue
		}
		way, err := r.wayBack(ctx, o.pv, pv.Name, map[string]bool{})
		if err != nil {
			return err
		}
		if way == nil {
			o.Dependents = append(o.Dependents, pv.Name)
		}
	}
	slices.Sort(o.Dependents)
	return nil
}

// ready is what the dependents of a variant need from its status: whether it is ready, why it is not if only a person
// can help, its latest published revision, and whether it owns any. Its next steps are left out: otherwise each step in
// a long chain would cause a write to every variant.
type ready struct {
	ready     bool
	message   string
	published int
	owns      bool
}

func readiness(pv *v1alpha1.PackageVariant) ready {
	state := ready{owns: len(pv.Status.OwnedRevisions) > 0}
	if pv.Status.Downstream != nil {
		state.published = pv.Status.Downstream.Revision
	}
	c := meta.FindStatusCondition(pv.Status.Conditions, v1alpha1.ConditionReady)
	if c != nil && c.ObservedGeneration == pv.Generation {
		state.ready = c.Status == metav1.ConditionTrue && pv.DeletionTimestamp.IsZero()
		if meta.IsStatusConditionTrue(pv.Status.Conditions, v1alpha1.ConditionStalled) {
			state.message = c.Message
		}
	}
	return state
}
