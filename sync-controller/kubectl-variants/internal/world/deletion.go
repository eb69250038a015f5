// SPDX-License-Identifier: Apache-2.0

package world

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/sync-controller/internal/memory"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/live"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/snapshot"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Delete deletes the objects that manifests name, as kubectl delete does. A missing one is an error.
func Delete(ctx context.Context, w *memory.World, manifests []snapshot.Object, namespace string) (Named, error) {
	d := deletion{world: w, namespace: namespace, ofSets: owned{}}
	for _, m := range manifests {
		if err := mistyped(m); err != nil {
			return d.named, err
		}
		if kindOf(m).Group == porchapi.SchemeGroupVersion.Group {
			return d.named, fmt.Errorf("%s, line %d: a %s is made by Porch, and its deletion is not planned: leave it out of -f",
				m.Path, m.Line, kindOf(m).Kind)
		}
		do := d.deleteOther
		if isPlanned(kindOf(m)) {
			do = d.delete
		}
		err := do(ctx, m)
		if apierrors.IsNotFound(err) {
			return d.named, fmt.Errorf("%s, line %d: cannot delete %s: it is not there", m.Path, m.Line, m.GetName())
		}
		if err != nil {
			return d.named, err
		}
	}
	return d.ended(ctx)
}

// Remove removes objects that are no longer applied, as a tool that prunes does, and returns the sets and variants
// among them. It skips missing objects.
func Remove(ctx context.Context, w *memory.World, objects []snapshot.Object, namespace string) (Named, error) {
	d := deletion{world: w, namespace: namespace, ofSets: owned{}}
	for _, o := range objects {
		var err error
		switch kind := kindOf(o); {
		case isPlanned(kind):
			err = client.IgnoreNotFound(d.delete(ctx, o))
		case kind.Group == porchapi.SchemeGroupVersion.Group: // Porch's own objects
		default:
			err = d.drop(ctx, o)
		}
		if err != nil {
			return d.named, err
		}
	}
	return d.ended(ctx)
}

// deletion deletes objects from a world.
type deletion struct {
	world     *memory.World
	namespace string
	named     Named
	// ofSets are the deleted variants that sets own.
	ofSets owned
}

// ended returns what was deleted, with the notes about it.
func (d *deletion) ended(ctx context.Context) (Named, error) {
	var err error
	d.named.Notes, err = d.ofSets.notes(ctx, d.world, d.named.Sets, "creates them again while it targets them")
	return d.named, err
}

// keyOf returns the key of an object; without a namespace, it is in that of the deletion.
func (d *deletion) keyOf(o client.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: cmp.Or(o.GetNamespace(), d.namespace), Name: o.GetName()}
}

// delete deletes a set or a variant, with everything that only a set owns, as a cluster's garbage collector does.
func (d *deletion) delete(ctx context.Context, o snapshot.Object) error {
	key := d.keyOf(o)
	meta := metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}
	if kindOf(o) == groupKind(live.Variant) {
		var before v1alpha1.PackageVariant
		if err := d.world.Get(ctx, key, &before); err != nil {
			return err
		}
		d.ofSets.add(&before)
		if err := d.world.Delete(ctx, &v1alpha1.PackageVariant{ObjectMeta: meta}); err != nil {
			return err
		}
		d.named.Variants = append(d.named.Variants, key)
		return nil
	}
	owned, err := d.owned(ctx, key)
	if err != nil {
		return err
	}
	if err := d.world.Delete(ctx, &v1alpha2.PackageVariantSet{ObjectMeta: meta}); err != nil {
		return err
	}
	d.named.Sets = append(d.named.Sets, key)
	if d.named.Owned == nil {
		d.named.Owned = map[types.NamespacedName][]string{}
	}
	d.named.Owned[key] = owned
	return nil
}

// owned returns the variants that only a set owns.
func (d *deletion) owned(ctx context.Context, key types.NamespacedName) ([]string, error) {
	var set v1alpha2.PackageVariantSet
	if err := d.world.Get(ctx, key, &set); err != nil {
		return nil, err
	}
	var variants v1alpha1.PackageVariantList
	if err := d.world.List(ctx, &variants, client.InNamespace(key.Namespace)); err != nil {
		return nil, err
	}
	var names []string
	for i := range variants.Items {
		owners := variants.Items[i].OwnerReferences
		if len(owners) == 1 && set.UID != "" && owners[0].UID == set.UID {
			names = append(names, variants.Items[i].Name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// deleteOther deletes an object that is neither a set nor a variant. Of those, only the absence of a Repository is an
// error: a snapshot need not have the kinds that no set and no variant uses.
func (d *deletion) deleteOther(ctx context.Context, o snapshot.Object) error {
	if kindOf(o) == groupKind(live.Repository) {
		if err := d.world.Get(ctx, d.keyOf(o), &configapi.Repository{}); err != nil {
			return err
		}
	}
	return d.drop(ctx, o)
}

// drop drops an object that is neither a set nor a variant; with a Repository its package revisions, which Porch no
// longer shows.
func (d *deletion) drop(ctx context.Context, o snapshot.Object) error {
	key := d.keyOf(o)
	if kindOf(o) == groupKind(live.Repository) {
		if err := d.dropRevisions(ctx, key); err != nil {
			return err
		}
	}
	d.world.Drop(kindOf(o), key)
	return nil
}

// dropRevisions drops the package revisions of a Repository.
func (d *deletion) dropRevisions(ctx context.Context, key types.NamespacedName) error {
	var revisions porchapi.PackageRevisionList
	if err := d.world.List(ctx, &revisions, client.InNamespace(key.Namespace)); err != nil {
		return err
	}
	for i := range revisions.Items {
		if pr := &revisions.Items[i]; pr.Spec.RepositoryName == key.Name {
			d.world.Drop(groupKind(live.Revision), client.ObjectKeyFromObject(pr))
		}
	}
	return nil
}

// kindOf returns the kind of an object, in any version.
func kindOf(o client.Object) schema.GroupKind {
	return o.GetObjectKind().GroupVersionKind().GroupKind()
}

// groupKind returns the group and kind of a kind.
func groupKind(k live.Kind) schema.GroupKind { return schema.GroupKind{Group: k.Group(), Kind: k.Name} }

// isPlanned reports whether plans are about objects of a kind.
func isPlanned(kind schema.GroupKind) bool {
	return kind == groupKind(live.Variant) || kind == groupKind(live.Set)
}
