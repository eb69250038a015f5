// SPDX-License-Identifier: Apache-2.0

// Package objects is the port by which the engine sees manifests: PackageVariants, PackageVariantSets, Repositories,
// and the objects that are injected into packages or that select variants.
package objects

import (
	"context"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Repository is a Repository with its metadata. The maps and slices are shared.
type Repository struct {
	metav1.ObjectMeta
	revision.Repository
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
	// RepositoriesAt returns the Repositories in all namespaces that are over the git repository with an address.
	RepositoriesAt(ctx context.Context, address string) ([]Repository, error)
	// WriteStatus writes the status of a PackageVariant, which was before, and sets the version that it has then.
	WriteStatus(ctx context.Context, before, pv *v1alpha1.PackageVariant) error
	// WriteFinalizers writes its finalizers in the same way.
	WriteFinalizers(ctx context.Context, before, pv *v1alpha1.PackageVariant) error
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
)

// Indexes are all indexes, with the values that a spec has in each. Only a spec with an upstream and a downstream has
// some: see ValuesOf.
var Indexes = map[Index]func(*variant.Spec) []string{
	ByDownstream: func(s *variant.Spec) []string { return []string{revision.DownstreamOf(s).String()} },
	Inside:       func(s *variant.Spec) []string { return revision.Names(revision.DownstreamOf(s).Ancestors()) },
	ByUpstream:   func(s *variant.Spec) []string { return []string{revision.UpstreamOf(s.Upstream).String()} },
	ByRepository: func(s *variant.Spec) []string { return []string{s.Downstream.Repo, s.Upstream.Repo} },
	ByDependency: func(s *variant.Spec) []string {
		var names []string
		for i := range s.DependsOn {
			names = append(names, s.DependsOn[i].Name)
		}
		return names
	},
}

// ValuesOf returns the values that a PackageVariant has in an index.
func ValuesOf(pv *v1alpha1.PackageVariant, by Index) []string {
	if pv.Spec.Upstream == nil || pv.Spec.Downstream == nil {
		return nil
	}
	return Indexes[by](&pv.Spec)
}
