// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/watches"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/live"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// FromCluster returns the world of a namespace in a cluster. Objects of other kinds, and the contents of packages, are
// read when the plan needs them. Repositories and variants of other namespaces are included where the user may read
// them.
func FromCluster(ctx context.Context, cluster client.Reader, namespace string, render Render) (*World, error) {
	w := newWorld(render, contentsOf(cluster), unknownTo(cluster))
	for _, of := range []struct {
		list       client.ObjectList
		kind       live.Kind
		everywhere bool
	}{
		{&configapi.RepositoryList{}, live.Repository, true},
		{&v1alpha1.PackageVariantList{}, live.Variant, true},
		{&v1alpha2.PackageVariantSetList{}, live.Set, false},
		{&porchapi.PackageRevisionList{}, live.Revision, false},
	} {
		var err error
		if of.everywhere {
			err = cluster.List(ctx, of.list)
		}
		if !of.everywhere || err != nil {
			err = cluster.List(ctx, of.list, client.InNamespace(namespace))
		}
		if err != nil {
			return nil, live.Explain(err, live.Call{Verb: "list", Kind: of.kind, Namespace: namespace})
		}
		err = meta.EachListItem(of.list, func(item runtime.Object) error {
			if o, ok := item.(client.Object); ok {
				w.add(o)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return w, nil
}

// contentsOf reads the files of package revisions from a cluster.
func contentsOf(cluster client.Reader) contents {
	return func(ctx context.Context, namespace, name string) (map[string]string, error) {
		var prr porchapi.PackageRevisionResources
		if err := cluster.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &prr); err != nil {
			return nil, live.Explain(err, live.Call{Verb: "get", Kind: live.Resources, Namespace: namespace})
		}
		return prr.Spec.Resources, nil
	}
}

// unknownTo lists objects of other kinds in a cluster on demand.
func unknownTo(cluster client.Reader) unknown {
	return func(ctx context.Context, kind schema.GroupVersionKind, namespace string) ([]*unstructured.Unstructured,
		error) {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
		err := cluster.List(ctx, list, client.InNamespace(namespace))
		if meta.IsNoMatchError(err) { // the controller reports it where the kind is named
			return nil, &watches.UnknownKindError{Kind: objects.Kind{APIVersion: kind.GroupVersion().String(), Kind: kind.Kind,
				Namespace: namespace}}
		}
		if err != nil {
			plural, _ := meta.UnsafeGuessKindToResource(kind)
			of := live.Kind{Name: kind.Kind, Resource: plural.Resource, APIVersion: kind.GroupVersion().String()}
			return nil, live.Explain(err, live.Call{Verb: "list", Kind: of, Namespace: namespace})
		}
		out := make([]*unstructured.Unstructured, len(list.Items))
		for i := range list.Items {
			out[i] = &list.Items[i]
		}
		return out, nil
	}
}
