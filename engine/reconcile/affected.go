// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"context"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
)

// Changed reports whether a variant changed in a way that matters to itself: its generation, why it is suspended, or
// that its memory in the status, or its finalizer, was taken from it.
func Changed(before, after *v1alpha1.PackageVariant) bool {
	return before.Generation != after.Generation || suspendReason(before) != suspendReason(after) ||
		before.Status.ObservedInputs != "" && after.Status.ObservedInputs == "" ||
		hasFinalizer(before) && !hasFinalizer(after)
}

// ChangedForOthers reports whether a variant changed in what other variants ask of it by spec.dependsOn.
func ChangedForOthers(before, after *v1alpha1.PackageVariant) bool {
	return readiness(before) != readiness(after) ||
		!equality.Semantic.DeepEqual(before.Spec.DependsOn, after.Spec.DependsOn)
}

// Affected finds the variants that a change concerns, by the ports.
type Affected struct {
	Variants objects.Variants
	Known    packages.Known
}

// ByRevision returns the variants that own a revision, that make its package, or one inside it or around it, whose
// upstream it may be, or whose downstream was derived from it.
func (a *Affected) ByRevision(ctx context.Context, rev revision.Revision) ([]types.NamespacedName, error) {
	var all []types.NamespacedName
	for _, name := range revision.Variants(rev.Owners) {
		all = append(all, types.NamespacedName{Namespace: rev.Namespace, Name: name})
	}
	f := finding{Affected: a, ctx: ctx}
	all = append(all, f.having(rev.Namespace, objects.ByDownstream, rev.Package.String(), nil)...)
	if !rev.Main() {
		all = append(all, f.nested(rev.Namespace, rev.Package)...)
	}
	all = append(all, f.having(rev.Namespace, objects.ByUpstream, rev.Package.String(),
		func(pv *v1alpha1.PackageVariant) bool { return mayMean(pv.Spec.Upstream, &rev) })...)
	if rev.Published() {
		all = append(all, f.downstreams(rev)...)
	}
	return all, f.err
}

// ByRepository returns the variants that name a Repository, or one that overlaps it.
func (a *Affected) ByRepository(ctx context.Context, repository *objects.Repository) ([]types.NamespacedName, error) {
	f := finding{Affected: a, ctx: ctx}
	all := f.having(repository.Namespace, objects.ByRepository, repository.Name, nil)
	others, err := overlapping(ctx, a.Variants, repository)
	f.note(err)
	for i := range others {
		all = append(all, f.having(others[i].Namespace, objects.ByRepository, others[i].Name, nil)...)
	}
	return all, f.err
}

// ByClaim returns the other variants that make the package that a variant makes, or one inside it or around it.
func (a *Affected) ByClaim(ctx context.Context, pv *v1alpha1.PackageVariant) ([]types.NamespacedName, error) {
	if pv.Spec.Downstream == nil {
		return nil, nil
	}
	f, pkg := finding{Affected: a, ctx: ctx}, revision.DownstreamOf(&pv.Spec)
	all := append(f.nested(pv.Namespace, pkg), f.having(pv.Namespace, objects.ByDownstream, pkg.String(),
		func(other *v1alpha1.PackageVariant) bool { return other.Name != pv.Name })...)
	return all, f.err
}

// ByDependency returns the variants that depend on one, and its own dependencies that are being deleted, which wait for
// it.
func (a *Affected) ByDependency(ctx context.Context, pv *v1alpha1.PackageVariant) ([]types.NamespacedName, error) {
	f := finding{Affected: a, ctx: ctx}
	all := f.having(pv.Namespace, objects.ByDependency, pv.Name, nil)
	for i := range pv.Spec.DependsOn {
		dependency, err := a.Variants.Variant(ctx, pv.Namespace, pv.Spec.DependsOn[i].Name)
		f.note(err)
		if dependency != nil && !dependency.DeletionTimestamp.IsZero() {
			all = append(all, objects.KeyOf(dependency))
		}
	}
	return all, f.err
}

// finding is a search for variants. It goes on after an error, the first of which it keeps.
type finding struct {
	*Affected
	ctx context.Context
	err error
}

func (f *finding) note(err error) {
	if f.err == nil {
		f.err = err
	}
}

// having returns the variants with a value in an index, if keep, unless it is nil, returns true for them.
func (f *finding) having(namespace string, by objects.Index, value string,
	keep func(*v1alpha1.PackageVariant) bool) (all []types.NamespacedName) {
	found, err := f.Variants.Find(f.ctx, namespace, by, value)
	f.note(err)
	for i := range found {
		if pv := &found[i]; keep == nil || keep(pv) {
			all = append(all, objects.KeyOf(pv))
		}
	}
	return all
}

// nested returns the variants that make packages inside a package, or around it.
func (f *finding) nested(namespace string, pkg revision.Package) []types.NamespacedName {
	all := f.having(namespace, objects.Inside, pkg.String(), nil)
	for _, around := range pkg.Ancestors() {
		all = append(all, f.having(namespace, objects.ByDownstream, around.String(), nil)...)
	}
	return all
}

// downstreams returns the variants whose packages were derived from a revision, though it is not of their upstream.
func (f *finding) downstreams(rev revision.Revision) (all []types.NamespacedName) {
	located := []revision.Revision{rev}
	f.note(f.locate(f.ctx, located))
	derived, err := f.derived(f.ctx, rev.Namespace, &located[0])
	f.note(err)
	for i := range derived {
		all = append(all, f.having(rev.Namespace, objects.ByDownstream, derived[i].Package.String(),
			func(pv *v1alpha1.PackageVariant) bool { return revision.UpstreamOf(pv.Spec.Upstream) != rev.Package })...)
	}
	return all
}

// mayMean reports whether an upstream may mean a revision of its package, now or once other revisions are gone.
func mayMean(u *variant.Upstream, r *revision.Revision) bool {
	tag, floating := u.Revision.Tag()
	number, fixed := u.Revision.Number()
	switch {
	case u.WorkspaceName != "" && (u.Revision.IsZero() || u.Revision.Branch() || r.Workspace == u.WorkspaceName):
		return r.Workspace == u.WorkspaceName
	case floating:
		return r.Published() && !r.Main() && (tag == variant.TagLatest || r.Labels[variant.TagLabelPrefix+tag] == "true")
	case fixed && number > 0:
		return r.Number == number
	default:
		return r.Published() // the main branch: every published revision is on it
	}
}

// hasFinalizer reports whether a variant has the finalizer.
func hasFinalizer(pv *v1alpha1.PackageVariant) bool {
	return slices.Contains(pv.Finalizers, v1alpha1.Finalizer)
}
