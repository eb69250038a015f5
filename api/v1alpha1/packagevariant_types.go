// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PackageVariant derives one downstream package from an upstream package and keeps it in step with it.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:resource:shortName={pkgvar,pkgvars},categories=porch
// +kubebuilder:metadata:annotations="client.lifecycle.config.k8s.io/deletion=detach"
// +kubebuilder:printcolumn:name="Upstream",type=string,JSONPath=`.spec.upstream.package`
// +kubebuilder:printcolumn:name="Revision",type=string,JSONPath=`.spec.upstream.revision`
// +kubebuilder:printcolumn:name="Repository",type=string,JSONPath=`.spec.downstream.repo`
// +kubebuilder:printcolumn:name="Downstream",type=string,JSONPath=`.spec.downstream.package`
// +kubebuilder:printcolumn:name="Draft",type=string,JSONPath=`.status.downstreamTargets[?(@.lifecycle=="Draft")].name`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type PackageVariant struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says which package to derive, from what, and how it differs.
	// +required
	Spec variant.Spec `json:"spec,omitempty"`

	// Status is what the controller last saw and did.
	// +optional
	Status PackageVariantStatus `json:"status,omitzero"`
}

// PackageVariantList is a list of PackageVariants.
//
// +kubebuilder:object:root=true
type PackageVariantList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	// Items are the PackageVariants.
	Items []PackageVariant `json:"items"`
}

// PackageVariantStatus is the observed state of a PackageVariant.
type PackageVariantStatus struct {
	// Conditions are Ready and Stalled; the observedGeneration of each says which spec it is about.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// DownstreamTargets are the package revisions that this variant keeps in step: its open drafts, or the latest
	// published one where there are none.
	// +listType=atomic
	// +optional
	DownstreamTargets []DownstreamTarget `json:"downstreamTargets,omitempty"`
}

// DownstreamTarget is a package revision that a variant keeps in step.
type DownstreamTarget struct {
	// Name is the name of the PackageRevision.
	// +optional
	Name string `json:"name,omitempty"`

	// Lifecycle is the lifecycle of the PackageRevision: Draft, Proposed, Published or DeletionProposed. This is an
	// addition to Porch's API.
	// +optional
	Lifecycle string `json:"lifecycle,omitempty"`

	// RenderStatus is the outcome of the render that the last write to the package revision set off.
	// +optional
	RenderStatus *RenderStatus `json:"renderStatus,omitempty"`
}
