// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// The kinds of objects that are known as values. All others are kept as they are written in manifests.
var (
	variantKind = v1alpha1.GroupVersion.WithKind("PackageVariant").GroupKind()
	setKind     = v1alpha2.GroupVersion.WithKind(v1alpha2.PackageVariantSetKind).GroupKind()
)

// Objects implements objects.Sets over values.
type Objects struct {
	*objectsState
	around Around
}

var _ objects.Sets = (*Objects)(nil)

// objectsState is what all clients of the same objects share.
type objectsState struct {
	log *Log
	// Identify returns the UID of an object that is made; nil for one that says that the object is planned.
	Identify func(kind string, key types.NamespacedName) types.UID
	// Admit returns why a PackageVariant may not be stored; nil if all may.
	Admit func(ctx context.Context, pv *v1alpha1.PackageVariant) error
	// Unknown lists the objects of a kind that was never asked for in a namespace; nil for a world that has all objects.
	Unknown func(ctx context.Context, kind schema.GroupVersionKind, namespace string) ([]*unstructured.Unstructured, error)
	// removed is called with each variant that was removed; nil for nothing.
	removed func(owner metav1.Object)

	mu           sync.Mutex
	variants     *table[*v1alpha1.PackageVariant]
	sets         *table[*v1alpha2.PackageVariantSet]
	repositories *table[*objects.Repository]
	others       map[schema.GroupKind]*others
}

// location is the index of Repositories by their keys.
const location = "location"

// NewObjects returns Objects without any object, whose writes are in a Log.
func NewObjects(log *Log) *Objects {
	ofVariants := map[string]func(*v1alpha1.PackageVariant) []string{}
	for by, values := range objects.Indexes {
		ofVariants[string(by)] = values
	}
	return &Objects{objectsState: &objectsState{log: log, others: map[schema.GroupKind]*others{},
		variants: newTable(ofVariants), sets: newTable[*v1alpha2.PackageVariantSet](nil),
		repositories: newTable(map[string]func(*objects.Repository) []string{
			location: func(r *objects.Repository) []string { return r.Keys() },
		})}}
}

// clone returns Objects with the same objects, whose writes are in another Log.
func (o *Objects) clone(log *Log) *Objects {
	o.mu.Lock()
	defer o.mu.Unlock()
	c := &objectsState{log: log, Identify: o.Identify, Admit: o.Admit, Unknown: o.Unknown, variants: o.variants.clone(),
		sets: o.sets.clone(), repositories: o.repositories.clone(), others: map[schema.GroupKind]*others{}}
	for kind, all := range o.others {
		c.others[kind] = all.clone()
	}
	return &Objects{objectsState: c}
}

// Add adds an object, or replaces it, as it is: a PackageVariant, a PackageVariantSet, a Repository, or an
// Unstructured of another kind. One without a version gets one. This does not count as a write.
func (o *Objects) Add(object metav1.Object) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if object.GetResourceVersion() == "" {
		o.stamp(object)
	}
	o.put(object)
}

// Apply adds an object, or replaces it, as an API server does for people: with another version, and with another
// generation if its spec is another.
func (o *Objects) Apply(object metav1.Object) {
	o.mu.Lock()
	defer o.mu.Unlock()
	k, resource, changed := objects.KeyOf(object), "", false
	switch now := object.(type) {
	case *v1alpha1.PackageVariant:
		was := o.variants.all[k]
		resource, changed = Variants, was != nil && !equality.Semantic.DeepEqual(was.Spec, now.Spec)
	case *v1alpha2.PackageVariantSet:
		was := o.sets.all[k]
		resource, changed = Sets, was != nil && !equality.Semantic.DeepEqual(was.Spec, now.Spec)
	case *objects.Repository:
		resource = "repositories"
	}
	if changed {
		object.SetGeneration(object.GetGeneration() + 1)
	}
	o.log.Note(Write{Verb: "patch", Resource: resource, Name: k.Name})
	o.stamp(object)
	o.put(object)
}

// Make adds an object that there was not, as an API server does for people.
func (o *Objects) Make(object metav1.Object) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.make("", object)
}

// make completes an object that is made, and stores it. The lock must be held.
func (o *objectsState) make(kind string, object metav1.Object) {
	object.SetUID(o.identify(kind, objects.KeyOf(object)))
	object.SetGeneration(1)
	object.SetCreationTimestamp(o.log.second())
	o.stamp(object)
	o.put(object)
}

// put stores a copy of an object, or lets it go if it is being deleted and nothing holds it. The lock must be held.
func (o *objectsState) put(object metav1.Object) {
	k := objects.KeyOf(object)
	switch object := object.(type) {
	case *v1alpha1.PackageVariant:
		if object.DeletionTimestamp != nil && len(object.Finalizers) == 0 {
			o.remove(object)
			return
		}
		o.variants.put(k, object.DeepCopy())
	case *v1alpha2.PackageVariantSet:
		o.sets.put(k, object.DeepCopy())
	case *objects.Repository:
		copied := objects.Repository{ObjectMeta: *object.DeepCopy(), Repository: object.Repository}
		o.repositories.put(k, &copied)
	case *unstructured.Unstructured:
		o.kind(object.GroupVersionKind().GroupKind()).objects.put(k, object.DeepCopy())
	}
}

// Drop removes an object, regardless of its finalizers, and what it alone owns. This does not count as a write. An
// object that is not known yet stays away, too.
func (o *Objects) Drop(kind schema.GroupKind, k types.NamespacedName) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if pv := o.variants.all[k]; kind == variantKind && pv != nil {
		o.remove(pv)
	}
	if set := o.sets.all[k]; kind == setKind && set != nil {
		o.sets.drop(k)
		for _, pv := range o.variants.in(k.Namespace) {
			if ownedOnlyBy(pv.OwnerReferences, set) {
				o.delete(pv)
			}
		}
	}
	if kind == revision.RepositoryKind.GroupKind() {
		o.repositories.drop(k)
	}
	all := o.kind(kind)
	all.objects.drop(k)
	all.gone[k] = true
}

// ownedOnlyBy reports whether an object has one owner, and nothing else owns it.
func ownedOnlyBy(refs []metav1.OwnerReference, owner metav1.Object) bool {
	return len(refs) == 1 && refs[0].UID == owner.GetUID() && owner.GetUID() != ""
}

// BeginDeletion marks a Repository as being deleted, like one that has a finalizer.
func (o *Objects) BeginDeletion(k types.NamespacedName) {
	o.mu.Lock()
	defer o.mu.Unlock()
	r := o.repositories.all[k]
	if r == nil {
		return
	}
	now := objects.Repository{ObjectMeta: *r.DeepCopy(), Repository: r.Repository}
	now.Deleting, now.DeletionTimestamp = true, new(o.log.second())
	o.log.count()
	o.stamp(&now)
	o.put(&now)
}

// stamp gives an object that is written a version.
func (o *objectsState) stamp(object metav1.Object) {
	object.SetResourceVersion(fmt.Sprintf("%s%d", planned, o.log.Version()))
}

// identify returns the UID of an object that is made.
func (o *objectsState) identify(kind string, k types.NamespacedName) types.UID {
	if o.Identify == nil {
		return types.UID(planned + k.Name)
	}
	return o.Identify(kind, k)
}

// remove removes a variant, and what it alone owns, as a cluster's garbage collector does. The lock must be held.
func (o *objectsState) remove(pv *v1alpha1.PackageVariant) {
	o.variants.drop(objects.KeyOf(pv))
	if o.removed != nil {
		o.removed(pv)
	}
}

// delete removes a variant, or marks it as one that is being deleted if something holds it. The lock must be held.
func (o *objectsState) delete(pv *v1alpha1.PackageVariant) {
	if len(pv.Finalizers) == 0 {
		o.remove(pv)
	} else if pv.DeletionTimestamp == nil {
		now := pv.DeepCopy()
		now.DeletionTimestamp = new(o.log.second())
		now.Generation++
		o.stamp(now)
		o.put(now)
	}
}

// write does a write to a variant or a set.
func (o *Objects) write(w Write, do func() error) error {
	return o.around.through(w, func() error {
		o.mu.Lock()
		defer o.mu.Unlock()
		return do()
	})
}

// stale returns the error of a write that was decided on something that has changed, or is gone.
func stale(format string, args ...any) error {
	return &packages.Error{Kind: packages.ErrStale, Err: fmt.Errorf(format, args...)}
}

// admit asks whether a variant may be stored.
func (o *objectsState) admit(ctx context.Context, pv *v1alpha1.PackageVariant) error {
	if o.Admit == nil {
		return nil
	}
	err := o.Admit(ctx, pv)
	if _, ok := errors.AsType[*packages.Error](err); err == nil || ok {
		return err
	}
	return &packages.Error{Kind: packages.ErrRefused, Err: err}
}

// Variant implements objects.Variants.
func (o *Objects) Variant(_ context.Context, namespace, name string) (*v1alpha1.PackageVariant, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.variants.all[key{Namespace: namespace, Name: name}].DeepCopy(), nil
}

// Find implements objects.Variants.
func (o *Objects) Find(_ context.Context, namespace string, by objects.Index, value string) (
	[]v1alpha1.PackageVariant, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return values(o.variants.find(namespace, string(by), value)), nil
}

// AllVariants returns the PackageVariants of all namespaces, in order, to be read only.
func (o *Objects) AllVariants() []v1alpha1.PackageVariant {
	o.mu.Lock()
	defer o.mu.Unlock()
	return values(o.variants.in(""))
}

// AllSets returns the PackageVariantSets of all namespaces, in order, to be read only.
func (o *Objects) AllSets() []v1alpha2.PackageVariantSet {
	o.mu.Lock()
	defer o.mu.Unlock()
	return values(o.sets.in(""))
}

func values[T any](all []*T) []T {
	out := make([]T, len(all))
	for i, each := range all {
		out[i] = *each
	}
	return out
}

// Repository implements objects.Variants.
func (o *Objects) Repository(_ context.Context, namespace, name string) (*objects.Repository, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	r := o.repositories.all[key{Namespace: namespace, Name: name}]
	if r == nil {
		return nil, nil
	}
	return new(*r), nil
}

// RepositoriesAround implements objects.Variants.
func (o *Objects) RepositoriesAround(_ context.Context, address, directory string) (all []objects.Repository,
	err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, k := range revision.KeysAround(address, directory) {
		all = append(all, values(o.repositories.find("", location, k))...)
	}
	return all, nil
}

// Repositories implements objects.Sets.
func (o *Objects) Repositories(_ context.Context, namespace string) ([]objects.Repository, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return values(o.repositories.in(namespace)), nil
}

// WriteStatus implements objects.Variants.
func (o *Objects) WriteStatus(_ context.Context, before, pv *v1alpha1.PackageVariant) error {
	return o.change(before, pv, "status", true, func(now *v1alpha1.PackageVariant) error {
		now.Status = *pv.Status.DeepCopy()
		return nil
	})
}

// WriteFinalizers implements objects.Variants.
func (o *Objects) WriteFinalizers(_ context.Context, before, pv *v1alpha1.PackageVariant) error {
	return o.change(before, pv, "", true, func(now *v1alpha1.PackageVariant) error {
		now.Finalizers = slices.Clone(pv.Finalizers)
		return nil
	})
}

// change changes a variant that was before, and sets what pv is then. If exact is set, it must not have changed since.
func (o *Objects) change(before, pv *v1alpha1.PackageVariant, subresource string, exact bool,
	change func(*v1alpha1.PackageVariant) error) error {
	w := Write{Verb: "patch", Resource: Variants, Subresource: subresource, Name: before.Name}
	return o.write(w, func() error {
		was := o.variants.all[objects.KeyOf(before)]
		if was == nil || exact && was.ResourceVersion != before.ResourceVersion {
			return stale("PackageVariant %s has changed", before.Name)
		}
		now := was.DeepCopy()
		if err := change(now); err != nil {
			return err
		}
		o.log.Note(w)
		o.stamp(now)
		o.put(now)
		now.DeepCopyInto(pv)
		return nil
	})
}

// Set implements objects.Sets.
func (o *Objects) Set(_ context.Context, namespace, name string) (*v1alpha2.PackageVariantSet, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.sets.all[key{Namespace: namespace, Name: name}].DeepCopy(), nil
}

// Sets implements objects.Sets.
func (o *Objects) Sets(_ context.Context, namespace string) ([]v1alpha2.PackageVariantSet, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return values(o.sets.in(namespace)), nil
}

// WriteSetStatus implements objects.Sets.
func (o *Objects) WriteSetStatus(_ context.Context, before, set *v1alpha2.PackageVariantSet) error {
	w := Write{Verb: "patch", Resource: Sets, Subresource: "status", Name: before.Name}
	return o.write(w, func() error {
		was := o.sets.all[objects.KeyOf(before)]
		if was == nil || was.ResourceVersion != before.ResourceVersion {
			return stale("PackageVariantSet %s has changed", before.Name)
		}
		now := was.DeepCopy()
		now.Status = *set.Status.DeepCopy()
		o.log.Note(w)
		o.stamp(now)
		o.put(now)
		now.DeepCopyInto(set)
		return nil
	})
}

// errTried ends a write that was only to be tried.
var errTried = errors.New("tried")

// tried returns nil for a write that was only to be tried, and went well.
func tried(err error) error {
	if errors.Is(err, errTried) {
		return nil
	}
	return err
}

// client returns these objects, and for a write that is only tried without what is around writes.
func (o *Objects) client(try bool) *Objects {
	if try {
		return &Objects{objectsState: o.objectsState}
	}
	return o
}

// Create implements objects.Sets.
func (o *Objects) Create(ctx context.Context, pv *v1alpha1.PackageVariant, how objects.How) error {
	w := Write{Verb: "create", Resource: Variants, Name: pv.Name}
	return tried(o.client(how.Try).write(w, func() error {
		if err := o.admit(ctx, pv); err != nil {
			return err
		}
		if o.variants.all[objects.KeyOf(pv)] != nil {
			return stale("there is a PackageVariant %s", pv.Name)
		}
		if how.Try {
			return errTried
		}
		o.log.Note(w)
		o.make(variantKind.Kind, pv)
		return nil
	}))
}

// Update implements objects.Sets.
func (o *Objects) Update(ctx context.Context, before, pv *v1alpha1.PackageVariant, how objects.How) error {
	wanted := pv.DeepCopy()
	return tried(o.client(how.Try).change(before, pv, "", how.Exact, func(now *v1alpha1.PackageVariant) error {
		if takeChanges(now, before, wanted) {
			now.Generation++
			if err := o.admit(ctx, now); err != nil {
				return err
			}
		}
		if how.Try {
			return errTried
		}
		return nil
	}))
}

// takeChanges changes in a variant what differs between before and after, and reports whether its spec has changed.
func takeChanges(now, before, after *v1alpha1.PackageVariant) (respecified bool) {
	differs := func(a, b any) bool { return !equality.Semantic.DeepEqual(a, b) }
	if differs(before.Labels, after.Labels) {
		now.Labels = after.Labels
	}
	if differs(before.Annotations, after.Annotations) {
		now.Annotations = after.Annotations
	}
	if differs(before.OwnerReferences, after.OwnerReferences) {
		now.OwnerReferences = after.OwnerReferences
	}
	respecified = differs(before.Spec, after.Spec) && differs(now.Spec, after.Spec)
	if respecified {
		now.Spec = after.Spec
	}
	return respecified
}

// Delete implements objects.Sets.
func (o *Objects) Delete(_ context.Context, pv *v1alpha1.PackageVariant) error {
	w := Write{Verb: "delete", Resource: Variants, Name: pv.Name}
	return o.write(w, func() error {
		was := o.variants.all[objects.KeyOf(pv)]
		if was == nil || pv.UID != "" && was.UID != pv.UID {
			return nil
		}
		o.log.Note(w)
		o.delete(was)
		return nil
	})
}

// LiveVariants implements objects.Sets.
func (o *Objects) LiveVariants(_ context.Context, namespace string, set types.UID) ([]v1alpha1.PackageVariant, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var all []v1alpha1.PackageVariant
	for _, pv := range o.variants.in(namespace) {
		if pv.Labels[v1alpha2.OwnerLabel] == string(set) {
			all = append(all, *pv.DeepCopy())
		}
	}
	return all, nil
}

// LiveVariant implements objects.Sets.
func (o *Objects) LiveVariant(ctx context.Context, namespace, name string) (*v1alpha1.PackageVariant, error) {
	return o.Variant(ctx, namespace, name)
}
