// SPDX-License-Identifier: Apache-2.0

package world

import (
	"cmp"
	"context"
	"fmt"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/live"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/manifestfile"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Delete deletes the objects that manifests name, as kubectl delete does, and returns the sets and variants among them.
// A missing one is an error.
func (w *World) Delete(ctx context.Context, manifests []manifestfile.Object, namespace string) (Named, error) {
	var named Named
	for _, m := range manifests {
		if err := mistyped(m); err != nil {
			return named, err
		}
		if kindOf(m).Group == porchapi.SchemeGroupVersion.Group {
			return named, fmt.Errorf("%s, line %d: a %s is made by Porch, and its deletion is not planned: leave it out of -f",
				m.Path, m.Line, kindOf(m).Kind)
		}
		there, err := w.delete(ctx, m, namespace, &named)
		if err != nil {
			return named, err
		}
		if !there {
			return named, fmt.Errorf("%s, line %d: cannot delete %s: it is not there", m.Path, m.Line, m.GetName())
		}
	}
	return named, nil
}

// Remove removes objects that are no longer applied, as a tool that prunes does, and returns the sets and variants
// among them. It skips missing objects.
func (w *World) Remove(ctx context.Context, objects []manifestfile.Object, namespace string) (Named, error) {
	var named Named
	for _, o := range objects {
		if kindOf(o).Group == porchapi.SchemeGroupVersion.Group {
			continue
		}
		if _, err := w.delete(ctx, o, namespace, &named); err != nil {
			return named, err
		}
	}
	return named, nil
}

// delete deletes an object, with everything that only it owns, as a cluster's garbage collector does, and reports
// whether it was there. Objects that are neither sets, nor variants, nor Repositories are taken to be there, as
// one that nobody uses was not read.
func (w *World) delete(ctx context.Context, o manifestfile.Object, namespace string, named *Named) (there bool,
	err error) {
	key := types.NamespacedName{Namespace: cmp.Or(o.GetNamespace(), namespace), Name: o.GetName()}
	switch kindOf(o) {
	case groupKind(live.Variant):
		pv, err := w.Objects.Variant(ctx, key.Namespace, key.Name)
		if pv == nil || err != nil {
			return false, err
		}
		named.Variants = append(named.Variants, key)
		return true, w.Objects.Delete(ctx, pv)
	case groupKind(live.Set):
		set, err := w.Objects.Set(ctx, key.Namespace, key.Name)
		if set == nil || err != nil {
			return false, err
		}
		named.Sets = append(named.Sets, key)
		named.addOwned(key, w.ownedOnlyBy(key.Namespace, set.UID))
	case groupKind(live.Repository):
		r, err := w.Objects.Repository(ctx, key.Namespace, key.Name)
		if err == nil {
			err = w.dropRevisions(ctx, key)
		}
		if r == nil || err != nil {
			return false, err
		}
	}
	w.Objects.Drop(kindOf(o), key)
	return true, nil
}

// ownedOnlyBy returns the variants that only a set owns.
func (w *World) ownedOnlyBy(namespace string, set types.UID) (names []string) {
	for _, pv := range w.Objects.AllVariants() {
		owners := pv.OwnerReferences
		if pv.Namespace == namespace && len(owners) == 1 && set != "" && owners[0].UID == set {
			names = append(names, pv.Name)
		}
	}
	return names
}

func (n *Named) addOwned(set types.NamespacedName, variants []string) {
	if n.Owned == nil {
		n.Owned = map[types.NamespacedName][]string{}
	}
	n.Owned[set] = variants
}

// dropRevisions drops the package revisions of a Repository, which Porch no longer shows.
func (w *World) dropRevisions(ctx context.Context, repository types.NamespacedName) error {
	revisions, err := w.Packages.Find(ctx, repository.Namespace, packages.All, "")
	for i := range revisions {
		if r := &revisions[i]; r.Package.Repo == repository.Name {
			w.Packages.Drop(r.Namespace, r.Name)
		}
	}
	return err
}

// kindOf returns the kind of an object, in any version.
func kindOf(o client.Object) schema.GroupKind {
	return o.GetObjectKind().GroupVersionKind().GroupKind()
}

// groupKind returns the group and kind of a kind.
func groupKind(k live.Kind) schema.GroupKind { return schema.GroupKind{Group: k.Group(), Kind: k.Name} }
