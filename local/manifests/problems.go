// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"cmp"
	"maps"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Problem is why the manifest of an object is not taken: an API server would refuse it, or nothing can be done with it.
// What it is about stays as it is.
type Problem struct {
	schema.GroupKind
	// Namespace and Name are those of the object. The name of one of another kind than ours is "" if it is not known.
	Namespace, Name string
	// Err names the file and the line.
	Err error
}

// problem notes why an object is not taken.
func (m *Manifests) problem(o *unstructured.Unstructured, err error, unlabeled bool) {
	p := Problem{GroupKind: o.GroupVersionKind().GroupKind(), Namespace: o.GetNamespace(), Name: o.GetName(), Err: err}
	id := identity{p.GroupKind, p.Namespace, p.Name}
	m.Problems, m.refused[id] = append(m.Problems, p), err
	if unlabeled {
		m.unlabeled[identity{p.GroupKind, p.Namespace, ""}] = err
	}
	if p.GroupKind == repositoryKind {
		about := metav1.ObjectMeta{Namespace: p.Namespace, Name: p.Name, Labels: o.GetLabels(),
			Annotations: o.GetAnnotations()}
		m.unread[id] = Repository{Problem: err, Repository: objects.Repository{ObjectMeta: about,
			Repository: revision.Repository{Ready: true}}}
	}
}

// ProblemOf returns why the manifest of an object is not taken; nil if it is, or if there is none.
func (m *Manifests) ProblemOf(gk schema.GroupKind, namespace, name string) error {
	return m.refused[identity{gk, namespace, name}]
}

// Unselectable returns why nothing can be selected among the objects of a kind in a namespace: the labels of one of
// them are not known. It returns nil if those of all are.
func (m *Manifests) Unselectable(gk schema.GroupKind, namespace string) error {
	return cmp.Or(m.unlabeled[identity{gk, namespace, ""}], m.unlabeled[identity{gk, "", ""}])
}

// drop takes what has a problem out of the objects. A Repository stays, as one that cannot be read.
func (m *Manifests) drop() {
	if len(m.Problems) == 0 {
		return
	}
	has := func(gk schema.GroupKind, o metav1.Object) bool {
		return m.ProblemOf(gk, o.GetNamespace(), o.GetName()) != nil
	}
	m.Objects = slices.DeleteFunc(m.Objects, func(o *unstructured.Unstructured) bool {
		return has(o.GroupVersionKind().GroupKind(), o)
	})
	m.Variants = slices.DeleteFunc(m.Variants, func(pv v1alpha1.PackageVariant) bool { return has(variantKind, &pv) })
	m.Sets = slices.DeleteFunc(m.Sets, func(set v1alpha2.PackageVariantSet) bool { return has(setKind, &set) })
	m.Repositories = slices.DeleteFunc(m.Repositories, func(r Repository) bool { return has(repositoryKind, &r) })
	m.Repositories = slices.AppendSeq(m.Repositories, maps.Values(m.unread))
}
