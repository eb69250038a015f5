// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"errors"
	"fmt"

	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/trace"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Waves expands a set as its controller does, and returns the wave of each variant. The user needs the right to list
// what the set selects from.
func (c *Cluster) Waves(ctx context.Context, set *v1alpha2.PackageVariantSet) (trace.Waves, error) {
	snapshot, err := c.snapshot(ctx, set)
	if err != nil {
		return nil, err
	}
	expanded, err := mutate.Expand(ctx, mutate.Builtin{}, set, snapshot)
	if err != nil {
		if _, ofSet := errors.AsType[*expansion.FieldError](err); ofSet {
			return nil, fmt.Errorf("the waves of the PackageVariantSet %q are not known, because it cannot be expanded: %w",
				set.Name, err)
		}
		return nil, err
	}
	return trace.NewWaves(expanded.Variants), nil
}

// snapshot reads the objects that a set is expanded over.
func (c *Cluster) snapshot(ctx context.Context, set *v1alpha2.PackageVariantSet) (*expansion.Snapshot, error) {
	revisions, err := c.Revisions(ctx)
	if err != nil {
		return nil, err
	}
	repositories, err := c.Repositories(ctx)
	if err != nil {
		return nil, err
	}
	s := &expansion.Snapshot{Objects: map[expansion.GroupKind][]expansion.Object{}}
	for i := range revisions {
		s.PackageRevisions = append(s.PackageRevisions, revisions[i].ForExpansion())
	}
	for i := range repositories {
		s.Repositories = append(s.Repositories, objectOf(&repositories[i]))
	}
	for i := range set.Spec.Targets {
		selector := set.Spec.Targets[i].ObjectSelector
		if selector == nil {
			continue
		}
		kind := expansion.GroupKind{APIVersion: selector.APIVersion, Kind: selector.Kind}
		if kind.APIVersion == Repository.APIVersion && kind.Kind == Repository.Name {
			s.Objects[kind] = s.Repositories
			continue
		}
		if s.Objects[kind], err = c.objects(ctx, kind); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// objects returns the objects of a kind in the namespace, or all objects of a cluster-scoped kind.
func (c *Cluster) objects(ctx context.Context, of expansion.GroupKind) ([]expansion.Object, error) {
	gvk := schema.FromAPIVersionAndKind(of.APIVersion, of.Kind)
	var list unstructured.UnstructuredList
	list.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	kind := Kind{Name: of.Kind, Resource: of.Kind, APIVersion: of.APIVersion}
	if mapping, err := c.Client.RESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version); err == nil {
		kind.Resource = mapping.Resource.Resource
	}
	if err := c.Client.List(ctx, &list, client.InNamespace(c.Namespace)); err != nil {
		if isUnknownKind(err) {
			return nil, fmt.Errorf("the cluster has no %s (%s), which a target of the set selects", of.Kind, of.APIVersion)
		}
		return nil, Explain(err, c.call("list", kind))
	}
	var out []expansion.Object
	for i := range list.Items {
		out = append(out, objectOf(&list.Items[i]))
	}
	return out, nil
}

func objectOf(o client.Object) expansion.Object {
	return expansion.Object{Name: o.GetName(), Namespace: o.GetNamespace(), Labels: o.GetLabels(),
		Annotations: o.GetAnnotations()}
}
