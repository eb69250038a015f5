// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/kio/kioutil"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/yaml"
)

// Expand runs the function that expands a set over a snapshot: the set is its config, the snapshot its items. It returns
// the variants that the set wants, and notes for the user: targets that select nothing. The error is an
// *expansion.FieldError for what the function says; any other error says why it could not be run.
func Expand(ctx context.Context, runtime Runtime, set *v1alpha2.PackageVariantSet, s *expansion.Snapshot) ([]v1alpha1.PackageVariant, []string, error) {
	config, err := Node(map[string]any{
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
	out, err := runtime.Run(ctx, ExpandVariantSet, config, items)
	if _, said := errors.AsType[*krm.Error](err); said {
		prefix := fmt.Sprintf("%s %q: ", v1alpha2.PackageVariantSetKind, set.Name)
		return nil, nil, &expansion.FieldError{Reason: strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\n"+prefix, "\n"), prefix)}
	}
	if err != nil {
		return nil, nil, err
	}
	variants, err := readVariants(out.Items[len(items):])
	if err != nil {
		return nil, nil, err
	}
	var notes []string
	for _, result := range out.Results {
		if strings.HasPrefix(result.Message, "spec.") { // the others are not about a target
			notes = append(notes, result.Message)
		}
	}
	return variants, notes, nil
}

// readVariants reads the items that the function added.
func readVariants(items []*kyaml.RNode) ([]v1alpha1.PackageVariant, error) {
	variants := make([]v1alpha1.PackageVariant, len(items))
	for i, item := range items {
		err := yaml.UnmarshalStrict([]byte(item.MustString()), &variants[i])
		if kind := item.GetKind(); err == nil && kind != variant.Kind {
			err = fmt.Errorf("its kind is %q", kind)
		}
		if err != nil {
			return nil, fmt.Errorf("the output of %s has a PackageVariant that cannot be read (%w); nothing of it is used: "+
				"name images of these functions by --function-registry and --function-version", ExpandVariantSet, err)
		}
		variants[i].Annotations = nil // they name the file that the variant would be written to
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
		var item *kyaml.RNode
		item, err = snapshotItem(kind, o, spec, len(items))
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

// snapshotItem returns an object as the document with the index of the file snapshot.yaml.
func snapshotItem(kind expansion.GroupKind, o expansion.Object, spec map[string]any, index int) (*kyaml.RNode, error) {
	annotations := map[string]string{kioutil.PathAnnotation: "snapshot.yaml", kioutil.IndexAnnotation: strconv.Itoa(index)}
	for key, value := range o.Annotations {
		if !krm.IsInternalAnnotation(key) {
			annotations[key] = value
		}
	}
	fields := map[string]any{
		"apiVersion": kind.APIVersion, "kind": kind.Kind,
		"metadata": map[string]any{"name": o.Name, "namespace": o.Namespace, "labels": o.Labels, "annotations": annotations},
	}
	if spec != nil {
		fields["spec"] = spec
	}
	return Node(fields)
}
