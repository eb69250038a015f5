// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"context"
	"fmt"
	"path"
	"reflect"
	"strconv"
	"strings"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var (
	revisions = porchapi.SchemeGroupVersion.WithKind("PackageRevision")
	contents  = porchapi.SchemeGroupVersion.WithKind("PackageRevisionResources")
)

// Get implements client.Reader.
func (w *World) Get(ctx context.Context, key types.NamespacedName, into client.Object, _ ...client.GetOption) error {
	gvk, err := w.kindOf(into)
	if err != nil {
		return err
	}
	if gvk == contents {
		return w.getContent(ctx, key, into)
	}
	if err := w.learn(ctx, gvk, key.Namespace); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	found := w.store(gvk.GroupKind()).get(key)
	if found == nil {
		return notFound(gvk, key.Name)
	}
	return copyInto(found, into)
}

func notFound(gvk schema.GroupVersionKind, name string) error {
	return apierrors.NewNotFound(schema.GroupResource{Group: gvk.Group, Resource: gvk.Kind}, name)
}

// copyOf returns a deep copy of an object.
func copyOf(o client.Object) client.Object {
	c, ok := o.DeepCopyObject().(client.Object)
	if !ok { // a copy has the type of what it is copied from
		return o
	}
	return c
}

// copyInto makes an object a deep copy of another. One of the two may be unstructured.
func copyInto(from, into client.Object) error {
	if u, ok := into.(*unstructured.Unstructured); ok {
		if f, ok := from.(*unstructured.Unstructured); ok {
			u.Object = f.DeepCopy().Object
			return nil
		}
		object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(from)
		if err != nil {
			return err
		}
		kind := u.GroupVersionKind()
		u.Object = object
		u.SetGroupVersionKind(kind)
		return nil
	}
	source, target := reflect.ValueOf(from.DeepCopyObject()), reflect.ValueOf(into)
	if source.Type() != target.Type() {
		return fmt.Errorf("%s %s is of %s, and is not known: write it as the API of this version has it",
			from.GetObjectKind().GroupVersionKind().Kind, from.GetName(), from.GetObjectKind().GroupVersionKind().GroupVersion())
	}
	target.Elem().Set(source.Elem())
	return nil
}

// getContent returns the content of a package revision: as it was written last, or else as it was.
func (w *World) getContent(ctx context.Context, key types.NamespacedName, into client.Object) error {
	prr, ok := into.(*porchapi.PackageRevisionResources)
	if !ok {
		return fmt.Errorf("the content of a package revision is read as %T", into)
	}
	w.mu.Lock()
	written := w.drafts[key]
	pr := w.store(revisions.GroupKind()).get(key)
	w.mu.Unlock()
	switch {
	case written != nil:
		*prr = *written
		return nil
	case pr == nil:
		return notFound(revisions, key.Name)
	}
	found, err := w.read(ctx, key)
	if err != nil {
		return err
	}
	*prr = *found
	prr.ResourceVersion, _, _ = strings.Cut(pr.GetResourceVersion(), "+") // its metadata may have been written since
	return nil
}

// List implements client.Reader: by namespace, labels, one of the indexes, or the fields by which Porch lists.
func (w *World) List(ctx context.Context, into client.ObjectList, options ...client.ListOption) error {
	o := client.ListOptions{}
	o.ApplyOptions(options)
	gvk, err := w.kindOf(into)
	if err != nil {
		return err
	}
	if err := w.learn(ctx, gvk, o.Namespace); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	found, err := w.store(gvk.GroupKind()).selected(o.FieldSelector)
	if err != nil {
		return err
	}
	var items []runtime.Object
	for _, each := range found {
		if (o.Namespace == "" || each.GetNamespace() == o.Namespace) && matches(o.LabelSelector, each) {
			if o.UnsafeDisableDeepCopy == nil || !*o.UnsafeDisableDeepCopy {
				each = copyOf(each)
			}
			items = append(items, each)
		}
	}
	return meta.SetList(into, items)
}

func matches(selector labels.Selector, o client.Object) bool {
	return selector == nil || selector.Matches(labels.Set(o.GetLabels()))
}

// selected returns the objects that a field selector selects: by one index, or by the fields of package revisions.
func (s *store) selected(selector fields.Selector) ([]client.Object, error) {
	if selector == nil || selector.Empty() {
		return s.all(), nil
	}
	var candidates []client.Object
	narrowed := false
	for _, r := range selector.Requirements() {
		if found, indexed := s.by(r.Field, r.Value); indexed && (!narrowed || len(found) < len(candidates)) {
			candidates, narrowed = found, true
		}
	}
	if narrowed && len(selector.Requirements()) == 1 {
		return candidates, nil
	}
	if !narrowed {
		candidates = s.all()
	}
	var out []client.Object
	for _, o := range candidates {
		pr, ok := o.(*porchapi.PackageRevision)
		if !ok {
			return nil, fmt.Errorf("there is no index %s of %T", selector, o)
		}
		if selector.Matches(fieldsOf(pr)) {
			out = append(out, o)
		}
	}
	return out, nil
}

// fieldsOf returns the fields by which Porch lists. It compares the name of a package by the last part of its path.
func fieldsOf(pr *porchapi.PackageRevision) fields.Set {
	return fields.Set{
		"metadata.name": pr.Name, "metadata.namespace": pr.Namespace, "spec.repository": pr.Spec.RepositoryName,
		"spec.packageName": path.Base(pr.Spec.PackageName), "spec.workspaceName": pr.Spec.WorkspaceName,
		"spec.revision": strconv.Itoa(pr.Spec.Revision), "spec.lifecycle": string(pr.Spec.Lifecycle),
	}
}
