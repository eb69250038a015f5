// SPDX-License-Identifier: Apache-2.0

package v1alpha2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
)

// ApproveWaveAnnotation on a PackageVariantSet approves waves of its rollout: <wave>@<revision>, or several of these
// with commas between them. The revision is the name of the PackageRevision that is rolled out, or its number (3 or
// v3). An approval is for that wave and that revision, and for no other.
const ApproveWaveAnnotation = variant.GroupName + "/approve-wave"

// OpenedAtAnnotation on a PackageVariant is when the rollout of its set wrote its spec, as RFC 3339 has it. It is
// written with the spec, in one request. The progressDeadline counts from it, or from the opening of the wave if that
// was later.
const OpenedAtAnnotation = variant.GroupName + "/rollout-opened-at"

// WaveAnnotation on a PackageVariant names the wave of the rollout of its set that it belongs to: the first one that
// selects its target, or RestWave. It is there only if the set has a rollout.
const WaveAnnotation = variant.GroupName + "/wave"

// RestWave is the name of the last wave: of the targets that no wave of the spec selects.
const RestWave = "rest"

// ErrorPolicy says what becomes of the other targets of a set when an expression fails for one.
type ErrorPolicy string

const (
	// ErrorPolicyStop changes nothing. It is what an absent value means.
	ErrorPolicyStop ErrorPolicy = "Stop"

	// ErrorPolicyContinue leaves the variant of the target that failed as it is, and goes on with the others.
	ErrorPolicyContinue ErrorPolicy = "Continue"
)

// Until is what a wave waits for in each of its targets.
type Until string

const (
	// UntilPublished waits until the downstream package is published with the revision, and no draft is open. It is what
	// an absent value means.
	UntilPublished Until = "Published"

	// UntilReady waits until the downstream package is what the variant asks for; a draft without conflicts is enough.
	UntilReady Until = "Ready"
)

// Rollout brings changes to the variants of a set in waves. A wave opens by the write of the specs of its variants, in
// which the upstream is a numbered revision in place of latest or a tag. Until then they keep the spec that they have,
// whatever the change is.
type Rollout struct {
	// Paused opens nothing more. What is on its way goes on, and the rollout keeps its place.
	// +optional
	Paused bool `json:"paused,omitempty"`

	// MaxFailures is how many targets may fail before the rollout stops: a number, or a percentage of the targets in the
	// waves that were opened so far, rounded down. Absent is 0: the first failure stops it.
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:MaxLength=4
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? self >= 0 && self <= 2147483647 : self.matches('^(100|[0-9]{1,2})%$')",message="must be a number from 0, or a percentage from 0% to 100%"
	// +optional
	MaxFailures *intstr.IntOrString `json:"maxFailures,omitempty"`

	// ProgressDeadline is how long a target may take until it is what its wave waits for, from the write of its spec or
	// the opening of its wave, whichever was later. One that takes longer has failed. Absent or 0, there is no limit.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,6}([.][0-9]{1,9})?(ns|us|µs|ms|s|m|h))+$') && duration(self) >= duration('0s')",message="must be a duration from 0s, such as 90s, 15m or 36h"
	// +optional
	ProgressDeadline *metav1.Duration `json:"progressDeadline,omitempty"`

	// Waves are opened in this order, each when the one before it is through. A target belongs to the first wave that
	// selects it. Targets that none selects are a last wave, rest, which waits until they are Published and has no limit.
	// +kubebuilder:validation:MaxItems=32
	// +listType=map
	// +listMapKey=name
	// +optional
	Waves []Wave `json:"waves,omitempty"`
}

// Wave is a part of the targets that get a change together.
type Wave struct {
	// Name is the name of the wave. rest is the name of the last one, which is not in the list.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +kubebuilder:validation:XValidation:rule="self != 'rest'",message="must not be rest, which is the last wave of all others"
	// +required
	Name string `json:"name"`

	// Selector selects targets by the labels of the object that an objectSelector chose, or else of the Repository. An
	// empty one selects all that no earlier wave has.
	// +required
	Selector *metav1.LabelSelector `json:"selector,omitempty"`

	// MaxConcurrent is how many targets of the wave are in flight at most: have got the change, are not what the wave
	// waits for yet, and have not failed. A number, or a percentage of the wave's targets, rounded down but at least 1.
	// Absent, there is no limit.
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:MaxLength=4
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? self >= 1 && self <= 2147483647 : self.matches('^(100|[1-9][0-9]?)%$')",message="must be a number from 1, or a percentage from 1% to 100%"
	// +optional
	MaxConcurrent *intstr.IntOrString `json:"maxConcurrent,omitempty"`

	// Until is what the wave waits for in each of its targets. Absent or empty is Published.
	// +kubebuilder:validation:Enum="";Published;Ready
	// +optional
	Until Until `json:"until,omitempty"`

	// After is what has to come after that, before the next wave opens.
	// +optional
	After *WaveAfter `json:"after,omitempty"`
}

// WaveAfter is what a wave waits for once all of its targets are what it waits for. A wave that selects no target waits
// for it, too: a canary that lost its label does not let the others go.
type WaveAfter struct {
	// Approval asks for a person: the wave is through only when the annotation config.porch.kpt.dev/approve-wave of the
	// set names it, with the revision.
	// +optional
	Approval bool `json:"approval,omitempty"`

	// MinSuccessTime is how long all targets must have been what the wave waits for, without interruption.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,6}([.][0-9]{1,9})?(ns|us|µs|ms|s|m|h))+$') && duration(self) >= duration('0s')",message="must be a duration from 0s, such as 90s, 15m or 36h"
	// +optional
	MinSuccessTime *metav1.Duration `json:"minSuccessTime,omitempty"`
}
