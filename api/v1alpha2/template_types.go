// SPDX-License-Identifier: Apache-2.0

package v1alpha2

import "github.com/package-variants/package-variants/api/v1alpha1/variant"

// PackageVariantTemplate makes the spec of a PackageVariant for a target, from plain values and CEL expressions. The
// entry that an expression makes wins over the plain one with the same key. spec.suspend of a PackageVariant is not in
// it: that is for people to set and to clear.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.approvalPolicy) && has(self.approvalPolicyExpr))",message="at most one of approvalPolicy and approvalPolicyExpr may be set"
// +kubebuilder:validation:XValidation:rule="!has(self.approvalPolicy) || !(self.approvalPolicy in ['Initial', 'Automatic']) || !has(self.annotations) || !('approval.nephio.org/policy' in self.annotations)",message="approvalPolicy and the annotation approval.nephio.org/policy name two approvers: leave out one of them"
type PackageVariantTemplate struct {
	// Downstream replaces the repository and package that the target selected.
	// +optional
	Downstream *DownstreamTemplate `json:"downstream,omitempty"`

	// AdoptionPolicy is spec.adoptionPolicy of the PackageVariant.
	// +kubebuilder:validation:Enum=adoptNone;adoptExisting
	// +optional
	AdoptionPolicy *variant.AdoptionPolicy `json:"adoptionPolicy,omitempty"`

	// DeletionPolicy is spec.deletionPolicy of the PackageVariant.
	// +kubebuilder:validation:Enum=delete;orphan
	// +optional
	DeletionPolicy *variant.DeletionPolicy `json:"deletionPolicy,omitempty"`

	// ApprovalPolicy is spec.approvalPolicy of the PackageVariant. This, dependsOn and their expressions are
	// additions to Porch's API.
	// +kubebuilder:validation:Enum="";Manual;Initial;Automatic
	// +optional
	ApprovalPolicy *variant.ApprovalPolicy `json:"approvalPolicy,omitempty"`

	// ApprovalPolicyExpr is a CEL expression for it.
	// +kubebuilder:validation:MinLength=1
	// +optional
	ApprovalPolicyExpr *string `json:"approvalPolicyExpr,omitempty"`

	// DependsOn are spec.dependsOn of the PackageVariant.
	// +kubebuilder:validation:MaxItems=32
	// +optional
	DependsOn []DependencyTemplate `json:"dependsOn,omitempty"`

	// Upgrade is spec.upgrade of the PackageVariant.
	// +optional
	Upgrade *variant.Upgrade `json:"upgrade,omitempty"`

	// Labels are spec.labels of the PackageVariant.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`

	// LabelExprs make further entries of spec.labels.
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:XValidation:rule="!(has(self.key) && has(self.keyExpr))",message="at most one of key and keyExpr may be set"
	// +kubebuilder:validation:items:XValidation:rule="!(has(self.value) && has(self.valueExpr))",message="at most one of value and valueExpr may be set"
	// +optional
	LabelExprs []MapExpr `json:"labelExprs,omitempty"`

	// Annotations are spec.annotations of the PackageVariant.
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`

	// AnnotationExprs make further entries of spec.annotations.
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:XValidation:rule="!(has(self.key) && has(self.keyExpr))",message="at most one of key and keyExpr may be set"
	// +kubebuilder:validation:items:XValidation:rule="!(has(self.value) && has(self.valueExpr))",message="at most one of value and valueExpr may be set"
	// +optional
	AnnotationExprs []MapExpr `json:"annotationExprs,omitempty"`

	// PackageContext is spec.packageContext of the PackageVariant.
	// +optional
	PackageContext *PackageContextTemplate `json:"packageContext,omitempty"`

	// Pipeline is spec.pipeline of the PackageVariant.
	// +optional
	Pipeline *PipelineTemplate `json:"pipeline,omitempty"`

	// Injectors are spec.injectors of the PackageVariant.
	// +kubebuilder:validation:MaxItems=256
	// +optional
	Injectors []InjectionSelectorTemplate `json:"injectors,omitempty"`
}

// DependencyTemplate makes one of the dependencies of a PackageVariant.
//
// +kubebuilder:validation:XValidation:rule="has(self.name) != has(self.nameExpr)",message="exactly one of name and nameExpr must be set"
// +kubebuilder:validation:XValidation:rule="!(has(self.minRevision) && has(self.minRevisionExpr))",message="at most one of minRevision and minRevisionExpr may be set"
type DependencyTemplate struct {
	// Name is the name of the PackageVariant to wait for.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +optional
	Name *string `json:"name,omitempty"`

	// NameExpr is a CEL expression for that name. variantName(set, repository, package) is the name that a
	// PackageVariantSet gives its variant.
	// +kubebuilder:validation:MinLength=1
	// +optional
	NameExpr *string `json:"nameExpr,omitempty"`

	// MinRevision is the least revision of its downstream package that must be published. Absent is 1: any.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	MinRevision *int32 `json:"minRevision,omitempty"`

	// MinRevisionExpr is a CEL expression for it, which gives an int.
	// +kubebuilder:validation:MinLength=1
	// +optional
	MinRevisionExpr *string `json:"minRevisionExpr,omitempty"`
}

// DownstreamTemplate makes the downstream of a PackageVariant. What it leaves out, or sets to an empty string, is as
// the target selected it.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.repo) && has(self.repoExpr))",message="at most one of repo and repoExpr may be set"
// +kubebuilder:validation:XValidation:rule="!(has(self.package) && has(self.packageExpr))",message="at most one of package and packageExpr may be set"
type DownstreamTemplate struct {
	// Repo is the name of the Repository.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$`
	// +optional
	Repo *string `json:"repo,omitempty"`

	// Package is the name of the package: a path of at most 63 characters beside the slashes.
	// +kubebuilder:validation:MaxLength=125
	// +kubebuilder:validation:Pattern=`^(\b([-a-z0-9](\b/\b)?){1,63}\b)?$`
	// +optional
	Package *string `json:"package,omitempty"`

	// RepoExpr is a CEL expression for the name of the Repository. The variable repository is not known to it, since
	// it decides which repository that is.
	// +optional
	RepoExpr *string `json:"repoExpr,omitempty"`

	// PackageExpr is a CEL expression for the name of the package.
	// +optional
	PackageExpr *string `json:"packageExpr,omitempty"`
}

// PackageContextTemplate makes the packageContext of a PackageVariant. The keys name and package-path belong to kpt
// and can be neither set nor removed.
//
// +kubebuilder:validation:XValidation:rule="!has(self.data) || !has(self.removeKeys) || !self.removeKeys.exists(k, k in self.data)",message="the same key must not be in both data and removeKeys"
type PackageContextTemplate struct {
	// Data are the pairs to set.
	// +kubebuilder:validation:XValidation:rule="!('name' in self)",message="must not contain the reserved key name"
	// +kubebuilder:validation:XValidation:rule="!('package-path' in self)",message="must not contain the reserved key package-path"
	// +optional
	Data map[string]string `json:"data,omitempty"`

	// RemoveKeys are the keys to remove.
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:XValidation:rule="self != 'name'",message="must not be the reserved key name"
	// +kubebuilder:validation:items:XValidation:rule="self != 'package-path'",message="must not be the reserved key package-path"
	// +optional
	RemoveKeys []string `json:"removeKeys,omitempty"`

	// DataExprs make further pairs to set.
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:XValidation:rule="!has(self.key) || self.key != 'name'",message="must not set the reserved key name",fieldPath=".key"
	// +kubebuilder:validation:items:XValidation:rule="!has(self.key) || self.key != 'package-path'",message="must not set the reserved key package-path",fieldPath=".key"
	// +kubebuilder:validation:items:XValidation:rule="!(has(self.key) && has(self.keyExpr))",message="at most one of key and keyExpr may be set"
	// +kubebuilder:validation:items:XValidation:rule="!(has(self.value) && has(self.valueExpr))",message="at most one of value and valueExpr may be set"
	// +optional
	DataExprs []MapExpr `json:"dataExprs,omitempty"`

	// RemoveKeyExprs are CEL expressions for further keys to remove.
	// +kubebuilder:validation:items:MinLength=1
	// +optional
	RemoveKeyExprs []string `json:"removeKeyExprs,omitempty"`
}

// InjectionSelectorTemplate makes one of the injectors of a PackageVariant.
//
// +kubebuilder:validation:XValidation:rule="has(self.name) != has(self.nameExpr)",message="exactly one of name and nameExpr must be set"
// +kubebuilder:validation:XValidation:rule="!(has(self.injectionPoint) && has(self.injectionPointExpr))",message="at most one of injectionPoint and injectionPointExpr may be set"
type InjectionSelectorTemplate struct {
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
	// +optional
	Name *string `json:"name,omitempty"`

	// NameExpr is a CEL expression for the name of the object to inject.
	// +kubebuilder:validation:MinLength=1
	// +optional
	NameExpr *string `json:"nameExpr,omitempty"`

	// InjectionPoint is the name of the one injection point that the injector is for. Absent, or empty, it is for all
	// points of its group, version and kind. This and its expression are additions to Porch's API.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	InjectionPoint *string `json:"injectionPoint,omitempty"`

	// InjectionPointExpr is a CEL expression for the name of the injection point.
	// +kubebuilder:validation:MinLength=1
	// +optional
	InjectionPointExpr *string `json:"injectionPointExpr,omitempty"`
}

// MapExpr makes one entry of a map. With neither value nor valueExpr the value is empty, as in Porch. An expression
// wins over its plain field; only configMapExprs, which Porch does not check for that, may have both.
//
// +kubebuilder:validation:XValidation:rule="has(self.key) || has(self.keyExpr)",message="one of key and keyExpr must be set"
type MapExpr struct {
	// Key is the key of the entry.
	// +optional
	Key *string `json:"key,omitempty"`

	// Value is the value of the entry.
	// +optional
	Value *string `json:"value,omitempty"`

	// KeyExpr is a CEL expression for the key of the entry.
	// +kubebuilder:validation:MinLength=1
	// +optional
	KeyExpr *string `json:"keyExpr,omitempty"`

	// ValueExpr is a CEL expression for the value of the entry.
	// +kubebuilder:validation:MinLength=1
	// +optional
	ValueExpr *string `json:"valueExpr,omitempty"`
}

// PipelineTemplate makes the pipeline of a PackageVariant.
type PipelineTemplate struct {
	// Validators are pipeline.validators of the PackageVariant.
	// +kubebuilder:validation:MaxItems=32
	// +optional
	Validators []FunctionTemplate `json:"validators,omitempty"`

	// Mutators are pipeline.mutators of the PackageVariant.
	// +kubebuilder:validation:MaxItems=32
	// +optional
	Mutators []FunctionTemplate `json:"mutators,omitempty"`
}

// FunctionTemplate makes one function of the pipeline of a PackageVariant.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.when) && has(self.whenExpr))",message="at most one of when and whenExpr may be set"
type FunctionTemplate struct {
	variant.Function `json:",inline"`

	// ConfigMapExprs make further entries of configMap.
	// +kubebuilder:validation:MaxItems=64
	// +optional
	ConfigMapExprs []MapExpr `json:"configMapExprs,omitempty"`

	// WhenExpr is a CEL expression for when: it gives the text of another one, which kpt evaluates.
	// +kubebuilder:validation:MinLength=1
	// +optional
	WhenExpr *string `json:"whenExpr,omitempty"`
}
