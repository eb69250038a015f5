// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/sync-controller/internal/conditions"
	"github.com/package-variants/package-variants/sync-controller/internal/revision"
)

// Reasons of the condition Ready of a PackageVariant, and of Stalled where the comment says so.
const (
	// ReasonUpToDate says that the downstream is what the variant asks for. It is the only reason of a True condition.
	ReasonUpToDate = "UpToDate"
	// ReasonPending says that an action is under way.
	ReasonPending = "Pending"
	// ReasonInvalidSpec says that the spec is invalid (Stalled).
	ReasonInvalidSpec = "InvalidSpec"
	// ReasonUpstreamNotFound says that the upstream revision does not exist (Stalled).
	ReasonUpstreamNotFound = "UpstreamNotFound"
	// ReasonUpstreamNotPublished says that the upstream revision is not published (Stalled).
	ReasonUpstreamNotPublished = "UpstreamNotPublished"
	// ReasonRepositoryNotFound says that a Repository is not registered.
	ReasonRepositoryNotFound = "RepositoryNotFound"
	// ReasonRepositoryNotReady says that Porch cannot read a Repository.
	ReasonRepositoryNotReady = "RepositoryNotReady"
	// ReasonDownstreamClaimed says that the downstream package is another variant's.
	ReasonDownstreamClaimed = "DownstreamClaimed"
	// ReasonDownstreamExists says that the downstream package exists and may not be adopted.
	ReasonDownstreamExists = "DownstreamExists"
	// ReasonUpstreamLockMissing says that the downstream does not say what it was derived from.
	ReasonUpstreamLockMissing = "UpstreamLockMissing"
	// ReasonBaseNotFound says that what the downstream was derived from is not known any more.
	ReasonBaseNotFound = "BaseNotFound"
	// ReasonDraftOnOlderUpstream says that a draft is open on another upstream revision than the one asked for.
	ReasonDraftOnOlderUpstream = "DraftOnOlderUpstream"
	// ReasonDownstreamProposed says that a proposed revision needs a change.
	ReasonDownstreamProposed = "DownstreamProposed"
	// ReasonInjectionUnmet says that required injection points are not filled.
	ReasonInjectionUnmet = "InjectionUnmet"
	// ReasonPipelineConflict says that the package's own pipeline takes back what the variant sets.
	ReasonPipelineConflict = "PipelineConflict"
	// ReasonRenderFailed says that the package's pipeline failed.
	ReasonRenderFailed = "RenderFailed"
	// ReasonFunctionFailed says that one of the variant's own functions failed.
	ReasonFunctionFailed = "FunctionFailed"
	// ReasonFunctionRunnerUnavailable says that the function-runner, by which functions are run by image, does not answer.
	ReasonFunctionRunnerUnavailable = "FunctionRunnerUnavailable"
	// ReasonPermissionMissing says that the controller may not read objects to inject.
	ReasonPermissionMissing = "PermissionMissing"
	// ReasonPorchUnavailable says that Porch, or the Kubernetes API, did not answer.
	ReasonPorchUnavailable = "PorchUnavailable"
	// ReasonPorchFailed says that Porch refused a call.
	ReasonPorchFailed = "PorchFailed"
)

// Settled returns the verdict for a downstream revision whose files are as the functions want them.
func Settled(in *Input, target *revision.Revision, unmet []string) conditions.Verdict {
	if len(unmet) > 0 {
		return conditions.Verdict{Reason: ReasonInjectionUnmet, Message: fmt.Sprintf(
			"%s waits for objects to inject: %s", target.Name, strings.Join(unmet, "; "))}
	}
	return conditions.Verdict{Ready: true, Reason: ReasonUpToDate, Message: fmt.Sprintf(
		"%s (%s) is up to date with %s", target.Name, target.Lifecycle, in.Upstream.Name)}
}

// Conflict returns the verdict for a draft whose own pipeline changed files back after they were saved.
func Conflict(target string, files []string) conditions.Verdict {
	return conditions.Verdict{Reason: ReasonPipelineConflict, Message: fmt.Sprintf(
		"the pipeline in the Kptfile of %s changes back what this variant sets in %s: change the function in the pipeline that does, or what the variant asks for",
		target, strings.Join(files, ", "))}
}

func pending(message string) conditions.Verdict {
	return conditions.Verdict{Reason: ReasonPending, Message: message}
}

func proposed(target *revision.Revision, change, remedy string) conditions.Verdict {
	return conditions.Verdict{Reason: ReasonDownstreamProposed, Message: fmt.Sprintf(
		"%s is proposed for publication, but would have to %s: %s", target.Name, change, remedy)}
}

// UpstreamName names the package revision that an upstream asks for.
func UpstreamName(u *variant.Upstream) string {
	name := "package revision " + u.Repo + "/" + u.Package
	tag, isTag := u.Revision.Tag()
	switch {
	case u.WorkspaceName != "":
		return name + " with the workspace " + u.WorkspaceName
	case isTag && tag == variant.TagLatest:
		return "published " + name
	case isTag:
		return fmt.Sprintf("published %s with the label %s%s: \"true\"", name, variant.TagLabelPrefix, tag)
	default:
		return name + " with the revision " + u.Revision.String()
	}
}
