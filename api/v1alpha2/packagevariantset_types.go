// SPDX-License-Identifier: Apache-2.0

package v1alpha2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
)

// PackageVariantSet makes one PackageVariant of an upstream package, or of each of several, for each repository and
// package name that its targets select.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:resource:shortName={pvs,pkgvarset},categories=porch
// +kubebuilder:metadata:annotations="client.lifecycle.config.k8s.io/deletion=detach"
// +kubebuilder:printcolumn:name="Upstream",type=string,JSONPath=`.spec.upstream.package`
// +kubebuilder:printcolumn:name="Revision",type=string,JSONPath=`.spec.upstream.revision`
// +kubebuilder:printcolumn:name="Desired",type=integer,JSONPath=`.status.desired`
// +kubebuilder:printcolumn:name="Current",type=integer,JSONPath=`.status.current`
// +kubebuilder:printcolumn:name="Ready Variants",type=integer,JSONPath=`.status.ready`
// +kubebuilder:printcolumn:name="Injected",type=integer,JSONPath=`.status.injected`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Suspended",type=boolean,priority=1,JSONPath=`.spec.suspend`
// +kubebuilder:printcolumn:name="Rollout",type=string,priority=1,JSONPath=`.status.rollout.phase`
// +kubebuilder:printcolumn:name="Wave",type=string,priority=1,JSONPath=`.status.rollout.wave`
// +kubebuilder:printcolumn:name="Updated",type=integer,priority=1,JSONPath=`.status.counts.updated`
// +kubebuilder:printcolumn:name="Pending Approval",type=integer,priority=1,JSONPath=`.status.counts.pendingApproval`
// +kubebuilder:printcolumn:name="Failed",type=integer,priority=1,JSONPath=`.status.counts.failed`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type PackageVariantSet struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says which package to derive variants of, and for whom.
	// +required
	Spec PackageVariantSetSpec `json:"spec,omitempty"`

	// Status is what the controller last saw and did.
	// +kubebuilder:default={"observedGeneration":-1}
	// +optional
	Status PackageVariantSetStatus `json:"status,omitzero"`
}

// PackageVariantSetList is a list of PackageVariantSets.
//
// +kubebuilder:object:root=true
type PackageVariantSetList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	// Items are the PackageVariantSets.
	Items []PackageVariantSet `json:"items"`
}

// PackageVariantSetSpec is the desired state of a PackageVariantSet.
//
// +kubebuilder:validation:XValidation:rule="[has(self.upstream), has(self.upstreams), has(self.upstreamSelector)].filter(x, x).size() == 1",message="exactly one of upstream, upstreams and upstreamSelector must be set"
type PackageVariantSetSpec struct {
	// Upstream is the package revision to derive from. Unlike in a PackageVariant, either the revision or the
	// workspace has to be named.
	// +kubebuilder:validation:XValidation:rule="(has(self.workspaceName) && self.workspaceName.size() > 0) || (has(self.revision) && !(type(self.revision) == int && self.revision == 0))",message="one of revision and workspaceName must be set"
	// +optional
	Upstream *variant.Upstream `json:"upstream,omitempty"`

	// Upstreams are several package revisions to derive from, instead of one: each target gets a variant of each. This
	// is an addition to Porch's API.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:XValidation:rule="(has(self.workspaceName) && self.workspaceName.size() > 0) || (has(self.revision) && !(type(self.revision) == int && self.revision == 0))",message="one of revision and workspaceName must be set"
	// +optional
	Upstreams []variant.Upstream `json:"upstreams,omitempty"`

	// UpstreamSelector selects the packages to derive from by the labels of their published PackageRevisions, instead of
	// naming them: each target gets a variant of each. This is an addition to Porch's API.
	// +optional
	UpstreamSelector *UpstreamSelector `json:"upstreamSelector,omitempty"`

	// Targets select the repositories and packages to make variants for.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=1024
	// +required
	Targets []Target `json:"targets,omitempty"`

	// AllowEmpty lets the set delete variants while a target, or the upstreamSelector, selects nothing. Without it, the
	// variants that no target wants then stay, because a label is lost more often than a target is left empty on purpose.
	// This is an addition to Porch's API.
	// +optional
	AllowEmpty bool `json:"allowEmpty,omitempty"`

	// MaxDeletions is how many variants the set deletes at most when its selection changes: a number, or a percentage of
	// the variants that it has, rounded down. Where more are to go, nothing at all is changed until the limit is raised or
	// the targets are corrected. Absent, there is no limit. The deletion of the set itself is not meant. This is an
	// addition to Porch's API.
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:MaxLength=4
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? self >= 0 && self <= 2147483647 : self.matches('^(100|[0-9]{1,2})%$')",message="must be a number from 0, or a percentage from 0% to 100%"
	// +optional
	MaxDeletions *intstr.IntOrString `json:"maxDeletions,omitempty"`

	// Suspend keeps the set from changing its variants. The status says what it would do. Its variants go on. This is an
	// addition to Porch's API.
	// +optional
	Suspend bool `json:"suspend,omitempty"`

	// Rollout brings changes to the variants in waves. Absent, all variants change at once. This is an addition to
	// Porch's API.
	// +optional
	Rollout *Rollout `json:"rollout,omitempty"`

	// ErrorPolicy says what becomes of the other targets when an expression fails for one, or the API server refuses its
	// variant. Absent or empty is Stop. This is an addition to Porch's API.
	// +kubebuilder:validation:Enum="";Stop;Continue
	// +optional
	ErrorPolicy ErrorPolicy `json:"errorPolicy,omitempty"`
}

// UpstreamSelector selects packages by the labels of their published PackageRevisions. Of each package, the newest one
// of those that match is the upstream. An empty selector selects all.
type UpstreamSelector struct {
	metav1.LabelSelector `json:",inline"`

	// Repo is the name of the Repository that holds the packages. Absent, they may be in all Repositories of the
	// namespace.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$`
	// +optional
	Repo string `json:"repo,omitempty"`
}

// Target selects downstream repositories and packages in one of three ways, and says how the PackageVariants for them
// are made.
//
// +kubebuilder:validation:XValidation:rule="[has(self.repositories), has(self.repositorySelector), has(self.objectSelector)].filter(x, x).size() == 1",message="exactly one of repositories, repositorySelector and objectSelector must be set"
type Target struct {
	// Repositories is a list of repositories and, for each, package names.
	// +kubebuilder:validation:MinItems=1
	// +optional
	Repositories []RepositoryTarget `json:"repositories,omitempty"`

	// RepositorySelector selects Repositories by label.
	// +optional
	RepositorySelector *RepositorySelector `json:"repositorySelector,omitempty"`

	// ObjectSelector selects objects of any kind; each stands for a repository of the same name, unless the template
	// says otherwise.
	// +optional
	ObjectSelector *ObjectSelector `json:"objectSelector,omitempty"`

	// Template says what the PackageVariants look like, apart from their upstream.
	// +optional
	Template *PackageVariantTemplate `json:"template,omitempty"`
}

// RepositoryTarget is a repository and the packages to make in it.
type RepositoryTarget struct {
	// Name is the name of the Repository, in the namespace of the PackageVariantSet.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$`
	// +required
	Name string `json:"name"`

	// PackageNames are the names of the packages to make: paths of at most 63 characters beside the slashes. Without any,
	// one is made and has the upstream's name.
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=125
	// +kubebuilder:validation:items:Pattern=`^(\b([-a-z0-9](\b/\b)?){1,63}\b)?$`
	// +optional
	PackageNames []string `json:"packageNames,omitempty"`
}

// RepositorySelector selects Repositories in the namespace of the PackageVariantSet by their labels. An empty selector
// selects all.
type RepositorySelector struct {
	metav1.LabelSelector `json:",inline"`

	// PackageNames are the names of the packages to make in each repository: paths of at most 63 characters beside the
	// slashes. Without any, one is made and has the upstream's name. This is an addition to Porch's API.
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=125
	// +kubebuilder:validation:items:Pattern=`^(\b([-a-z0-9](\b/\b)?){1,63}\b)?$`
	// +optional
	PackageNames []string `json:"packageNames,omitempty"`
}

// ObjectSelector selects objects of one kind in the namespace of the PackageVariantSet, by their labels and, where it
// is given, their name.
type ObjectSelector struct {
	metav1.LabelSelector `json:",inline"`

	// APIVersion is the group and version of the objects.
	// +kubebuilder:validation:MinLength=1
	// +required
	APIVersion string `json:"apiVersion,omitempty"`

	// Kind is the kind of the objects.
	// +kubebuilder:validation:MinLength=1
	// +required
	Kind string `json:"kind,omitempty"`

	// Name is the name of the object, to select no other.
	// +optional
	Name *string `json:"name,omitempty"`

	// PackageNames are the names of the packages to make for each object: paths of at most 63 characters beside the
	// slashes. Without any, one is made and has the upstream's name. This is an addition to Porch's API.
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=125
	// +kubebuilder:validation:items:Pattern=`^(\b([-a-z0-9](\b/\b)?){1,63}\b)?$`
	// +optional
	PackageNames []string `json:"packageNames,omitempty"`
}

// PackageVariantSetStatus is the observed state of a PackageVariantSet.
type PackageVariantSetStatus struct {
	// ObservedGeneration is the generation of the spec that the status is about. This and the counts below are additions
	// to Porch's API.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// Conditions are Ready, Stalled and Reconciling, of which one is True, and Suspended while the set is suspended; the
	// observedGeneration of each says which spec it is about.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// Desired is the number of PackageVariants that the targets ask for.
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	Desired int32 `json:"desired"`

	// Current is the number of PackageVariants among them that exist with the spec that the set gives them.
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	Current int32 `json:"current"`

	// Ready is the number of PackageVariants among those that are ready.
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	Ready int32 `json:"ready"`

	// Injected is the number of PackageVariants among the current ones whose required injection points are filled.
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	Injected int32 `json:"injected"`

	// Counts are the numbers of variants by how they stand to what the set asks for.
	// +optional
	Counts *VariantCounts `json:"counts,omitempty"`

	// Failures are the variants that have failed, those that failed first before the others: at most 10. counts.failed is
	// how many there are.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	// +optional
	Failures []VariantFailure `json:"failures,omitempty"`

	// Rollout is where the rollout stands, and the memory of the controller of it; absent if the set has none.
	// +optional
	Rollout *RolloutStatus `json:"rollout,omitempty"`

	// ObservedInputs identifies all that the expansion depended on by which the variants were found to be as they are to
	// be, and the version of the controller and of its functions. While it stays the same the set is not expanded again.
	// +optional
	ObservedInputs string `json:"observedInputs,omitempty"`
}
