// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/manifestfile"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Overlay applies manifests to the world, as kubectl apply does, and returns the sets and variants among them. Objects
// without a namespace get the given one. It assumes that Porch can read new Repositories and finds nothing in them, and
// says so in Notes.
func (w *World) Overlay(ctx context.Context, manifests []manifestfile.Object, namespace string) (Named, error) {
	var named Named
	var repositories []string
	if err := settle(manifests, namespace); err != nil {
		return named, err
	}
	for _, m := range manifests {
		if err := acceptable(m); err != nil {
			return named, err
		}
		there, err := w.apply(ctx, m.Object)
		if err != nil {
			return named, fmt.Errorf("%s, line %d: %w", m.Path, m.Line, err)
		}
		switch m.Object.(type) {
		case *v1alpha1.PackageVariant:
			named.Variants = append(named.Variants, objects.KeyOf(m))
		case *v1alpha2.PackageVariantSet:
			named.Sets = append(named.Sets, objects.KeyOf(m))
		case *configapi.Repository:
			named.Known++
			if !there {
				repositories = append(repositories, m.GetName())
			}
		default:
			gvk := m.GetObjectKind().GroupVersionKind()
			named.Used = append(named.Used, fmt.Sprintf("%s (%s)", gvk.Kind, gvk.GroupVersion()))
			if there {
				named.Known++
			}
		}
	}
	if len(repositories) > 0 {
		named.Notes = []string{"Assumes that Porch can read these new Repositories and finds no packages " +
			"in them: " + strings.Join(repositories, ", ")}
	}
	named.Used = slices.Compact(slices.Sorted(slices.Values(named.Used)))
	return named, nil
}

// settle gives manifests without a namespace the given one. An object that is there twice with different content is an
// error: the order of files does not say which one is meant.
func settle(manifests []manifestfile.Object, namespace string) error {
	type identity struct {
		kind schema.GroupVersionKind
		key  types.NamespacedName
	}
	seen := make(map[identity]manifestfile.Object, len(manifests))
	for _, m := range manifests {
		if m.GetNamespace() == "" {
			m.SetNamespace(namespace)
		}
		id := identity{m.GetObjectKind().GroupVersionKind(), objects.KeyOf(m)}
		if first, twice := seen[id]; twice && !equality.Semantic.DeepEqual(first.Object, m.Object) {
			return fmt.Errorf("%s %s is twice in what -f names, with different content, in %s, line %d, and %s, line %d: "+
				"remove one of them", id.kind.Kind, m.GetName(), first.Path, first.Line, m.Path, m.Line)
		}
		seen[id] = m
	}
	return nil
}

// acceptable returns an error for a manifest of a kind that a plan cannot handle.
func acceptable(m manifestfile.Object) error {
	gvk := m.GetObjectKind().GroupVersionKind()
	if gvk.Group == porchapi.SchemeGroupVersion.Group {
		return fmt.Errorf("%s, line %d: a %s is made by Porch, and is not planned: leave it out of -f", m.Path, m.Line,
			gvk.Kind)
	}
	return mistyped(m)
}

// apply applies an object, and reports whether it was there.
func (w *World) apply(ctx context.Context, o client.Object) (there bool, err error) {
	before, err := w.get(ctx, o)
	if err != nil {
		return false, err
	}
	if before == nil {
		if r, ok := o.(*configapi.Repository); ok {
			meta.SetStatusCondition(&r.Status.Conditions, metav1.Condition{Type: configapi.RepositoryReady,
				Status: metav1.ConditionTrue, Reason: configapi.ReasonReady, Message: "it is taken to be ready"})
		}
		w.Objects.Make(valueOf(o))
		return false, nil
	}
	if after := merged(before, o); !same(before, after) {
		w.Objects.Apply(after)
	}
	return true, nil
}

// get returns the object that the world has in place of another; nil if there is none.
func (w *World) get(ctx context.Context, o client.Object) (metav1.Object, error) {
	namespace, name := o.GetNamespace(), o.GetName()
	switch o.(type) {
	case *v1alpha1.PackageVariant:
		return found(w.Objects.Variant(ctx, namespace, name))
	case *v1alpha2.PackageVariantSet:
		return found(w.Objects.Set(ctx, namespace, name))
	case *configapi.Repository:
		return found(w.Objects.Repository(ctx, namespace, name))
	}
	return found(w.Objects.Object(ctx, o.GetObjectKind().GroupVersionKind(), namespace, name))
}

// found returns an object, or nil.
func found[T any, O interface {
	*T
	metav1.Object
}](o O, err error) (metav1.Object, error) {
	if o == nil {
		return nil, err
	}
	return o, err
}

// merged returns an object with the labels, annotations and content of a manifest, and the rest of the earlier object.
func merged(before metav1.Object, after client.Object) metav1.Object {
	said := lastApplied(before)
	after.SetUID(before.GetUID())
	after.SetResourceVersion(before.GetResourceVersion())
	after.SetGeneration(before.GetGeneration())
	after.SetCreationTimestamp(before.GetCreationTimestamp())
	after.SetDeletionTimestamp(before.GetDeletionTimestamp())
	after.SetFinalizers(before.GetFinalizers())
	after.SetOwnerReferences(before.GetOwnerReferences())
	after.SetLabels(union(before.GetLabels(), said.Metadata.Labels, after.GetLabels()))
	after.SetAnnotations(union(before.GetAnnotations(), said.Metadata.Annotations, after.GetAnnotations()))
	value := valueOf(after)
	switch was := before.(type) {
	case *v1alpha1.PackageVariant:
		if m, ok := value.(*v1alpha1.PackageVariant); ok {
			m.Status = was.Status
		}
	case *v1alpha2.PackageVariantSet:
		if m, ok := value.(*v1alpha2.PackageVariantSet); ok {
			m.Status = was.Status
		}
	case *objects.Repository:
		if m, ok := value.(*objects.Repository); ok {
			m.Ready, m.Reading, m.Message = was.Ready, was.Reading, was.Message
		}
	}
	return value
}

// manifest has the parts of a manifest that others may have added to.
type manifest struct {
	Metadata struct{ Labels, Annotations map[string]string }
}

// lastApplied returns the last applied manifest as kubectl apply recorded it; an empty one if there is no record.
func lastApplied(o metav1.Object) (said manifest) {
	if json.Unmarshal([]byte(o.GetAnnotations()[corev1.LastAppliedConfigAnnotation]), &said) != nil {
		return manifest{}
	}
	return said
}

// union returns the earlier labels of an object, without those that the manifest no longer has, and with those that it
// has.
func union(before, said, manifest map[string]string) map[string]string {
	out := map[string]string{}
	for key, value := range before {
		if _, applied := said[key]; !applied {
			out[key] = value
		}
	}
	maps.Copy(out, manifest)
	if len(out) == 0 {
		return nil
	}
	return out
}

// same reports whether an object is as it was, except for its status and the API server's metadata.
func same(before, after metav1.Object) bool {
	return maps.Equal(before.GetLabels(), after.GetLabels()) &&
		maps.Equal(before.GetAnnotations(), after.GetAnnotations()) &&
		equality.Semantic.DeepEqual(contentOf(before), contentOf(after))
}

// contentOf returns the content of an object.
func contentOf(o metav1.Object) any {
	switch o := o.(type) {
	case *v1alpha1.PackageVariant:
		return o.Spec
	case *v1alpha2.PackageVariantSet:
		return o.Spec
	case *objects.Repository:
		return o.Repository
	case *unstructured.Unstructured:
		content := maps.Clone(o.Object)
		for _, field := range []string{"metadata", "status", "apiVersion", "kind"} {
			delete(content, field)
		}
		return content
	}
	return o
}
