// SPDX-License-Identifier: Apache-2.0

package functionrunner

import (
	"context"
	"errors"
	"fmt"
	"strings"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/sync-controller/internal/mutate"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/yaml"
)

// expandVariantSet is the name of the function's image.
const expandVariantSet = "expand-variantset"

// Expand expands a set over a snapshot as expansion.Expand does, with the set as the function's config and the snapshot
// as its items. What the function says is an *expansion.FieldError; any other error says why it could not be run.
func (r *Runtime) Expand(ctx context.Context, set *v1alpha2.PackageVariantSet, s *expansion.Snapshot) ([]v1alpha1.PackageVariant, []string, error) {
	config, err := mutate.Node(map[string]any{
		"apiVersion": v1alpha2.GroupVersion.String(), "kind": v1alpha2.PackageVariantSetKind, "spec": set.Spec,
		"metadata": map[string]any{"name": set.Name, "namespace": set.Namespace, "uid": set.UID},
	})
	if err != nil {
		return nil, nil, err
	}
	items, err := snapshotItems(s)
	if err != nil {
		return nil, nil, err
	}
	_, returned, results, err := r.evaluate(ctx, expandVariantSet, config, items)
	if said, ok := errors.AsType[functionError](err); ok {
		prefix := fmt.Sprintf("%s %q: ", v1alpha2.PackageVariantSetKind, set.Name)
		return nil, nil, &expansion.FieldError{Reason: strings.TrimPrefix(strings.ReplaceAll(string(said), "\n"+prefix, "\n"), prefix)}
	}
	if err != nil {
		return nil, nil, err
	}
	variants, err := expanded(returned)
	if err != nil {
		return nil, nil, r.refused(expandVariantSet, err)
	}
	var notes []string
	for _, result := range results {
		if message := kyaml.GetValue(result.Field("message").Value); strings.HasPrefix(message, "spec.") { // the others are not of a target
			notes = append(notes, message)
		}
	}
	return variants, notes, nil
}

// expanded returns the variants that the set wants: those of the snapshot that targets select have no spec.
func expanded(items []*kyaml.RNode) (variants []v1alpha1.PackageVariant, err error) {
	for _, item := range items {
		if item.GetKind() != variant.Kind || item.Field("spec") == nil {
			continue
		}
		var pv v1alpha1.PackageVariant
		if err := yaml.UnmarshalStrict([]byte(item.MustString()), &pv); err != nil {
			return nil, fmt.Errorf("has a PackageVariant that cannot be read: %w", err)
		}
		pv.Annotations = nil // they say which file it would go to
		variants = append(variants, pv)
	}
	return variants, nil
}

// snapshotItems returns what the function reads of a snapshot. An object that a target may select can be one of the
// others, too.
func snapshotItems(s *expansion.Snapshot) (items []*kyaml.RNode, err error) {
	type id struct {
		kind expansion.GroupKind
		name string
	}
	seen := map[id]bool{}
	add := func(kind expansion.GroupKind, o expansion.Object, spec map[string]any) {
		if err != nil || seen[id{kind, o.Name}] {
			return
		}
		seen[id{kind, o.Name}] = true
		fields := map[string]any{
			"apiVersion": kind.APIVersion, "kind": kind.Kind,
			"metadata": map[string]any{"name": o.Name, "namespace": o.Namespace, "labels": o.Labels, "annotations": o.Annotations},
		}
		if spec != nil {
			fields["spec"] = spec
		}
		var item *kyaml.RNode
		item, err = mutate.Node(fields)
		items = append(items, item)
	}
	revisions := expansion.GroupKind{APIVersion: porchapi.SchemeGroupVersion.String(), Kind: "PackageRevision"}
	for _, pr := range s.PackageRevisions {
		lifecycle := porchapi.PackageRevisionLifecycleDraft
		if pr.Published {
			lifecycle = porchapi.PackageRevisionLifecyclePublished
		}
		add(revisions, pr.Object, map[string]any{
			"repository": pr.Repo, "packageName": pr.Package, "workspaceName": pr.WorkspaceName, "revision": pr.Revision, "lifecycle": lifecycle,
		})
	}
	repositories := expansion.GroupKind{APIVersion: configapi.GroupVersion.String(), Kind: configapi.TypeRepository.Kind}
	for _, o := range s.Repositories {
		add(repositories, o, nil)
	}
	for kind, objects := range s.Objects {
		for _, o := range objects {
			add(kind, o, nil)
		}
	}
	return items, err
}
