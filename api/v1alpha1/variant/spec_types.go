// SPDX-License-Identifier: Apache-2.0

package variant

// Spec is the desired state of a PackageVariant. Upstream and Downstream are pointers because a
// PackageVariant that configures a single function may leave out the parts which that function does not read; in a
// cluster both are required.
//
// +kubebuilder:validation:XValidation:rule="!has(self.approvalPolicy) || !(self.approvalPolicy in ['Initial', 'Automatic']) || !has(self.annotations) || !('approval.nephio.org/policy' in self.annotations)",message="approvalPolicy and the annotation approval.nephio.org/policy name two approvers: leave out one of them"
type Spec struct {
	// Upstream is the package revision to derive from.
	// +required
	Upstream *Upstream `json:"upstream,omitempty"`

	// Downstream is the package to create and to keep in step.
	// +required
	Downstream *Downstream `json:"downstream,omitempty"`

	// AdoptionPolicy says what to do with a downstream package that exists but is not owned by this variant. Absent
	// or empty is adoptNone.
	// +kubebuilder:validation:Enum="";adoptNone;adoptExisting
	// +optional
	AdoptionPolicy AdoptionPolicy `json:"adoptionPolicy,omitempty"`

	// DeletionPolicy says what becomes of the downstream package revisions when this variant is deleted or no longer
	// wants them. Absent or empty is delete.
	// +kubebuilder:validation:Enum="";delete;orphan
	// +optional
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`

	// Suspend keeps the controller from changing anything but the status, which says what it would do.
	// +optional
	Suspend bool `json:"suspend,omitempty"`

	// ApprovalPolicy says which drafts are proposed and approved without a person, once they are what this variant asks
	// for, all readiness gates in their Kptfile are True, there is no conflict, and nobody else has edited them. Absent or
	// empty is Manual: a person publishes each.
	// +kubebuilder:validation:Enum="";Manual;Initial;Automatic
	// +optional
	ApprovalPolicy ApprovalPolicy `json:"approvalPolicy,omitempty"`

	// DependsOn are the variants that this one waits for: nothing is done before each has a published downstream of its
	// least revision and is Ready. Deletion goes the other way round.
	// +kubebuilder:validation:MaxItems=32
	// +listType=map
	// +listMapKey=name
	// +optional
	DependsOn []Dependency `json:"dependsOn,omitempty"`

	// Labels are put on a downstream PackageRevision when it is created or adopted, and never touched again.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`

	// Annotations are put on a downstream PackageRevision when it is created or adopted, and never touched again.
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`

	// Upgrade says how changes of the upstream come into the downstream package.
	// +optional
	Upgrade *Upgrade `json:"upgrade,omitempty"`

	// PackageContext edits the ConfigMap kptfile.kpt.dev of the downstream package.
	// +optional
	PackageContext *PackageContext `json:"packageContext,omitempty"`

	// Pipeline is put in front of the pipeline in the Kptfile of the downstream package.
	// +optional
	Pipeline *Pipeline `json:"pipeline,omitempty"`

	// Injectors choose the in-cluster objects that fill the injection points of the downstream package. For each
	// point the first that matches wins.
	// +optional
	Injectors []InjectionSelector `json:"injectors,omitempty"`
}

// Upstream names a package revision by repository, package, and either revision or workspace. Where both are set the
// workspace decides, as in Porch, whose controller writes the revision that it found next to a workspace; a number or
// tag counts where there is no such workspace. Resolve is the rule.
type Upstream struct {
	// Repo is the name of the Repository that holds the package.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$')",message="must be made of lower-case letters, digits and '-', of which the first and the last are no '-'"
	// +required
	Repo string `json:"repo,omitempty"`

	// Package is the name of the package in the repository.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?(/[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$')",message="must be made of lower-case letters, digits and '-', with a single '/' between the parts of a path; each part begins and ends with a letter or digit"
	// +required
	Package string `json:"package,omitempty"`

	// Revision is a number (3 or v3), main, latest, or any other floating tag. latest follows the newest published
	// revision; a tag T follows the published revision with the label tag.config.porch.kpt.dev/T: "true". Porch
	// itself knows only numbers; strings are an addition. main or -1, like no revision and no workspace, is the main
	// branch: the newest published revision, or what is on the branch of a package that has none.
	// +optional
	Revision Revision `json:"revision,omitzero"`

	// WorkspaceName is the workspace of the package revision, instead of its revision.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?|v[0-9.]*[0-9])?$')",message="must be made of lower-case letters, digits and '-', of which the first and the last are no '-', or be a version like v1.2.3"
	// +optional
	WorkspaceName string `json:"workspaceName,omitempty"`
}

// OnConflict says what happens to a value that the upstream and someone in the downstream package both changed, to
// different values.
type OnConflict string

const (
	// OnConflictKeepLocal keeps the value in the downstream package. Everything else is merged. It is what an absent value
	// means.
	OnConflictKeepLocal OnConflict = "KeepLocal"

	// OnConflictTakeUpstream takes the upstream's value, as kpt and Porch do.
	OnConflictTakeUpstream OnConflict = "TakeUpstream"

	// OnConflictStop merges nothing as long as there is a conflict.
	OnConflictStop OnConflict = "Stop"
)

// Upgrade says how changes of the upstream come into the downstream package.
type Upgrade struct {
	// OnConflict says what becomes of a value that both sides changed. Absent or empty is KeepLocal;
	// TakeUpstream is the way of kpt and Porch.
	// +kubebuilder:validation:Enum="";KeepLocal;TakeUpstream;Stop
	// +optional
	OnConflict OnConflict `json:"onConflict,omitempty"`
}

// Downstream names the package that a variant creates.
type Downstream struct {
	// Repo is the name of the Repository to put the package in.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$')",message="must be made of lower-case letters, digits and '-', of which the first and the last are no '-'"
	// +required
	Repo string `json:"repo,omitempty"`

	// Package is the name of the package in the repository.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=125
	// +kubebuilder:validation:XValidation:rule="self.matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?(/[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$')",message="must be made of lower-case letters, digits and '-', with a single '/' between the parts of a path; each part begins and ends with a letter or digit"
	// +kubebuilder:validation:XValidation:rule="self.replace('/', '').size() <= 63",message="must have at most 63 characters beside the slashes"
	// +required
	Package string `json:"package,omitempty"`
}

// PackageContext is a set of edits of the package context, the ConfigMap kptfile.kpt.dev. The keys name and
// package-path belong to kpt and can be neither set nor removed.
//
// +kubebuilder:validation:XValidation:rule="!has(self.data) || !has(self.removeKeys) || !self.removeKeys.exists(k, k in self.data)",message="the same key must not be in both data and removeKeys"
type PackageContext struct {
	// Data are the pairs to set.
	// +kubebuilder:validation:XValidation:rule="!('name' in self)",message="must not contain the reserved key name"
	// +kubebuilder:validation:XValidation:rule="!('package-path' in self)",message="must not contain the reserved key package-path"
	// +optional
	Data map[string]string `json:"data,omitempty"`

	// RemoveKeys are the keys to remove.
	// +kubebuilder:validation:MaxItems=1024
	// +kubebuilder:validation:items:XValidation:rule="self != 'name'",message="must not be the reserved key name"
	// +kubebuilder:validation:items:XValidation:rule="self != 'package-path'",message="must not be the reserved key package-path"
	// +optional
	RemoveKeys []string `json:"removeKeys,omitempty"`
}

// InjectionSelector chooses an in-cluster object in the namespace of the PackageVariant. Group, version and kind
// narrow down the injection points that it is for; absent means any.
type InjectionSelector struct {
	// Group is the API group of the injection points; an empty string is the core group.
	// +optional
	Group *string `json:"group,omitempty"`

	// Version is the API version of the injection points, without the group.
	// +optional
	Version *string `json:"version,omitempty"`

	// Kind is the kind of the injection points.
	// +optional
	Kind *string `json:"kind,omitempty"`

	// Name is the name of the object to inject.
	// +kubebuilder:validation:MinLength=1
	// +required
	Name string `json:"name"`

	// InjectionPoint is the name of the one injection point that this injector is for. Absent, or empty, it is for all
	// points of its group, version and kind.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	InjectionPoint string `json:"injectionPoint,omitempty"`
}
