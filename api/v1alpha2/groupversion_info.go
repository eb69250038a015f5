// SPDX-License-Identifier: Apache-2.0

// Package v1alpha2 holds the PackageVariantSet type of the API group config.porch.kpt.dev.
//
// Every object that is valid for Porch's own package variant set controller decodes into these types and encodes to
// the same JSON; what is added to Porch's fields says so in its comment.
//
// +kubebuilder:object:generate=true
// +groupName=config.porch.kpt.dev
package v1alpha2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
)

// PackageVariantSetKind is the kind of a PackageVariantSet, as it stands in a manifest.
const PackageVariantSetKind = "PackageVariantSet"

// OwnerLabel is the label by which a PackageVariantSet finds the PackageVariants that it made. It is the one that
// Porch's controller sets, with the UID of the set as its value.
const OwnerLabel = variant.GroupName + "/packagevariantset"

var (
	// GroupVersion is the group and version of the types in this package.
	GroupVersion = schema.GroupVersion{Group: variant.GroupName, Version: "v1alpha2"}

	// SchemeBuilder collects what AddToScheme registers.
	SchemeBuilder = runtime.NewSchemeBuilder(addKnownTypes)

	// AddToScheme registers the types in this package with a scheme. It returns the first error of the registration.
	AddToScheme = SchemeBuilder.AddToScheme
)

func addKnownTypes(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &PackageVariantSet{}, &PackageVariantSetList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
