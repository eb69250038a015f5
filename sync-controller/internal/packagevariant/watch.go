// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// trigger is what wakes variants: the events of a kind of objects that pass, and the variants that such an object
// affects.
type trigger struct {
	kind     client.Object
	passes   predicate.Predicate
	affected handler.MapFunc
}

// triggers are those of the variants, besides a change of a variant itself and of the objects that it names.
func (r *Reconciler) triggers() []trigger {
	return []trigger{
		{&v1alpha1.PackageVariant{}, predicate.GenerationChangedPredicate{}, r.conflicting},
		{&v1alpha1.PackageVariant{}, dependencyChanged(), r.related},
		{porch.NewRevision(), predicate.Funcs{}, r.affectedByRevision},
		{porch.NewRepository(), repositoryChanged(), r.affectedByRepository},
	}
}

// changed passes the events of a variant that matter to itself.
func changed() predicate.Predicate {
	return predicate.Or(predicate.GenerationChangedPredicate{}, tampered(), suspendReasonChanged())
}

// affectedByRevision returns the variants that own a revision, that make its package, or one inside it or around it,
// whose upstream it may be, or whose downstream was derived from it.
func (r *Reconciler) affectedByRevision(ctx context.Context, o client.Object) []ctrl.Request {
	rev, ok := porch.RevisionOf(o)
	if !ok {
		return nil
	}
	var requests []ctrl.Request
	for _, name := range revision.Variants(o) {
		requests = append(requests, ctrl.Request{NamespacedName: client.ObjectKey{Namespace: rev.Namespace, Name: name}})
	}
	if !rev.Main() {
		requests = append(requests, r.having(ctx, rev.Namespace, objects.ByDownstream, rev.Package.String(), nil)...)
		requests = append(requests, r.nested(ctx, rev.Namespace, rev.Package)...)
	}
	requests = append(requests, r.having(ctx, rev.Namespace, objects.ByUpstream, rev.Package.String(),
		func(pv *v1alpha1.PackageVariant) bool {
			return mayMean(pv.Spec.Upstream, &rev)
		})...)
	if !rev.Published() {
		return requests
	}
	requests = append(requests, r.bases(ctx, &rev)...)
	derived, err := r.derivedFrom(ctx, rev)
	if err != nil { // unexpected, as in variants
		log.FromContext(ctx).Error(err, "cannot find what was derived from a revision", "revision", rev.Name)
	}
	for i := range derived {
		requests = append(requests, r.having(ctx, rev.Namespace, objects.ByDownstream, derived[i].Package.String(),
			func(pv *v1alpha1.PackageVariant) bool {
				return revision.UpstreamOf(pv.Spec.Upstream) != rev.Package // the others are in the list already
			})...)
	}
	return requests
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

// affectedByRepository returns the variants that name a Repository, or one that overlaps it.
func (r *Reconciler) affectedByRepository(ctx context.Context, o client.Object) []ctrl.Request {
	requests := r.having(ctx, o.GetNamespace(), objects.ByRepository, o.GetName(), nil)
	repository, ok := porch.RepositoryOf(o)
	if !ok {
		return requests
	}
	others, err := r.overlapping(ctx, &repository)
	if err != nil { // unexpected, as in variants
		log.FromContext(ctx).Error(err, "cannot find the Repositories that overlap", "repository", o.GetName())
	}
	for i := range others {
		requests = append(requests, r.having(ctx, others[i].Namespace, objects.ByRepository, others[i].Name, nil)...)
	}
	return requests
}

// conflicting returns the other variants that make the package that a variant makes, or one inside it or around it.
func (r *Reconciler) conflicting(ctx context.Context, o client.Object) []ctrl.Request {
	pv, ok := o.(*v1alpha1.PackageVariant)
	if !ok || pv.Spec.Downstream == nil {
		return nil
	}
	pkg := revision.DownstreamOf(&pv.Spec)
	return append(r.nested(ctx, pv.Namespace, pkg), r.having(ctx, pv.Namespace, objects.ByDownstream, pkg.String(),
		func(other *v1alpha1.PackageVariant) bool { return other.Name != pv.Name })...)
}

// onUpdate passes the updates of a variant between which it differs, and all events that are no updates.
func onUpdate(differs func(before, after *v1alpha1.PackageVariant) bool) predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, okBefore := e.ObjectOld.(*v1alpha1.PackageVariant)
		after, okAfter := e.ObjectNew.(*v1alpha1.PackageVariant)
		return okBefore && okAfter && differs(before, after)
	}}
}

// tampered passes updates in which the controller's own data was removed: its memory in the status, or the finalizer.
func tampered() predicate.Predicate {
	return onUpdate(func(before, after *v1alpha1.PackageVariant) bool {
		return before.Status.ObservedInputs != "" && after.Status.ObservedInputs == "" ||
			controllerutil.ContainsFinalizer(before, v1alpha1.Finalizer) &&
				!controllerutil.ContainsFinalizer(after, v1alpha1.Finalizer)
	})
}

// suspendReasonChanged passes updates in which the reason of a suspended variant has changed.
func suspendReasonChanged() predicate.Predicate {
	return onUpdate(func(before, after *v1alpha1.PackageVariant) bool {
		return suspendReason(before) != suspendReason(after)
	})
}

// repositoryChanged passes the events of a Repository that matter to variants.
func repositoryChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, okBefore := porch.RepositoryOf(e.ObjectOld)
		after, okAfter := porch.RepositoryOf(e.ObjectNew)
		return !okBefore || !okAfter || before.Repository != after.Repository
	}}
}
