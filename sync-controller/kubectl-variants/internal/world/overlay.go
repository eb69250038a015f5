// SPDX-License-Identifier: Apache-2.0

// Package world makes the world for a plan: a snapshot in files or a cluster, with manifests applied on top. It has no
// access that could write to a cluster.
package world

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/sync-controller/internal/memory"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/snapshot"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// planned begins the UIDs and versions of objects that do not exist yet.
const planned = "planned-"

// Named are the sets and variants that a plan is about.
type Named struct {
	Sets, Variants []types.NamespacedName
	// Owned are the variants that go with a deleted set, by set.
	Owned map[types.NamespacedName][]string
	// Others are the kinds of all other objects, sorted. Known is how many of those objects existed before, or are
	// Repositories.
	Others []string
	Known  int
	// Notes say what is assumed because it cannot be known.
	Notes []string
}

// Overlay applies manifests to a world, as kubectl apply does, and returns the sets and variants among them. Objects
// without a namespace get the given one. It assumes that Porch can read new Repositories and finds nothing in them, and
// says so in Notes.
func Overlay(ctx context.Context, w *memory.World, manifests []snapshot.Object, namespace string) (Named, error) {
	var named Named
	var repositories []string
	if err := settle(manifests, namespace); err != nil {
		return named, err
	}
	moved, err := elsewhere(ctx, w, manifests)
	if err != nil {
		return named, err
	}
	ofSets, err := respecified(ctx, w, manifests)
	if err != nil {
		return named, err
	}
	for _, m := range manifests {
		key := client.ObjectKeyFromObject(m.Object)
		switch o := m.Object.(type) {
		case *v1alpha1.PackageVariant:
			named.Variants = append(named.Variants, key)
		case *v1alpha2.PackageVariantSet:
			named.Sets = append(named.Sets, key)
		case *configapi.Repository:
			named.Known++
			if apierrors.IsNotFound(w.Get(ctx, key, &configapi.Repository{})) {
				meta.SetStatusCondition(&o.Status.Conditions, metav1.Condition{Type: configapi.RepositoryReady,
					Status: metav1.ConditionTrue, Reason: configapi.ReasonReady, Message: "it is taken to be ready"})
				repositories = append(repositories, o.Name)
			}
		default:
			if err := acceptable(o, m); err != nil {
				return named, err
			}
			gvk := o.GetObjectKind().GroupVersionKind()
			named.Others = append(named.Others, fmt.Sprintf("%s (%s)", gvk.Kind, gvk.GroupVersion()))
			if w.Get(ctx, key, copyOf(o)) == nil {
				named.Known++
			}
		}
		if err := apply(ctx, w, m.Object); err != nil {
			return named, fmt.Errorf("%s, line %d: %w", m.Path, m.Line, err)
		}
	}
	if len(repositories) > 0 {
		named.Notes = []string{"Assumes that Porch can read these new Repositories and finds no packages " +
			"in them: " + strings.Join(repositories, ", ")}
	}
	written, err := ofSets.notes(ctx, w, nil, "writes their specs itself")
	named.Notes = slices.Concat(named.Notes, moved, written)
	slices.Sort(named.Others)
	named.Others = slices.Compact(named.Others)
	return named, err
}

// settle gives manifests without a namespace the given one. An object that is there twice with different content is an
// error.
func settle(manifests []snapshot.Object, namespace string) error {
	for _, m := range manifests {
		if m.GetNamespace() == "" {
			m.SetNamespace(namespace)
		}
	}
	return checkTwice(manifests, "what -f names", "remove one of them")
}

// acceptable returns an error for a manifest of a kind that a plan cannot handle.
func acceptable(o client.Object, m snapshot.Object) error {
	gvk := o.GetObjectKind().GroupVersionKind()
	if gvk.Group == porchapi.SchemeGroupVersion.Group {
		return fmt.Errorf("%s, line %d: a %s is made by Porch, and is not planned: put it into the directory that --from "+
			"names", m.Path, m.Line, gvk.Kind)
	}
	return mistyped(m)
}

// apply adds an object as an API server would store it, with a new generation if its spec changes.
func apply(ctx context.Context, w *memory.World, o client.Object) error {
	before := copyOf(o)
	err := w.Get(ctx, client.ObjectKeyFromObject(o), before)
	switch {
	case apierrors.IsNotFound(err):
		o.SetUID(types.UID(planned + o.GetName()))
		o.SetGeneration(1)
		o.SetCreationTimestamp(metav1.Time{Time: time.Now().UTC().Truncate(time.Second)})
		o.SetResourceVersion(planned + "0")
		return w.Add(o)
	case err != nil:
		return err
	}
	after := merged(before, o)
	if !equality.Semantic.DeepEqual(contentOf(before), contentOf(after)) {
		after.SetResourceVersion(planned + "0")
		after.SetGeneration(before.GetGeneration() + 1)
	}
	return w.Add(after)
}

// copyOf returns a copy of an object, of its kind.
func copyOf(o client.Object) client.Object {
	c, ok := o.DeepCopyObject().(client.Object)
	if !ok { // a copy has the type of what it is copied from
		return o
	}
	return c
}

// merged returns an object with the labels, annotations and content of a manifest, and the rest of the earlier object.
func merged(before, applied client.Object) client.Object {
	said := lastApplied(before)
	labels := union(before.GetLabels(), said.Metadata.Labels, applied.GetLabels())
	annotations := union(before.GetAnnotations(), said.Metadata.Annotations, applied.GetAnnotations())
	after := applied
	switch m := applied.(type) {
	case *v1alpha1.PackageVariant:
		if was, ok := before.(*v1alpha1.PackageVariant); ok {
			m.Status = was.Status
		}
	case *v1alpha2.PackageVariantSet:
		if was, ok := before.(*v1alpha2.PackageVariantSet); ok {
			m.Status = was.Status
		}
	case *configapi.Repository:
		if was, ok := before.(*configapi.Repository); ok {
			m.Status = was.Status
		}
	}
	after.SetUID(before.GetUID())
	after.SetResourceVersion(before.GetResourceVersion())
	after.SetGeneration(before.GetGeneration())
	after.SetCreationTimestamp(before.GetCreationTimestamp())
	after.SetDeletionTimestamp(before.GetDeletionTimestamp())
	after.SetFinalizers(before.GetFinalizers())
	after.SetOwnerReferences(before.GetOwnerReferences())
	after.SetLabels(labels)
	after.SetAnnotations(annotations)
	return after
}

// manifest has the parts of a manifest that others may have added to.
type manifest struct {
	Metadata struct{ Labels, Annotations map[string]string }
}

// lastApplied returns the last applied manifest as kubectl apply recorded it; an empty one if there is no record.
func lastApplied(o client.Object) (said manifest) {
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

// contentOf returns the content of an object, without its status and the API server's metadata.
func contentOf(o client.Object) map[string]any {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return map[string]any{"unreadable": err.Error()}
	}
	content = runtime.DeepCopyJSON(content)
	delete(content, "status")
	delete(content, "apiVersion")
	delete(content, "kind")
	content["metadata"] = map[string]any{"labels": len(o.GetLabels()), "of": fmt.Sprint(o.GetLabels(),
		o.GetAnnotations())}
	return content
}

// All returns all sets and variants of a namespace.
func All(ctx context.Context, w *memory.World, namespace string) (Named, error) {
	var named Named
	var sets v1alpha2.PackageVariantSetList
	var variants v1alpha1.PackageVariantList
	if err := errors.Join(w.List(ctx, &sets, client.InNamespace(namespace)),
		w.List(ctx, &variants, client.InNamespace(namespace))); err != nil {
		return named, err
	}
	for i := range sets.Items {
		named.Sets = append(named.Sets, client.ObjectKeyFromObject(&sets.Items[i]))
	}
	for i := range variants.Items {
		named.Variants = append(named.Variants, client.ObjectKeyFromObject(&variants.Items[i]))
	}
	return named, nil
}
