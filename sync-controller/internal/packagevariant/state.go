// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/revision"
	"k8s.io/apimachinery/pkg/api/meta"
)

// requestedDraft returns the draft that Porch was asked for, from the status; zero if there is none.
func requestedDraft(status *v1alpha1.PackageVariantStatus) *decide.Draft {
	d := status.RequestedDraft
	if d == nil {
		return &decide.Draft{}
	}
	return &decide.Draft{
		Package: revision.Package{Repo: d.Repo, Name: d.Package}, Workspace: d.WorkspaceName,
		Task: revision.Task{Type: revision.TaskType(d.Task), Source: d.Source}, Version: d.Commit,
		TimedOut: d.TimedOut,
	}
}

// savedDraft returns the draft that only the controller has edited, from the status; zero if there is none.
func savedDraft(status *v1alpha1.PackageVariantStatus) decide.Saved {
	d := status.SavedDraft
	if d == nil {
		return decide.Saved{}
	}
	return decide.Saved{Name: d.Name, Content: d.Content, Proposed: d.Proposed, Proposing: d.Proposing}
}

// ofDraft reports whether the conflicts in a status belong to a draft: they belong to the one that was open then.
func ofDraft(status *v1alpha1.PackageVariantStatus, name string) bool {
	return status.OpenDraft == nil || status.OpenDraft.Name == name
}

// announced reports whether a variant's status already says that the controller will ask for a draft.
func announced(pv *v1alpha1.PackageVariant, draft *decide.Draft) bool {
	status := &pv.Status
	known := requestedDraft(status)
	return status.ObservedGeneration == pv.Generation && known.Is(draft) && known.Version == "" &&
		meta.IsStatusConditionFalse(status.Conditions, v1alpha1.ConditionReady)
}

// savedStatus returns the status of the draft that only the controller has edited.
func savedStatus(s decide.Saved) *v1alpha1.SavedDraft {
	return &v1alpha1.SavedDraft{Name: s.Name, Content: s.Content, Proposed: s.Proposed, Proposing: s.Proposing}
}
