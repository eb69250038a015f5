// SPDX-License-Identifier: Apache-2.0

package sets

import (
	"context"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
)

// Changed reports whether a variant changed in a way that matters to the set that made it.
func Changed(before, after *v1alpha1.PackageVariant) bool {
	return before.Generation != after.Generation || readiness(before) != readiness(after) ||
		progressOf(before) != progressOf(after) ||
		before.Labels[v1alpha2.OwnerLabel] != after.Labels[v1alpha2.OwnerLabel] ||
		!equality.Semantic.DeepEqual(before.OwnerReferences, after.OwnerReferences)
}

// ByVariant returns the sets that own a variant, or that want one of its name and have none.
func (r *Reconciler) ByVariant(ctx context.Context, pv *v1alpha1.PackageVariant) ([]*v1alpha2.PackageVariantSet,
	error) {
	return r.affected(ctx, pv.Namespace, func(set *v1alpha2.PackageVariantSet) bool {
		return ownerOf(set).owns(pv) || r.lacks(set, pv.Name)
	})
}

// ByRevision returns the sets that may select a revision as an upstream, or that have variants of its package.
func (r *Reconciler) ByRevision(ctx context.Context, rev *revision.Revision) ([]*v1alpha2.PackageVariantSet, error) {
	pr := rev.ForExpansion()
	made, err := r.Sets.Find(ctx, rev.Namespace, objects.ByMadeFrom, packageOf(&pr).String())
	if err != nil {
		return nil, err
	}
	return r.affected(ctx, rev.Namespace, func(set *v1alpha2.PackageVariantSet) bool {
		return expansion.Candidates(set)(&pr) || hasMadeFrom(set, &pr, made)
	})
}

// ByRepository returns the sets that take upstreams from a Repository, or make packages in it.
func (r *Reconciler) ByRepository(ctx context.Context, namespace, name string) ([]*v1alpha2.PackageVariantSet, error) {
	return r.affected(ctx, namespace, func(set *v1alpha2.PackageVariantSet) bool { return mayUse(set, name) })
}

// affected returns the sets of a namespace that are.
func (r *Reconciler) affected(ctx context.Context, namespace string,
	are func(*v1alpha2.PackageVariantSet) bool) (affected []*v1alpha2.PackageVariantSet, err error) {
	all, err := r.Sets.Sets(ctx, namespace)
	for i := range all {
		if set := &all[i]; are(set) {
			affected = append(affected, set)
		}
	}
	return affected, err
}

// hasMadeFrom reports whether a set that selects its upstreams has variants of the package of a published revision, of
// those that were made from that. The set keeps them while the package has no revision at all, so it has to know of
// each, selected or not.
func hasMadeFrom(set *v1alpha2.PackageVariantSet, pr *expansion.PackageRevision, made []v1alpha1.PackageVariant) bool {
	if set.Spec.UpstreamSelector == nil || !takesFrom(set, pr.Repo) || !pr.IsNumbered() {
		return false
	}
	return slices.ContainsFunc(made, func(pv v1alpha1.PackageVariant) bool { return ownerOf(set).owns(&pv) })
}

// lacks reports whether a set wants a variant of a name and has none.
func (r *Reconciler) lacks(set *v1alpha2.PackageVariantSet, name string) bool {
	lacking, _ := r.lacking.Load(objects.KeyOf(set))
	names, _ := lacking.(map[string]bool)
	return names[name]
}

// mayUse reports whether a set takes its upstream from a Repository or may make packages in it: not if it only names
// others.
func mayUse(set *v1alpha2.PackageVariantSet, repository string) bool {
	return takesFrom(set, repository) || slices.ContainsFunc(set.Spec.Targets, func(t v1alpha2.Target) bool {
		return t.Repositories == nil || t.Template != nil && t.Template.Downstream != nil ||
			slices.ContainsFunc(t.Repositories, func(r v1alpha2.RepositoryTarget) bool { return r.Name == repository })
	})
}

// progress is the rest of what a set reads from a variant's status: how far a change has come.
type progress struct {
	generation       int64
	upstream         string
	open, conflicted bool
	waits            string // the reason of its open draft
}

func progressOf(pv *v1alpha1.PackageVariant) progress {
	p := progress{generation: pv.Status.ObservedGeneration,
		conflicted: meta.IsStatusConditionTrue(pv.Status.Conditions, v1alpha1.ConditionConflicted)}
	if u := pv.Status.Upstream; u != nil {
		p.upstream = u.Name
	}
	if d := pv.Status.OpenDraft; d != nil {
		p.waits = d.Reason
	}
	for _, d := range pv.Status.DownstreamTargets {
		p.open = p.open || d.Lifecycle != string(revision.Published)
	}
	return p
}
