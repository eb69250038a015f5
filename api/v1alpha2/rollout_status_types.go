// SPDX-License-Identifier: Apache-2.0

package v1alpha2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Reasons of the conditions Ready, Stalled and Reconciling of a PackageVariantSet with a rollout. In brackets is the
// condition that is True with the reason. When the rollout is complete, the reason is that of any other set.
const (
	// ReasonRolloutProgressing says that a wave is open (Reconciling).
	ReasonRolloutProgressing = "RolloutProgressing"
	// ReasonRolloutAwaitingApproval says that a wave has to be approved (Reconciling).
	ReasonRolloutAwaitingApproval = "RolloutAwaitingApproval"
	// ReasonRolloutPaused says that the rollout is not complete and paused (Reconciling).
	ReasonRolloutPaused = "RolloutPaused"
	// ReasonRolloutStopped says that more targets failed than maxFailures allows (Stalled).
	ReasonRolloutStopped = "RolloutStopped"
)

// Reasons of a failure in status.failures. The reasons of a variant's condition Stalled can appear here, too.
const (
	// ReasonProgressDeadlineExceeded says that a target took longer than the rollout's progressDeadline.
	ReasonProgressDeadlineExceeded = "ProgressDeadlineExceeded"
)

// RolloutPhase is where a rollout stands.
type RolloutPhase string

const (
	// RolloutProgressing says that a wave is open, and waits for its targets or for its minSuccessTime.
	RolloutProgressing RolloutPhase = "Progressing"
	// RolloutAwaitingApproval says that a wave waits for nothing but approval.
	RolloutAwaitingApproval RolloutPhase = "AwaitingApproval"
	// RolloutPaused says that nothing more is opened because the rollout is paused, or the set suspended.
	RolloutPaused RolloutPhase = "Paused"
	// RolloutStopped says that nothing more is opened until a person helps.
	RolloutStopped RolloutPhase = "Stopped"
	// RolloutComplete says that all waves are through.
	RolloutComplete RolloutPhase = "Complete"
)

// RolloutStatus is where a rollout stands. It is complete in itself: another process goes on from it and from the
// variants as they are.
type RolloutStatus struct {
	// Phase is Progressing, AwaitingApproval, Paused, Stopped or Complete.
	Phase RolloutPhase `json:"phase"`

	// Revision is the revision that is rolled out.
	Revision RolloutRevision `json:"revision"`

	// PreviousRevision is the one that was rolled out before it, whether that was completed or not; absent for the first.
	// +optional
	PreviousRevision *RolloutRevision `json:"previousRevision,omitempty"`

	// CompletedRevision is the last one of which all waves were through; absent if there is none.
	// +optional
	CompletedRevision *RolloutRevision `json:"completedRevision,omitempty"`

	// StartedAt is when the rollout of the revision began.
	// +optional
	StartedAt *metav1.Time `json:"startedAt,omitempty"`

	// Wave is the name of the first wave that is not through; absent if all are.
	// +optional
	Wave string `json:"wave,omitempty"`

	// Waves are the waves of the spec in their order, and the last one, rest, if it has targets.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=33
	// +optional
	Waves []WaveStatus `json:"waves,omitempty"`

	// Written is what the variants are once all is written that was decided on. While a cache says something else, nothing
	// is opened by it.
	// +optional
	Written *WrittenVariants `json:"written,omitempty"`
}

// WrittenVariants identifies all that a rollout has written, as far as a cache has to know it.
type WrittenVariants struct {
	// Updated is the number of variants with the spec that they are to have.
	Updated int32 `json:"updated"`

	// Generations is the sum of the generations of all variants, which grows by one with each spec that is written.
	Generations int64 `json:"generations"`
}

// RolloutRevision is what a rollout brings to the variants.
type RolloutRevision struct {
	// Name is the name of the PackageRevision that the upstream stands for. For a set with several upstreams it is
	// all their names with a + between them or, where these are long, the first, how many there are besides, and a
	// digest.
	Name string `json:"name"`

	// Revision is its number; absent for a set with several upstreams.
	// +optional
	Revision int `json:"revision,omitempty"`
}

// WaveState is where a wave stands.
type WaveState string

const (
	// WavePending says that the wave waits for the waves before it.
	WavePending WaveState = "Pending"
	// WaveProgressing says that not all targets are what the wave waits for.
	WaveProgressing WaveState = "Progressing"
	// WaveSoaking says that they are, but not yet for minSuccessTime.
	WaveSoaking WaveState = "Soaking"
	// WaveAwaitingApproval says that the wave waits for nothing but approval.
	WaveAwaitingApproval WaveState = "AwaitingApproval"
	// WaveComplete says that the wave is through. It stays so for the revision until the spec of one of its variants is to
	// change again, or a target is added.
	WaveComplete WaveState = "Complete"
)

// WaveStatus is where a wave stands, and how many targets it has.
type WaveStatus struct {
	// Name is the name of the wave.
	Name string `json:"name"`

	// State is Pending, Progressing, Soaking, AwaitingApproval or Complete.
	State WaveState `json:"state"`

	// Since is when the wave came into the state.
	Since metav1.Time `json:"since"`

	// OpenedAt is when the wave opened for the revision; absent if it has not.
	// +optional
	OpenedAt *metav1.Time `json:"openedAt,omitempty"`

	// ApprovedAt is when its approval was seen; absent if it was not.
	// +optional
	ApprovedAt *metav1.Time `json:"approvedAt,omitempty"`

	// Targets is the number of variants that belong to the wave.
	Targets int32 `json:"targets"`

	// Updated is the number of those that have the spec which the set gives them, with those that are being written.
	Updated int32 `json:"updated"`

	// Reached is the number of those that are what the wave waits for, with the revision.
	Reached int32 `json:"reached"`

	// Failed is the number of updated ones that have failed.
	// +optional
	Failed int32 `json:"failed,omitempty"`

	// Suspended is the number of suspended variants. They keep their spec, and are not waited for.
	// +optional
	Suspended int32 `json:"suspended,omitempty"`

	// Message says what the wave waits for; absent if it is through.
	// +optional
	Message string `json:"message,omitempty"`
}

// VariantCounts are the numbers of a set's variants by how they stand to what the set asks for. A variant can be in
// several.
type VariantCounts struct {
	// Desired is the number of variants that the targets ask for.
	Desired int32 `json:"desired"`

	// UpToDate is the number of updated ones that are ready with the upstream revision wanted; a draft is enough.
	UpToDate int32 `json:"upToDate"`

	// Updated is the number of those that exist with the spec that the set gives them.
	Updated int32 `json:"updated"`

	// PendingApproval is the number of those that are ready and have a draft, or a proposed revision, to be approved.
	PendingApproval int32 `json:"pendingApproval"`

	// Conflicted is the number of those whose condition Conflicted is True.
	Conflicted int32 `json:"conflicted"`

	// Suspended is the number of those that are suspended.
	Suspended int32 `json:"suspended"`

	// Failed is the number of those that need a person, that are past the deadline of a rollout, or for which the set
	// cannot make a variant.
	Failed int32 `json:"failed"`

	// Waiting are the first of those that are ready and have a draft, or a proposed revision, that waits for a person: at
	// most 10.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	// +optional
	Waiting []VariantWaiting `json:"waiting,omitempty"`
}

// VariantWaiting is a variant whose draft waits for a person.
type VariantWaiting struct {
	// Variant is the name of the PackageVariant.
	Variant string `json:"variant"`

	// Reason is that of its status.openDraft.
	Reason string `json:"reason"`
}

// VariantFailure is a variant that has failed.
type VariantFailure struct {
	// Variant is the name of the PackageVariant.
	Variant string `json:"variant"`

	// Reason is the reason of its condition Stalled, ProgressDeadlineExceeded, or why the set cannot make it.
	Reason string `json:"reason"`

	// Since is since when.
	Since metav1.Time `json:"since"`
}
