// SPDX-License-Identifier: Apache-2.0

// Package world makes the world for a plan: what a cluster has, with manifests applied on top. It has no access that
// could write to a cluster.
package world

import (
	"cmp"
	"context"
	"fmt"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/memory"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/local/admission"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// World is the world of a plan.
type World struct{ *memory.World }

// Named are the sets and variants that a plan is about.
type Named struct {
	plans.Keys
	// Owned are the variants that go with a deleted set, by set.
	Owned map[types.NamespacedName][]string
	// Used are the kinds of all other objects, sorted. Known is how many of those objects existed before, or are
	// Repositories.
	Used  []string
	Known int
	// Notes say what is assumed because it cannot be known.
	Notes []string
}

// Render returns what Porch makes of the files of a package when it saves them. The error is that of a pipeline.
type Render = func(ctx context.Context, files map[string]string) (map[string]string, error)

// What a world asks for: the files that a package revision has, and the objects of a kind that were not read.
type (
	contents = func(ctx context.Context, namespace, name string) (map[string]string, error)
	unknown  = func(ctx context.Context, kind schema.GroupVersionKind, namespace string) (
		[]*unstructured.Unstructured, error)
)

// newWorld returns a world without objects.
func newWorld(render Render, read contents, list unknown) *World {
	w := &World{World: memory.New(memory.Options{Render: render, Contents: read})}
	w.Objects.Admit, w.Objects.Unknown = admit, list
	return w
}

// admit returns an API server's error for a variant that violates its schema or the rules in it; nil for a valid one.
func admit(_ context.Context, pv *v1alpha1.PackageVariant) error {
	gvk := v1alpha1.GroupVersion.WithKind("PackageVariant")
	object, err := unstructuredOf(pv, gvk)
	if err != nil {
		return err
	}
	delete(object.Object, "status")
	if why := cmp.Or(pv.Spec.Validate(), admission.CheckSchema(object.Object)); why != nil {
		return fmt.Errorf("%s %q is invalid: %w", gvk.GroupKind(), pv.Name, why)
	}
	return nil
}

// unstructuredOf returns an object of a kind as manifests write it.
func unstructuredOf(o any, kind schema.GroupVersionKind) (*unstructured.Unstructured, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(kind)
	return u, nil
}

// add adds an object as it was read.
func (w *World) add(o client.Object) {
	if r, is := o.(*porchapi.PackageRevision); is {
		w.Packages.Add(porch.Revision(r), nil)
		return
	}
	w.Objects.Add(valueOf(o))
}

// valueOf returns an object as the world keeps it.
func valueOf(o client.Object) metav1.Object {
	if repository, ok := porch.RepositoryOf(o); ok {
		return &repository
	}
	return o
}

// All returns all sets and variants of a namespace; of all for "".
func (w *World) All(namespace string) plans.Keys {
	var all plans.Keys
	within := func(o metav1.Object, keys *[]types.NamespacedName) {
		if namespace == metav1.NamespaceAll || o.GetNamespace() == namespace {
			*keys = append(*keys, objects.KeyOf(o))
		}
	}
	for _, set := range w.Objects.AllSets() {
		within(&set, &all.Sets)
	}
	for _, pv := range w.Objects.AllVariants() {
		within(&pv, &all.Variants)
	}
	return all
}
