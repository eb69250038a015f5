// SPDX-License-Identifier: Apache-2.0

// Package variant holds the spec of a PackageVariant. It depends on the standard library alone, so that a KRM function
// can read a PackageVariant without the machinery of an API client.
//
// +kubebuilder:object:generate=true
package variant

// GroupName is the API group of PackageVariant and PackageVariantSet. It is Porch's, so that objects made for Porch's
// controllers keep working.
const GroupName = "config.porch.kpt.dev"

// APIVersion and Kind are those of a PackageVariant, as they stand in a manifest.
const (
	APIVersion = GroupName + "/v1alpha1"
	Kind       = "PackageVariant"
)

// AdoptionPolicy says whether a variant takes over a downstream package that it did not create.
type AdoptionPolicy string

const (
	// AdoptionPolicyAdoptNone leaves a package that exists and has another owner, or none, alone. It is what an
	// absent policy means.
	AdoptionPolicyAdoptNone AdoptionPolicy = "adoptNone"

	// AdoptionPolicyAdoptExisting takes over a package that exists and is nobody's: its published revisions and its open
	// drafts. What is on a branch only is replaced once a person publishes the variant's draft.
	AdoptionPolicyAdoptExisting AdoptionPolicy = "adoptExisting"
)

// DeletionPolicy says what becomes of downstream package revisions that a variant owns and no longer wants.
type DeletionPolicy string

const (
	// DeletionPolicyDelete deletes drafts and proposes the deletion of what is published. It is what an absent
	// policy means.
	DeletionPolicyDelete DeletionPolicy = "delete"

	// DeletionPolicyOrphan leaves the package revisions in place, without the variant as their owner.
	DeletionPolicyOrphan DeletionPolicy = "orphan"
)

// TagLabelPrefix and a floating tag make the label key that marks the revision which the tag stands for.
const TagLabelPrefix = "tag." + GroupName + "/"

// TagLatest is the floating tag that needs no label: it stands for the newest published revision.
const TagLatest = "latest"

const (
	// PackageContextKeyName is the package context key that kpt sets to the name of the package.
	PackageContextKeyName = "name"

	// PackageContextKeyPackagePath is the package context key that kpt sets to the path of the package.
	PackageContextKeyPackagePath = "package-path"
)
