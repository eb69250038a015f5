// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"fmt"
	"slices"
	"strings"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/watches"
	"github.com/package-variants/package-variants/sync-controller/internal/memory"
	"github.com/package-variants/package-variants/sync-controller/internal/plans"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/live"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/snapshot"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// FromFiles returns the world in the files of a directory. It has only what is in the files.
func FromFiles(scheme *runtime.Scheme, directory string, render memory.Render) (*memory.World, error) {
	files, err := snapshot.ReadFiles(scheme, directory, false)
	if err != nil {
		return nil, err
	}
	if err := checkTwice(files.Objects, "the snapshot", "remove the one that is out of date"); err != nil {
		return nil, err
	}
	w := memory.New(scheme, files.Contents, nil, render)
	w.AskFirst(refuse)
	if err := plans.Indexes(w); err != nil {
		return nil, err
	}
	known := 0
	for _, o := range files.Objects {
		switch o.Object.(type) {
		case *porchapi.PackageRevision, *configapi.Repository:
			known++
		}
		if err := mistyped(o); err != nil {
			return nil, err
		}
		if err := w.Add(o.Object); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", o.Path, o.Line, err)
		}
	}
	if known == 0 {
		return nil, fmt.Errorf("%s has no snapshot of a cluster, with its Repositories and PackageRevisions: write one by: "+
			"kubectl get repositories,packagerevisions,packagevariants,packagevariantsets -o yaml > %s/cluster.yaml; "+
			"kubectl get packagerevisionresources -o yaml > %s/contents.yaml", directory, directory, directory)
	}
	return w, nil
}

// NamespaceOf returns the namespace for a plan over a snapshot: the requested one, which must have Repositories if any
// namespace has, or else the only namespace with Repositories.
func NamespaceOf(ctx context.Context, w *memory.World, asked, directory string) (string, error) {
	var repositories configapi.RepositoryList
	if err := w.List(ctx, &repositories); err != nil {
		return "", err
	}
	known, err := namespaces(&repositories)
	if err != nil {
		return "", err
	}
	switch {
	case len(known) == 0 && asked == "":
		return "", noRepositories(ctx, w, directory)
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

// noRepositories returns the error for a plan whose namespace is unknown because the snapshot has no Repositories.
func noRepositories(ctx context.Context, w *memory.World, directory string) error {
	var revisions porchapi.PackageRevisionList
	if err := w.List(ctx, &revisions); err != nil {
		return err
	}
	known, err := namespaces(&revisions)
	if err != nil {
		return err
	}
	return fmt.Errorf("the snapshot %s has no Repositories, but PackageRevisions in %s: write them to it by: kubectl get "+
		"repositories -o yaml, or set --namespace", directory, strings.Join(known, ", "))
}

// namespaces returns the namespaces of a list's items, sorted.
func namespaces(list client.ObjectList) ([]string, error) {
	items, err := extract(list)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, o := range items {
		out = append(out, o.GetNamespace())
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// FromCluster returns the world of a namespace in a cluster. Objects of other kinds, and the contents of packages, are
// read when the plan needs them. Repositories and variants of other namespaces are included where the user may read
// them.
func FromCluster(ctx context.Context, scheme *runtime.Scheme, cluster client.Reader, namespace string,
	render memory.Render) (*memory.World, error) {
	w := memory.New(scheme, contentsOf(cluster), unknownTo(cluster), render)
	w.AskFirst(refuse)
	if err := plans.Indexes(w); err != nil {
		return nil, err
	}
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
		if err := addAll(w, of.list); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// addAll adds the items of a list.
func addAll(w *memory.World, list client.ObjectList) error {
	items, err := extract(list)
	if err != nil {
		return err
	}
	for _, o := range items {
		if err := w.Add(o); err != nil {
			return err
		}
	}
	return nil
}

// contentsOf reads the contents of package revisions from a cluster.
func contentsOf(cluster client.Reader) memory.Contents {
	return func(ctx context.Context, key types.NamespacedName) (*porchapi.PackageRevisionResources, error) {
		var prr porchapi.PackageRevisionResources
		if err := cluster.Get(ctx, key, &prr); err != nil {
			return nil, live.Explain(err, live.Call{Verb: "get", Kind: live.Resources, Namespace: key.Namespace})
		}
		return &prr, nil
	}
}

// unknownTo lists objects of other kinds in a cluster on demand.
func unknownTo(cluster client.Reader) memory.Unknown {
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

// extract returns the items of a list as objects.
func extract(list client.ObjectList) ([]client.Object, error) {
	items, err := meta.ExtractList(list)
	if err != nil {
		return nil, err
	}
	out := make([]client.Object, 0, len(items))
	for _, item := range items {
		if o, ok := item.(client.Object); ok {
			out = append(out, o)
		}
	}
	return out, nil
}
