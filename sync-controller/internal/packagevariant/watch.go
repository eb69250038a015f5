// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/reconcile"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
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
func triggers(affected *reconcile.Affected) []trigger {
	return []trigger{
		{&v1alpha1.PackageVariant{}, predicate.GenerationChangedPredicate{}, ofVariant(affected.ByClaim)},
		{&v1alpha1.PackageVariant{}, onUpdate(reconcile.ChangedForOthers), ofVariant(affected.ByDependency)},
		{porch.NewRevision(), predicate.Funcs{}, func(ctx context.Context, o client.Object) []ctrl.Request {
			rev, ok := porch.RevisionOf(o)
			if !ok {
				return nil
			}
			return requests(ctx, o, func() ([]types.NamespacedName, error) { return affected.ByRevision(ctx, rev) })
		}},
		{porch.NewRepository(), repositoryChanged(), func(ctx context.Context, o client.Object) []ctrl.Request {
			repository, ok := porch.RepositoryOf(o)
			if !ok {
				return nil
			}
			return requests(ctx, o, func() ([]types.NamespacedName, error) { return affected.ByRepository(ctx, &repository) })
		}},
	}
}

// ofVariant returns the function of a trigger by variants.
func ofVariant(find func(context.Context, *v1alpha1.PackageVariant) ([]types.NamespacedName, error)) handler.MapFunc {
	return func(ctx context.Context, o client.Object) []ctrl.Request {
		pv, ok := o.(*v1alpha1.PackageVariant)
		if !ok {
			return nil
		}
		return requests(ctx, o, func() ([]types.NamespacedName, error) { return find(ctx, pv) })
	}
}

// requests returns the variants that an object affects.
func requests(ctx context.Context, o client.Object, find func() ([]types.NamespacedName, error)) []ctrl.Request {
	found, err := find()
	if err != nil { // the cache lacks an index, which a test would have found
		log.FromContext(ctx).Error(err, "cannot find the variants that an object affects", "object",
			client.ObjectKeyFromObject(o))
	}
	all := make([]ctrl.Request, len(found))
	for i := range found {
		all[i].NamespacedName = found[i]
	}
	return all
}

// onUpdate passes the updates of a variant between which it differs, and all events that are no updates.
func onUpdate(differs func(before, after *v1alpha1.PackageVariant) bool) predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, okBefore := e.ObjectOld.(*v1alpha1.PackageVariant)
		after, okAfter := e.ObjectNew.(*v1alpha1.PackageVariant)
		return okBefore && okAfter && differs(before, after)
	}}
}

// repositoryChanged passes the events of a Repository that matter to variants.
func repositoryChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, okBefore := porch.RepositoryOf(e.ObjectOld)
		after, okAfter := porch.RepositoryOf(e.ObjectNew)
		return !okBefore || !okAfter || before.Repository != after.Repository
	}}
}
