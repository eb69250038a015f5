// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"errors"
	"maps"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/revision"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// remember returns what a status says of earlier steps, with what the writes since were answered.
func remember(status *v1alpha1.PackageVariantStatus, since *progress) decide.Memory {
	m := decide.Memory{OwnedNames: map[string]bool{}, LastDraft: status.LastDraft, KeepPackages: status.KeepPackages,
		Requested:  requestOf(status),
		Remembered: savedOf(status), Conflicts: status.Conflicts}
	for _, name := range status.OwnedRevisions {
		m.OwnedNames[name] = true
	}
	if status.Downstream != nil {
		m.Published, m.WasOnBranch = status.Downstream.Name, status.Downstream.OnBranch
	}
	if status.OpenDraft != nil {
		m.Conflicted = status.OpenDraft.Name
	}
	if since.saved != nil {
		m.Remembered = *since.saved
	}
	if since.request.Name == m.Requested.Name {
		m.Requested = since.request
	}
	return m
}

// requestOf returns the draft that Porch was asked for, from the status; zero if there is none.
func requestOf(status *v1alpha1.PackageVariantStatus) decide.Request {
	op := status.Operation
	if op == nil || op.Do == v1alpha1.OperationSave || op.Do == v1alpha1.OperationPropose {
		return decide.Request{}
	}
	return decide.Request{Name: op.Revision, Task: revision.Task{Type: revision.TaskType(op.Do), Source: op.Source},
		Version: op.Version, TimedOut: op.Attempts}
}

// savedOf returns the draft that only the controller has edited, from the status; zero if there is none.
func savedOf(status *v1alpha1.PackageVariantStatus) decide.Saved {
	d := status.SavedDraft
	if d == nil {
		return decide.Saved{}
	}
	saved := decide.Saved{Name: d.Name, Content: d.Content, Proposed: d.Proposed}
	if op := status.Operation; op != nil && op.Do == v1alpha1.OperationPropose && op.Revision == d.Name {
		saved.Proposing = op.Digest
	}
	return saved
}

// ofDraft reports whether the conflicts in a status belong to a draft: they belong to the one that was open then.
func ofDraft(status *v1alpha1.PackageVariantStatus, name string) bool {
	return status.OpenDraft == nil || status.OpenDraft.Name == name
}

// announced reports whether a variant's status already says that the controller will ask for a draft.
func announced(pv *v1alpha1.PackageVariant, draft *decide.Draft) bool {
	status := &pv.Status
	known := requestOf(status)
	return status.ObservedGeneration == pv.Generation && known.Is(draft.Name(), draft.Task) && known.Version == "" &&
		meta.IsStatusConditionFalse(status.Conditions, v1alpha1.ConditionReady)
}

// savedStatus returns the status of the draft that only the controller has edited.
func savedStatus(s decide.Saved) *v1alpha1.SavedDraft {
	return &v1alpha1.SavedDraft{Name: s.Name, Content: s.Content, Proposed: s.Proposed}
}

// pendingOperation returns what is left of the announced operation, by what was inspected: a save has ended once its
// draft was seen whole, or is gone.
func (in *inspection) pendingOperation() *v1alpha1.Operation {
	op := in.pv.Status.Operation.DeepCopy()
	if op == nil || op.Save == nil {
		return op
	}
	_, whole := in.contents[op.Revision]
	if whole || decide.Guard(&in.Input) == nil && in.target(op.Revision) == nil {
		op.Save = nil
	}
	if op.Save == nil && op.Do == v1alpha1.OperationSave {
		return nil
	}
	return op
}

// justMade reports whether a draft is as it was made since the last report.
func (in *inspection) justMade(name string) bool {
	return in.progress.request.Name == name && in.contents[name].asMade
}

// saveOperation returns the operation of a step that saves a draft; nil if it saves none, or if the home saves
// it as a whole.
func (in *inspection) saveOperation(step *decide.Step, now metav1.Time) *v1alpha1.Operation {
	if step.Action != decide.Mutate {
		return nil
	}
	r, e := step.Revision, in.contents[step.Revision.Name]
	if !r.InParts {
		return nil
	}
	op := &v1alpha1.Operation{Do: v1alpha1.OperationSave, Revision: r.Name, Since: now}
	if in.Requested.Name == r.Name {
		op = in.pv.Status.Operation.DeepCopy()
	}
	op.Save = &v1alpha1.Save{Version: e.content.Version, Since: now, Files: slices.Sorted(maps.Keys(e.wanted()))}
	return op
}

// reportedOperation returns the operation whose outcome is not known yet, after a step that failed with an error; nil
// if there is none.
func (in *inspection) reportedOperation(failed error) *v1alpha1.Operation {
	op := in.pendingOperation()
	if isUnsure(failed) { // a save may still be in progress
		op = in.pv.Status.Operation.DeepCopy()
	}
	switch {
	case op == nil, op.Do == v1alpha1.OperationSave:
	case op.Do == v1alpha1.OperationPropose:
		if in.Saved.Proposing == "" {
			return nil
		}
	case in.isComplete(failed):
		return nil
	case in.Requested.Name == op.Revision:
		op.Version, op.Attempts = in.Requested.Version, in.Requested.TimedOut
	}
	return op
}

// isComplete reports whether a requested draft exists and has been saved, or needs no save. After a step that failed,
// it must be known that this was not its save.
func (in *inspection) isComplete(failed error) bool {
	if _, ofApproval := errors.AsType[*approvalError](failed); ofApproval {
		failed = nil // what is approved was saved
	}
	return slices.ContainsFunc(in.Revisions, func(r revision.Revision) bool {
		_, current := r.Of(in.Owner)
		_, seen := in.contents[r.Name]
		_, saved := in.kept(r.Name)
		return current && r.Name == in.Requested.Name && (saved || failed == nil && (seen || r.Lifecycle != revision.Draft))
	})
}
