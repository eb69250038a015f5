// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"errors"
	"fmt"

	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/bounds"
	"github.com/package-variants/package-variants/functions/internal/node"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// repositoryKind is the kind of Porch's repositories.
var repositoryKind = GroupKind{APIVersion: "config.porch.kpt.dev/v1alpha1", Kind: "Repository"}

// target is a target of the set, with its template compiled and its selection made.
type target struct {
	path     string
	template *template
	places   []place
}

// readTargets compiles the templates of all targets, and then makes their selections.
func readTargets(set *v1alpha2.PackageVariantSet, path string,
	s *Snapshot) (targets []target, empty []Empty, err error) {
	c, err := newCompiler()
	if err != nil {
		return nil, nil, err
	}
	for i := range set.Spec.Targets {
		at := node.Index(node.Join(path, "targets"), i)
		targets = append(targets,
			target{path: at, template: c.template(node.Join(at, "template"), set.Spec.Targets[i].Template)})
	}
	if len(c.errs) > 0 {
		return nil, nil, errors.Join(c.errs...)
	}
	total := 0
	for i := range targets {
		places, none, err := s.places(targets[i].path, &set.Spec.Targets[i], total)
		if err != nil {
			return nil, nil, err
		}
		targets[i].places = places
		total += len(places)
		if none != nil {
			empty = append(empty, *none)
		}
	}
	return targets, empty, nil
}

// place is where a target wants a variant: the defaults of its downstream, and the object that was selected, nil for a
// repository that the target names. The package is empty if it gets the upstream's name.
type place struct {
	repo, pkg string
	object    *Object
}

// tooMany returns an error if targets select more variants than a set may have.
func tooMany(path string, n int) error {
	if n <= bounds.SetTargets {
		return nil
	}
	return fieldErrorf(path, "select %d variants in all, and a set may have %d: select fewer, or split the set", n,
		bounds.SetTargets)
}

// countExplicit returns how many places explicit returns.
func countExplicit(repositories []v1alpha2.RepositoryTarget) (n int) {
	for i := range repositories {
		n += max(1, len(repositories[i].PackageNames))
	}
	return n
}

// places returns where the target at path wants variants, and its selector if that selects nothing. It returns an error
// if that would be more than a set may have; before is the number of the earlier targets' places.
func (s *Snapshot) places(path string, t *v1alpha2.Target, before int) ([]place, *Empty, error) {
	switch {
	case t.Repositories != nil:
		if err := tooMany(path, before+countExplicit(t.Repositories)); err != nil {
			return nil, nil, err
		}
		return explicit(t.Repositories), nil, nil
	case t.RepositorySelector != nil:
		sel := t.RepositorySelector
		return selected(node.Join(path, "repositorySelector"), s.Repositories, repositoryKind.Kind, &sel.LabelSelector, nil,
			sel.PackageNames, before)
	default:
		sel := t.ObjectSelector
		objects := s.Objects[GroupKind{APIVersion: sel.APIVersion, Kind: sel.Kind}]
		return selected(node.Join(path, "objectSelector"), objects, sel.Kind, &sel.LabelSelector, sel.Name, sel.PackageNames,
			before)
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
	packages []string, before int) ([]place, *Empty, error) {
	selector, err := metav1.LabelSelectorAsSelector(labelSelector)
	if err != nil {
		return nil, nil, fieldErrorf(path, "is no label selector: %s", err)
	}
	packages = packagesOf(packages)
	var chosen []*Object
	for i := range objects {
		o := &objects[i]
		if name != nil && *name != o.Name || !selector.Matches(labels.Set(o.Labels)) {
			continue
		}
		chosen = append(chosen, o)
	}
	if len(chosen) == 0 {
		return nil, &Empty{Path: path, Message: fmt.Sprintf("%s selects none of %d %s objects", path, len(objects), kind),
			NoObjects: len(objects) == 0}, nil
	}
	if err := tooMany(path, before+len(chosen)*len(packages)); err != nil {
		return nil, nil, err
	}
	out := make([]place, 0, len(chosen)*len(packages))
	for _, o := range chosen {
		for _, pkg := range packages {
			out = append(out, place{repo: o.Name, pkg: pkg, object: o})
		}
	}
	return out, nil, nil
}

// packagesOf returns the names of the packages to make at a place: without any, the upstream's.
func packagesOf(names []string) []string {
	if len(names) == 0 {
		return []string{""}
	}
	return names
}
