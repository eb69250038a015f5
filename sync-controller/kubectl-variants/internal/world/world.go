// SPDX-License-Identifier: Apache-2.0

// Package world makes the world for a plan: a snapshot in files or a cluster, with manifests applied on top. It has no
// access that could write to a cluster.
package world

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/memory"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/local/admission"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/snapshot"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// World is the world of a plan.
type World struct {
	*memory.World
	// Newest is the latest time in the objects that were read; the zero time if there is none. A snapshot was written then
	// or later.
	Newest time.Time
}

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
	w.see(o.GetCreationTimestamp())
	switch o := o.(type) {
	case *porchapi.PackageRevision:
		w.see(o.Status.PublishedAt)
		w.Packages.Add(porch.Revision(o), nil)
		return
	case *configapi.Repository:
		w.seeAll(o.Status.Conditions)
	case *v1alpha1.PackageVariant:
		w.seeAll(o.Status.Conditions)
	case *v1alpha2.PackageVariantSet:
		w.seeAll(o.Status.Conditions)
	}
	w.Objects.Add(valueOf(o))
}

// see sees a time in an object, and seeAll those in its conditions.
func (w *World) see(t metav1.Time) {
	if t.After(w.Newest) {
		w.Newest = t.Time
	}
}

func (w *World) seeAll(conditions []metav1.Condition) {
	for i := range conditions {
		w.see(conditions[i].LastTransitionTime)
	}
}

// valueOf returns an object as the world keeps it.
func valueOf(o client.Object) metav1.Object {
	if repository, ok := porch.RepositoryOf(o); ok {
		return &repository
	}
	return o
}

// FromFiles returns the world in the files of a directory. It has only what is in the files.
func FromFiles(scheme *runtime.Scheme, directory string, render Render) (*World, error) {
	files, err := snapshot.ReadFiles(scheme, directory, false)
	if err != nil {
		return nil, err
	}
	w := newWorld(render, files.Contents, unknownOf(files))
	known := 0
	for _, o := range files.Objects {
		switch o.Object.(type) {
		case *porchapi.PackageRevision, *configapi.Repository:
			known++
		}
		if err := mistyped(o); err != nil {
			return nil, err
		}
		w.add(o.Object)
	}
	if known == 0 {
		return nil, fmt.Errorf("%s has no snapshot of a cluster, with its Repositories and PackageRevisions: write one by: "+
			"kubectl get repositories,packagerevisions,packagevariants,packagevariantsets -o yaml > %s/cluster.yaml; "+
			"kubectl get packagerevisionresources -o yaml > %s/contents.yaml", directory, directory, directory)
	}
	return w, nil
}

// unknownOf returns the Repositories and PackageRevisions of a snapshot as manifests write them, for the few plans that
// inject or select such objects.
func unknownOf(files *snapshot.Files) unknown {
	return func(_ context.Context, kind schema.GroupVersionKind, namespace string) ([]*unstructured.Unstructured, error) {
		var found []*unstructured.Unstructured
		for _, o := range files.Objects {
			if kindOf(o) != kind.GroupKind() || o.GetNamespace() != namespace {
				continue
			}
			u, err := unstructuredOf(o.Object, kind)
			if err != nil {
				return nil, err
			}
			found = append(found, u)
		}
		return found, nil
	}
}

// Namespace returns the namespace for a plan over a snapshot in a directory: the requested one, which must have
// Repositories if any namespace has, or else the only namespace with Repositories.
func (w *World) Namespace(ctx context.Context, asked, directory string) (string, error) {
	repositories, err := w.Objects.Repositories(ctx, metav1.NamespaceAll)
	if err != nil {
		return "", err
	}
	var known []string
	for i := range repositories {
		known = append(known, repositories[i].Namespace)
	}
	known = slices.Compact(slices.Sorted(slices.Values(known)))
	switch {
	case len(known) == 0 && asked == "":
		return "", fmt.Errorf("the snapshot %s has no Repositories: write them to it by: kubectl get repositories -o yaml, "+
			"or set --namespace", directory)
	case len(known) == 0, slices.Contains(known, asked):
		return asked, nil
	case asked != "":
		return "", fmt.Errorf("the snapshot %s has no Repositories in the namespace %q, but in %s: set --namespace",
			directory, asked, strings.Join(known, ", "))
	case len(known) > 1:
		return "", fmt.Errorf("the snapshot %s has Repositories in more than one namespace, %s: set --namespace", directory,
			strings.Join(known, ", "))
	}
	return known[0], nil
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
