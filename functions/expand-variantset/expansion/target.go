// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"fmt"

	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/internal/node"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// repositoryKind is the kind of Porch's repositories.
var repositoryKind = GroupKind{APIVersion: "config.porch.kpt.dev/v1alpha1", Kind: "Repository"}

// place is where a target wants a variant: the defaults of its downstream, and the object that was selected, nil for a
// repository that the target names. The package is empty where it is to have the upstream's name.
type place struct {
	repo, pkg string
	object    *Object
}

// places returns where the target that stands at path wants variants, and a note for the user if it selects nothing.
func (s *Snapshot) places(path string, t *v1alpha2.Target) ([]place, string, error) {
	switch {
	case t.Repositories != nil:
		return explicit(t.Repositories), "", nil
	case t.RepositorySelector != nil:
		sel := t.RepositorySelector
		return selected(node.Join(path, "repositorySelector"), s.Repositories, repositoryKind.Kind, &sel.LabelSelector, nil,
			sel.PackageNames)
	default:
		sel := t.ObjectSelector
		objects := s.Objects[GroupKind{APIVersion: sel.APIVersion, Kind: sel.Kind}]
		return selected(node.Join(path, "objectSelector"), objects, sel.Kind, &sel.LabelSelector, sel.Name, sel.PackageNames)
	}
}

func explicit(repositories []v1alpha2.RepositoryTarget) []place {
	var out []place
	for _, r := range repositories {
		for _, pkg := range packagesOf(r.PackageNames) {
			out = append(out, place{repo: r.Name, pkg: pkg})
		}
	}
	return out
}

func selected(path string, objects []Object, kind string, labelSelector *metav1.LabelSelector, name *string,
	packages []string) ([]place, string, error) {
	selector, err := metav1.LabelSelectorAsSelector(labelSelector)
	if err != nil {
		return nil, "", fieldErrorf(path, "is no label selector: %s", err)
	}
	packages = packagesOf(packages)
	var out []place
	for i := range objects {
		o := &objects[i]
		if name != nil && *name != o.Name || !selector.Matches(labels.Set(o.Labels)) {
			continue
		}
		for _, pkg := range packages {
			out = append(out, place{repo: o.Name, pkg: pkg, object: o})
		}
	}
	if len(out) == 0 {
		return nil, fmt.Sprintf("%s selects none of %d %s objects", path, len(objects), kind), nil
	}
	return out, "", nil
}

// packagesOf returns the names of the packages to make at a place: without any, the upstream's.
func packagesOf(names []string) []string {
	if len(names) == 0 {
		return []string{""}
	}
	return names
}
