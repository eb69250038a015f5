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
// +kubebuilder:printcolumn:name="Injected",type=string,JSONPath=`.status.conditions[?(@.type=="ConfigInjected")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Waits for",type=string,priority=1,JSONPath=`.status.openDraft.reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type PackageVariant struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says which package to derive, from what, and how it differs.
	// +required
	Spec variant.Spec `json:"spec,omitempty"`

	// Status is what the controller last saw and did. An object that was not reconciled yet has no observed generation, so
	// that it does not count as ready.
	// +kubebuilder:default={"observedGeneration":-1}
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

// PackageVariantStatus is the observed state of a PackageVariant. Beside the conditions and downstreamTargets, which
// are Porch's, it is the memory of the controller (docs/design.md, "The controller").
type PackageVariantStatus struct {
	// ObservedGeneration is the generation of the spec that the status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// Conditions are Ready, Stalled and Reconciling, of which one is True, ConfigInjected and Conflicted, and where the
	// spec asks for them Approved and Suspended; the observedGeneration of each says which spec it is about.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// Upstream is the package revision that spec.upstream stood for.
	// +optional
	Upstream *ResolvedUpstream `json:"upstream,omitempty"`

	// Downstream is the latest published revision of the downstream package; absent if there is none.
	// +optional
	Downstream *PublishedRevision `json:"downstream,omitempty"`

	// OpenDraft is the draft or the proposed revision that is to be published next, and what that waits for; absent if
	// there is none. Of several, it is the first by name.
	// +optional
	OpenDraft *OpenDraft `json:"openDraft,omitempty"`

	// DownstreamTargets are the package revisions that this variant keeps in step: its open drafts, or the latest
	// published one where there are none.
	// +listType=atomic
	// +optional
	DownstreamTargets []DownstreamTarget `json:"downstreamTargets,omitempty"`

	// OwnedRevisions are the names of the package revisions that this variant made or adopted. Porch can forget the
	// owners of revisions; only these are taken back.
	// +listType=atomic
	// +optional
	OwnedRevisions []string `json:"ownedRevisions,omitempty"`

	// Operation is what the controller has announced to do to a package revision, until its outcome is known. It is
	// written before the call to Porch, so that what comes of that is known for this variant's whatever happens to the
	// controller or to Porch meanwhile.
	// +optional
	Operation *Operation `json:"operation,omitempty"`

	// LastDraft is the name of the last draft that was made of the downstream package, by the number in it, also if it is
	// gone: no name is used twice.
	// +optional
	LastDraft string `json:"lastDraft,omitempty"`

	// SavedDraft is the open draft that only this controller has edited, as it saved it last; absent if there is none. It
	// alone is approved by spec.approvalPolicy.
	// +optional
	SavedDraft *SavedDraft `json:"savedDraft,omitempty"`

	// KeepPackages says that the variant was deleted with --cascade=orphan: its packages stay, whatever
	// spec.deletionPolicy says.
	// +optional
	KeepPackages bool `json:"keepPackages,omitempty"`

	// InjectedObjects are the objects that injectors name for injection points of the package, whether they exist or
	// not. The controller watches them.
	// +listType=atomic
	// +optional
	InjectedObjects []ObjectReference `json:"injectedObjects,omitempty"`

	// Conflicts are the values that the upstream and someone in the downstream package both changed, as of the last merge
	// that had each: the first 100. They stay until the draft is published or deleted, or in git made again.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Conflicts []Conflict `json:"conflicts,omitempty"`

	// ObservedInputs identifies all that the last complete reconcile depended on, and the version of the controller and of
	// its functions. While it stays the same there is nothing to do.
	// +optional
	ObservedInputs string `json:"observedInputs,omitempty"`
}

// OpenDraft is a package revision that is not published yet.
type OpenDraft struct {
	// Name is the name of the PackageRevision.
	Name string `json:"name"`

	// Reason says what its publication waits for, in a word: the reason of the condition Approved, or else of Ready; or
	// ManualApproval, Conflicted or InjectionUnmet, of a variant that leaves approval to people.
	Reason string `json:"reason"`

	// Message says it in a sentence.
	Message string `json:"message"`
}

// SavedDraft is the content of a draft as it was saved.
type SavedDraft struct {
	// Name is the name of the PackageRevision.
	Name string `json:"name"`

	// Content identifies its files as they were saved, without the conditions in the Kptfile, which others set.
	Content string `json:"content"`

	// Proposed is the resource version of the draft after the controller proposed it: Porch rewrites the Kptfile then. If
	// the revision is a draft again, someone has rejected it.
	// +optional
	Proposed string `json:"proposed,omitempty"`
}

// ObjectReference names an object in the namespace of the PackageVariant, or a cluster-scoped one.
type ObjectReference struct {
	// APIVersion is the group and version of the object.
	APIVersion string `json:"apiVersion"`

	// Kind is its kind.
	Kind string `json:"kind"`

	// Name is its name.
	Name string `json:"name"`
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
