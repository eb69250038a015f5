// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
)

// reasons are those that the condition Ready of a variant or of a set can have, so that the values of a label are
// bounded: others can write a status, too, as Porch's own controllers did.
var reasons = []string{
	v1alpha1.ReasonUpToDate, v1alpha1.ReasonPending, v1alpha1.ReasonInvalidSpec, v1alpha1.ReasonUpstreamNotFound,
	v1alpha1.ReasonUpstreamNotPublished, v1alpha1.ReasonUpstreamIsPlaceholder, v1alpha1.ReasonRepositoryNotFound,
	v1alpha1.ReasonRepositoryMigrated, v1alpha1.ReasonRepositoryNotReady, v1alpha1.ReasonDownstreamClaimed,
	v1alpha1.ReasonDownstreamExists, v1alpha1.ReasonUpstreamLockMissing, v1alpha1.ReasonBaseNotFound,
	v1alpha1.ReasonConflicted, v1alpha1.ReasonBranchMoved, v1alpha1.ReasonDownstreamProposed,
	v1alpha1.ReasonPipelineConflict, v1alpha1.ReasonRenderFailed, v1alpha1.ReasonFunctionFailed,
	v1alpha1.ReasonFunctionRunnerUnavailable, v1alpha1.ReasonPackageTooLarge, v1alpha1.ReasonPackageRefused,
	v1alpha1.ReasonPorchTimedOut, v1alpha1.ReasonSetAside, v1alpha1.ReasonSuspended, v1alpha1.ReasonDependencyNotReady,
	v1alpha1.ReasonDependencyNotFound, v1alpha1.ReasonDependencyCycle, v1alpha1.ReasonDependentsExist,
	v1alpha1.ReasonPorchUnavailable, v1alpha1.ReasonPorchFailed,

	v1alpha2.ReasonVariantsReady, v1alpha2.ReasonVariantsNotReady, v1alpha2.ReasonEmptySelection,
	v1alpha2.ReasonTooManyDeletions, v1alpha2.ReasonExpansionFailed, v1alpha2.ReasonKindNotFound,
	v1alpha2.ReasonPermissionMissing, v1alpha2.ReasonNameTaken, v1alpha2.ReasonApplyFailed, v1alpha2.ReasonVariantRefused,

	v1alpha2.ReasonRolloutProgressing, v1alpha2.ReasonRolloutAwaitingApproval, v1alpha2.ReasonRolloutPaused,
	v1alpha2.ReasonRolloutStopped,
}

// other is the label of any other reason.
const other = "Other"
