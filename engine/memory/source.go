// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/package-variants/package-variants/engine/objects"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// others are the objects of a kind that are kept as manifests write them.
type others struct {
	objects *table[*unstructured.Unstructured]
	// asked are the namespaces whose objects were asked for, gone are the objects that were dropped.
	asked map[string]bool
	gone  map[key]bool
}

func (o *others) clone() *others {
	return &others{o.objects.clone(), maps.Clone(o.asked), maps.Clone(o.gone)}
}

// kind returns the other objects of a kind. The lock must be held.
func (o *objectsState) kind(kind schema.GroupKind) *others {
	if o.others[kind] == nil {
		o.others[kind] = &others{newTable[*unstructured.Unstructured](nil), map[string]bool{}, map[key]bool{}}
	}
	return o.others[kind]
}

// Object returns an object of another kind than those that are known as values, or else of a variant or a set, to be
// read only; nil if there is none.
func (o *Objects) Object(ctx context.Context, kind schema.GroupVersionKind, namespace, name string) (
	*unstructured.Unstructured, error) {
	if err := o.learn(ctx, kind, namespace); err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	k := key{Namespace: namespace, Name: name}
	var known any
	if pv := o.variants.all[k]; kind.GroupKind() == variantKind && pv != nil {
		known = pv
	}
	if set := o.sets.all[k]; kind.GroupKind() == setKind && set != nil {
		known = set
	}
	if known == nil {
		return o.kind(kind.GroupKind()).objects.all[k], nil
	}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(known)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{Object: object}
	u.SetGroupVersionKind(kind)
	return u, nil
}

// learn asks for the objects of a kind in a namespace, once. Objects that are known stay as they are.
func (o *Objects) learn(ctx context.Context, kind schema.GroupVersionKind, namespace string) error {
	o.mu.Lock()
	all := o.kind(kind.GroupKind())
	asked := all.asked[namespace] || o.Unknown == nil || kind.GroupKind() == variantKind || kind.GroupKind() == setKind
	o.mu.Unlock()
	if asked {
		return nil
	}
	found, err := o.Unknown(ctx, kind, namespace)
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	all.asked[namespace] = true
	for _, each := range found {
		if k := objects.KeyOf(each); all.objects.all[k] == nil && !all.gone[k] {
			all.objects.put(k, each)
		}
	}
	return nil
}

// metadata returns the metadata of the objects of a kind in a namespace, and of those in none.
func (o *Objects) metadata(ctx context.Context, kind schema.GroupVersionKind, namespace string) (
	[]*metav1.PartialObjectMetadata, error) {
	if err := o.learn(ctx, kind, namespace); err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	var out []*metav1.PartialObjectMetadata
	add := func(each metav1.Object) {
		if ns := each.GetNamespace(); ns == "" || ns == namespace {
			out = append(out, &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
				Name: each.GetName(), Namespace: ns, UID: each.GetUID(), ResourceVersion: each.GetResourceVersion(),
				Labels: each.GetLabels(), Annotations: each.GetAnnotations(),
			}})
		}
	}
	switch kind.GroupKind() {
	case variantKind:
		for _, pv := range o.variants.in(namespace) {
			add(pv)
		}
	case setKind:
		for _, set := range o.sets.in(namespace) {
			add(set)
		}
	default:
		for _, each := range o.kind(kind.GroupKind()).objects.in("") {
			add(each)
		}
	}
	return out, nil
}

// Source returns a source of the objects that there are. Each kind is read once, unless unreadable returns an error for
// it.
func (o *Objects) Source(unreadable func(context.Context, objects.Kind) error) objects.Source {
	list := func(ctx context.Context, kind objects.Kind) ([]*metav1.PartialObjectMetadata, error) {
		gv, err := schema.ParseGroupVersion(kind.APIVersion)
		if err = errors.Join(err, unreadable(ctx, kind)); err != nil {
			return nil, err
		}
		return o.metadata(ctx, gv.WithKind(kind.Kind), kind.Namespace)
	}
	get := func(ctx context.Context, r objects.Reference, namespace string) (map[string]any, error) {
		u, err := o.Object(ctx, schema.FromAPIVersionAndKind(r.APIVersion, r.Kind.Kind), namespace, r.Name)
		if err != nil {
			return nil, fmt.Errorf("cannot read the %s %q: %w", r.Kind.Kind, r.Name, err)
		}
		if u == nil {
			return nil, nil
		}
		return u.Object, nil
	}
	return objects.NewStatic(list, get)
}
