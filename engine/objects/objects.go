// SPDX-License-Identifier: Apache-2.0

// Package objects is the port by which the engine sees manifests: PackageVariants, PackageVariantSets, Repositories,
// and the objects that are injected into packages or that select variants.
package objects

import (
	"cmp"
	"context"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Repository is a Repository with its metadata. The maps and slices are shared.
type Repository struct {
	metav1.ObjectMeta
	revision.Repository
}

// The kinds of Events, as Kubernetes has them.
const (
	Normal  = "Normal"
	Warning = "Warning"
)

// KeyOf returns the namespace and the name of an object.
func KeyOf(o metav1.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
}

// CompareKeys orders objects by their namespaces, and then by their names, for slices.SortFunc.
func CompareKeys(a, b types.NamespacedName) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// Variants has the PackageVariants and the Repositories that they name, as of some moments ago. A write names the
// object that was decided on, and fails with packages.ErrStale, without any effect, if it has changed, or is gone.
type Variants interface {
	// Variant returns a PackageVariant, which the caller may change; nil if there is none of that name.
	Variant(ctx context.Context, namespace, name string) (*v1alpha1.PackageVariant, error)
	// Find returns the PackageVariants in a namespace that have a value in an index, to be read only.
	Find(ctx context.Context, namespace string, by Index, value string) ([]v1alpha1.PackageVariant, error)
	// Repository returns a Repository; nil if there is none of that name.
	Repository(ctx context.Context, namespace, name string) (*Repository, error)
	// RepositoriesAround returns the Repositories in all namespaces in whose directory another one of the git repository
	// with an address lies, is, or which lie in that one.
	RepositoriesAround(ctx context.Context, address, directory string) ([]Repository, error)
	// WriteStatus writes the status of a PackageVariant, which was before, and sets the version that it has then.
	WriteStatus(ctx context.Context, before, pv *v1alpha1.PackageVariant) error
	// WriteFinalizers writes its finalizers in the same way.
	WriteFinalizers(ctx context.Context, before, pv *v1alpha1.PackageVariant) error
}

// Sets has the PackageVariantSets and what they select, and makes the PackageVariants that they want. What a write
// means for a set is in its error; see packages.ConditionOf.
type Sets interface {
	Variants
	// Set returns a PackageVariantSet, which the caller may change; nil if there is none of that name.
	Set(ctx context.Context, namespace, name string) (*v1alpha2.PackageVariantSet, error)
	// Sets returns those of a namespace, to be read only.
	Sets(ctx context.Context, namespace string) ([]v1alpha2.PackageVariantSet, error)
	// Repositories returns those of a namespace, to be read only.
	Repositories(ctx context.Context, namespace string) ([]Repository, error)
	// WriteSetStatus writes the status of a PackageVariantSet as WriteStatus does that of a variant.
	WriteSetStatus(ctx context.Context, before, set *v1alpha2.PackageVariantSet) error
	// Create makes a PackageVariant, and sets what it has then. It is packages.ErrStale if there is one of that name, and
	// packages.ErrRefused if such a variant may not be.
	Create(ctx context.Context, pv *v1alpha1.PackageVariant, how How) error
	// Update writes what differs between a PackageVariant before and pv, and sets what it has then.
	Update(ctx context.Context, before, pv *v1alpha1.PackageVariant, how How) error
	// Delete deletes a PackageVariant. One that is gone already, or that was made again, is no error.
	Delete(ctx context.Context, pv *v1alpha1.PackageVariant) error
	// LiveVariants returns the PackageVariants in a namespace with the label of a set, as they are now.
	LiveVariants(ctx context.Context, namespace string, set types.UID) ([]v1alpha1.PackageVariant, error)
	// LiveVariant returns a PackageVariant as it is now; nil if there is none of that name.
	LiveVariant(ctx context.Context, namespace, name string) (*v1alpha1.PackageVariant, error)
}

// How says how a PackageVariant is written.
type How struct {
	// Try writes nothing, and says whether the write would be refused.
	Try bool
	// Exact writes only if the variant has not changed since.
	Exact bool
}

// Index is what PackageVariants are found by.
type Index string

// The indexes of PackageVariants. A package is written as revision.Package writes it.
const (
	// ByDownstream finds them by the package that they make.
	ByDownstream Index = "downstream"
	// Inside finds them by the packages in which theirs lies; see revision.Package.Ancestors.
	Inside Index = "inside"
	// ByUpstream finds them by the package that they are made from.
	ByUpstream Index = "upstream"
	// ByRepository finds them by the Repositories that they name.
	ByRepository Index = "repository"
	// ByDependency finds them by the names of the variants that they depend on.
	ByDependency Index = "dependency"
	// BySet finds them by the UID in their label, and by the names of the sets among their owners; see SetKeys.
	BySet Index = "set"
	// ByMadeFrom finds them by the package that they are made from, if a set may have selected it.
	ByMadeFrom Index = "madeFrom"
)

// Indexes are all indexes, with the values that a PackageVariant has in each.
var Indexes = map[Index]func(*v1alpha1.PackageVariant) []string{
	ByDownstream: ofWhole(func(s *variant.Spec) []string { return []string{revision.DownstreamOf(s).String()} }),
	Inside:       ofWhole(func(s *variant.Spec) []string { return revision.Names(revision.DownstreamOf(s).Ancestors()) }),
	ByUpstream:   ofWhole(func(s *variant.Spec) []string { return []string{revision.UpstreamOf(s.Upstream).String()} }),
	ByRepository: ofWhole(func(s *variant.Spec) []string { return []string{s.Downstream.Repo, s.Upstream.Repo} }),
	ByDependency: ofWhole(func(s *variant.Spec) []string {
		var names []string
		for i := range s.DependsOn {
			names = append(names, s.DependsOn[i].Name)
		}
		return names
	}),
	BySet: func(pv *v1alpha1.PackageVariant) []string {
		values := []string{setLabel + pv.Labels[v1alpha2.OwnerLabel]}
		for _, ref := range pv.OwnerReferences {
			if revision.RefersTo(ref, v1alpha2.PackageVariantSetKind) {
				values = append(values, setOwner+ref.Name)
			}
		}
		return values
	},
	ByMadeFrom: func(pv *v1alpha1.PackageVariant) []string {
		if pv.Spec.Upstream == nil {
			return nil
		}
		return []string{expansion.MadeFrom(pv.Spec.Upstream).String()}
	},
}

// The parts of values in BySet before the UID and the name.
const setLabel, setOwner = "uid/", "name/"

// SetKeys returns the values in BySet of the variants of a set.
func SetKeys(set *v1alpha2.PackageVariantSet) []string {
	return []string{setLabel + string(set.UID), setOwner + set.Name}
}

// ofWhole returns the values in an index of a variant whose spec has an upstream and a downstream. Others have none.
func ofWhole(values func(*variant.Spec) []string) func(*v1alpha1.PackageVariant) []string {
	return func(pv *v1alpha1.PackageVariant) []string {
		if pv.Spec.Upstream == nil || pv.Spec.Downstream == nil {
			return nil
		}
		return values(&pv.Spec)
	}
}
