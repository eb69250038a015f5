// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Condition types. Of the first three, exactly one is True once an object was reconciled, so that kstatus
// (sigs.k8s.io/cli-utils/pkg/kstatus) computes Current, Failed or InProgress from them.
const (
	// ConditionReady tells whether the object is what its spec asks for.
	ConditionReady = "Ready"
	// ConditionStalled tells whether work has stopped until a person helps.
	ConditionStalled = "Stalled"
	// ConditionReconciling tells whether something is under way, or waited for.
	ConditionReconciling = "Reconciling"
	// ConditionConfigInjected tells whether the required injection points of the downstream package are filled.
	ConditionConfigInjected = "ConfigInjected"
	// ConditionConflicted tells whether the upstream and someone in the downstream package changed the same values.
	ConditionConflicted = "Conflicted"
	// ConditionApproved tells whether spec.approvalPolicy has published the downstream package, and what it waits for. A
	// variant whose policy is Manual has none.
	ConditionApproved = "Approved"
	// ConditionSuspended tells since when spec.suspend keeps the controller from changing anything, and what it would do.
	// A variant that is not suspended has none.
	ConditionSuspended = "Suspended"
)

// Reasons of the conditions Ready, Stalled and Reconciling of a PackageVariant. In brackets is the condition that is
// True with the reason.
const (
	// ReasonUpToDate says that the downstream is what the variant asks for (Ready).
	ReasonUpToDate = "UpToDate"
	// ReasonPending says that a step is under way (Reconciling).
	ReasonPending = "Pending"
	// ReasonInvalidSpec says that the spec is invalid (Stalled).
	ReasonInvalidSpec = "InvalidSpec"
	// ReasonUpstreamNotFound says that the upstream revision does not exist (Stalled).
	ReasonUpstreamNotFound = "UpstreamNotFound"
	// ReasonUpstreamNotPublished says that the upstream revision is not published (Stalled).
	ReasonUpstreamNotPublished = "UpstreamNotPublished"
	// ReasonUpstreamIsPlaceholder says that Porch derives nothing from the branch of a package (Stalled).
	ReasonUpstreamIsPlaceholder = "UpstreamIsPlaceholder"
	// ReasonRepositoryNotFound says that a Repository is not registered (Stalled).
	ReasonRepositoryNotFound = "RepositoryNotFound"
	// ReasonRepositoryMigrated says that a Repository is served by an API that is not supported yet (Stalled).
	ReasonRepositoryMigrated = "RepositoryMigrated"
	// ReasonRepositoriesOverlap says that the downstream's Repository is over the same directory of a git repository as
	// an older one, or one of the two over a directory in that of the other (Stalled).
	ReasonRepositoriesOverlap = "RepositoriesOverlap"
	// ReasonRepositoryNotReady says that Porch cannot read a Repository (Reconciling).
	ReasonRepositoryNotReady = "RepositoryNotReady"
	// ReasonDownstreamClaimed says that the downstream package is another variant's (Stalled).
	ReasonDownstreamClaimed = "DownstreamClaimed"
	// ReasonDownstreamExists says that the downstream package exists and may not be adopted (Stalled).
	ReasonDownstreamExists = "DownstreamExists"
	// ReasonUpstreamLockMissing says that the downstream does not say what it was derived from, so that it cannot be
	// upgraded (Stalled).
	ReasonUpstreamLockMissing = "UpstreamLockMissing"
	// ReasonBaseNotFound says that what the downstream was derived from is not known any more (Stalled).
	ReasonBaseNotFound = "BaseNotFound"
	// ReasonUpstreamReplaced says that the upstream revision was deleted, and another one published under its number,
	// since the downstream was made from it (Stalled).
	ReasonUpstreamReplaced = "UpstreamReplaced"
	// ReasonConflicted says that the upstream is not merged because of conflicts (Stalled).
	ReasonConflicted = "Conflicted"
	// ReasonBranchMoved says that the downstream is what the variant asks for, and was made from an older commit of the
	// branch that is its upstream (Ready).
	ReasonBranchMoved = "BranchMoved"
	// ReasonDownstreamProposed says that a proposed revision needs a change (Stalled).
	ReasonDownstreamProposed = "DownstreamProposed"
	// ReasonPipelineConflict says that the package's own pipeline takes back what the variant sets (Stalled).
	ReasonPipelineConflict = "PipelineConflict"
	// ReasonRenderFailed says that the package's pipeline failed (Stalled).
	ReasonRenderFailed = "RenderFailed"
	// ReasonFunctionFailed says that one of the variant's own functions failed (Stalled).
	ReasonFunctionFailed = "FunctionFailed"
	// ReasonFunctionRunnerUnavailable says that the function-runner, which runs the functions of a package's pipeline,
	// and those of the controller where they run by image, does not answer (Reconciling).
	ReasonFunctionRunnerUnavailable = "FunctionRunnerUnavailable"
	// ReasonPackageTooLarge says that a package is beyond the bounds of what is worked on (Stalled).
	ReasonPackageTooLarge = "PackageTooLarge"
	// ReasonRepositoryReplaced says that the branch of the Repository is not the one that was seen last, or not there, or
	// that its directory is another one, and that it does not have what was published or drafted of the package. Only
	// variants sync reports it (Stalled).
	ReasonRepositoryReplaced = "RepositoryReplaced"
	// ReasonPushRefused says that the git repository refuses what is pushed for the variant. Only variants sync reports it
	// (Stalled).
	ReasonPushRefused = "PushRefused"
	// ReasonPackageRefused says that Porch rejects a file of the package, because of its name or content, or a change of
	// the package, or that nothing runs its pipeline in git (Stalled).
	ReasonPackageRefused = "PackageRefused"
	// ReasonPorchTimedOut says that Porch failed twice to finish making a draft, although it answers other requests
	// (Stalled).
	ReasonPorchTimedOut = "PorchTimedOut"
	// ReasonTwoDrafts says that there are several open drafts of the variant, because Porch lost sight of one (Stalled).
	ReasonTwoDrafts = "TwoDrafts"
	// ReasonSaveInterrupted says that a draft lacks files, because Porch was stopped while it made or saved it (Stalled).
	ReasonSaveInterrupted = "SaveInterrupted"
	// ReasonSuspended says that spec.suspend keeps what is needed from being done (Stalled).
	ReasonSuspended = "Suspended"
	// ReasonDependencyNotReady says that a variant in spec.dependsOn is not ready, or has no published downstream of the
	// revision asked for (Reconciling).
	ReasonDependencyNotReady = "DependencyNotReady"
	// ReasonDependencyNotFound says that a variant in spec.dependsOn does not exist (Stalled).
	ReasonDependencyNotFound = "DependencyNotFound"
	// ReasonDependencyCycle says that the variant waits for itself by spec.dependsOn (Stalled).
	ReasonDependencyCycle = "DependencyCycle"
	// ReasonDependentsExist says that the variant is deleted once those that depend on it are (Reconciling).
	ReasonDependentsExist = "DependentsExist"
	// ReasonPorchUnavailable says that Porch, or the Kubernetes API, cannot do now what it was asked for (Reconciling).
	// The message has its own words.
	ReasonPorchUnavailable = "PorchUnavailable"
)

// Reasons of the condition ConfigInjected of a PackageVariant.
const (
	// ReasonConfigInjected says that all required injection points are filled (True).
	ReasonConfigInjected = "ConfigInjected"
	// ReasonNoInjectionPoints says that the package has no injection points (True).
	ReasonNoInjectionPoints = "NoInjectionPoints"
	// ReasonInjectionUnmet says that required injection points are not filled (False).
	ReasonInjectionUnmet = "InjectionUnmet"
)

// Reasons of the condition Conflicted of a PackageVariant.
const (
	// ReasonNoConflicts says that there are no conflicts (False).
	ReasonNoConflicts = "NoConflicts"
	// ReasonUpstreamTaken says that the upstream's values were taken (True).
	ReasonUpstreamTaken = "UpstreamTaken"
	// ReasonLocalKept says that the values in the downstream package were kept (True).
	ReasonLocalKept = "LocalKept"
	// ReasonMergeStopped says that nothing was merged (True).
	ReasonMergeStopped = "MergeStopped"
)

// Reasons of the condition Approved of a PackageVariant. ReasonRenderFailed, ReasonConflicted, ReasonSuspended and
// ReasonDependencyNotReady say what an approval waits for (False), too.
const (
	// ReasonPublished says that no draft is open: the downstream package is published (True).
	ReasonPublished = "Published"
	// ReasonApprovalPending says that the draft is about to be published (False).
	ReasonApprovalPending = "ApprovalPending"
	// ReasonManualApproval says that a draft waits for a person, because no policy has it published. It is a reason of
	// status.openDraft only.
	ReasonManualApproval = "ManualApproval"
	// ReasonNotReady says that there is no draft that is what the variant asks for (False).
	ReasonNotReady = "NotReady"
	// ReasonLaterRevision says that the policy is Initial, and the draft is not the first revision (False).
	ReasonLaterRevision = "LaterRevision"
	// ReasonLeftToPeople says that the git repository leaves the publication to people: the branch of the draft changes
	// more than its package, the server refuses to have it merged, or the package was removed from its branch (False). As
	// the reason of Ready it says that a person has removed the package, which is not made again (Stalled).
	ReasonLeftToPeople = "LeftToPeople"
	// ReasonEditedByOthers says that someone else has edited the draft, or may have (False).
	ReasonEditedByOthers = "EditedByOthers"
	// ReasonRejected says that someone has rejected the draft that the controller proposed (False).
	ReasonRejected = "Rejected"
	// ReasonOvertaken says that the draft was not made from the latest published revision (False).
	ReasonOvertaken = "Overtaken"
	// ReasonDraftMissing says that the draft was made in place of one that Porch does not find any more (False).
	ReasonDraftMissing = "DraftMissing"
	// ReasonGatesNotMet says that readiness gates in the Kptfile of the draft are not True (False).
	ReasonGatesNotMet = "GatesNotMet"
	// ReasonPermissionMissing says that the controller may not approve package revisions (False). As the reason of Ready
	// it says that the controller may not do in Porch what it has to (Stalled).
	ReasonPermissionMissing = "PermissionMissing"
	// ReasonApprovalFailed says that Porch refused to publish the draft (False).
	ReasonApprovalFailed = "ApprovalFailed"
)

// ReasonValid is the reason of Stalled and Reconciling where they are False.
const ReasonValid = "Valid"

// The lengths of the longest messages of a condition and of an Event that the API takes, in bytes.
const (
	maxMessage = 32768
	maxNote    = 1024
)

// Condition is one statement about an object: which of Ready, Stalled and Reconciling is True, and why.
type Condition struct {
	// Type is ConditionReady, ConditionStalled or ConditionReconciling.
	Type string
	// Reason is a word for programs, Message a sentence for people. Message says what to do where there is something.
	Reason, Message string
}

// Ready returns the Condition of an object that is what its spec asks for.
func Ready(reason, message string) Condition {
	return Condition{Type: ConditionReady, Reason: reason, Message: message}
}

// Stalled returns the Condition of an object on which work has stopped until a person helps. The message says how.
func Stalled(reason, message string) Condition {
	return Condition{Type: ConditionStalled, Reason: reason, Message: message}
}

// Reconciling returns the Condition of an object on which work is under way, or will be tried again.
func Reconciling(reason, message string) Condition {
	return Condition{Type: ConditionReconciling, Reason: reason, Message: message}
}

// Set sets Ready, Stalled and Reconciling to what c says, for a generation of the object. It reports whether Ready got
// another status, reason or message. A condition that is False has the reason of the one that is True only if it is
// Ready: a False Ready says why. A message that is too long for the API is cut.
func (c Condition) Set(conditions *[]metav1.Condition, generation int64) (changed bool) {
	c.Message = ShortenMessage(c.Message)
	before := meta.FindStatusCondition(*conditions, ConditionReady)
	for _, kind := range []string{ConditionReady, ConditionStalled, ConditionReconciling} {
		condition := metav1.Condition{Type: kind, Status: metav1.ConditionFalse, ObservedGeneration: generation,
			Reason: ReasonValid}
		if kind == c.Type {
			condition.Status = metav1.ConditionTrue
		}
		if kind == c.Type || kind == ConditionReady {
			condition.Reason, condition.Message = c.Reason, c.Message
		}
		if before != nil && kind == ConditionReady {
			changed = before.Status != condition.Status || before.Reason != condition.Reason ||
				before.Message != condition.Message
		}
		meta.SetStatusCondition(conditions, condition)
	}
	return changed || before == nil
}

// ShortenMessage returns a message that the API takes as that of a condition.
func ShortenMessage(message string) string { return shorten(message, maxMessage) }

// ShortenNote returns a message that the API takes as the note of an Event.
func ShortenNote(message string) string { return shorten(message, maxNote) }

// shorten returns a message of at most so many bytes.
func shorten(message string, most int) string {
	const cut = "... (cut)"
	if len(message) <= most {
		return message
	}
	return strings.ToValidUTF8(message[:most-len(cut)], "") + cut
}
