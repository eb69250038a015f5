// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"cmp"
	"maps"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/packages"
)

// fill sets the fields of the status that say what there is. held says that some steps were held back, failed is the
// error of a step.
func (in *inspection) fill(status *v1alpha1.PackageVariantStatus, held bool, failed error) {
	status.ObservedGeneration = in.pv.Generation
	if u := in.Upstream; u != nil {
		status.Upstream = &v1alpha1.ResolvedUpstream{Name: u.Name, Revision: u.Number, Commit: u.Commit}
	}
	status.OwnedRevisions = in.ownedRevisions(status.OwnedRevisions, in.lookedUp && !held && failed == nil)
	in.fillLife(status)
	status.Operation = in.reportedOperation(failed)
	status.LastDraft = cmp.Or(decide.LastDraft(&in.Input), status.LastDraft)
	if decide.Guard(&in.Input) == nil && !in.Deleting {
		in.fillTargets(status, failed)
	}
}

// fillProgress sets which revision is published and what the open draft waits for, as far as these are known.
func (in *inspection) fillProgress(status *v1alpha1.PackageVariantStatus, d *decide.Decision,
	condition v1alpha1.Condition) {
	switch {
	case in.Deleting:
	case decide.Guard(&in.Input) == nil:
		status.Downstream, status.OpenDraft = nil, decide.Waiting(&in.Input, d, condition)
		if r := decide.Downstream(&in.Input); r != nil {
			status.Downstream = &v1alpha1.PublishedRevision{Name: r.Name, Revision: r.Number,
				OnBranch: decide.OnBranch(&in.Input)}
		}
	case status.OpenDraft != nil:
		status.OpenDraft.Reason = condition.Reason
		status.OpenDraft.Message = v1alpha1.ShortenMessage(condition.Message)
	}
}

// fillLife sets the state that approvals need later.
func (in *inspection) fillLife(status *v1alpha1.PackageVariantStatus) {
	status.SavedDraft = nil
	// A draft that the home has lost sight of is still the controller's if it comes back unchanged.
	saved := slices.Contains(status.OwnedRevisions, in.Saved.Name)
	for i := range in.Revisions {
		r := &in.Revisions[i]
		if r.Name == in.Saved.Name {
			saved = r.Open()
		}
	}
	if saved {
		status.SavedDraft = savedStatus(in.Saved)
	}
}

// ownedRevisions returns the names of the revisions that the variant made or adopted. Known names are dropped only if
// the home was asked for them, all steps were done, and the variant still owns something. Otherwise they stay, because
// revisions that come back without an owner, as they do when a Repository is registered again, are recognized by name.
// So are the one that was Replaced, and those that somebody gave to another variant, which must not remove them.
func (in *inspection) ownedRevisions(known []string, done bool) []string {
	var names []string
	for _, r := range decide.Owned(&in.Input) {
		if !decide.Orphaned(&in.Input, &r) {
			names = append(names, r.Name)
		}
	}
	if !done || len(names) == 0 {
		names = append(names, known...)
	} else {
		if replaced := decide.Replaced(&in.Input); replaced != "" {
			names = append(names, replaced)
		}
		for i := range in.Revisions {
			if r := &in.Revisions[i]; in.OwnedNames[r.Name] && r.OtherOwner(in.Owner) != "" {
				names = append(names, r.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// injectedObjects returns the objects that injectors name in any of the contents, and the versions in which they were
// read. An object that was read in two versions gets no known version, so that it is looked at again.
func injectedObjects(contents map[string]evaluated) (all []v1alpha1.ObjectReference, versions []string) {
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		e := contents[name]
		for i, o := range e.references {
			reference := v1alpha1.ObjectReference{APIVersion: o.APIVersion, Kind: o.Kind.Kind, Name: o.Name}
			if at := slices.Index(all, reference); at < 0 {
				all, versions = append(all, reference), append(versions, e.versions[i])
			} else if versions[at] != e.versions[i] {
				versions[at] = "changing"
			}
		}
	}
	return all, versions
}

// fillTargets sets the targets, with the render status of what was saved, or else the known one.
func (in *inspection) fillTargets(status *v1alpha1.PackageVariantStatus, failed error) {
	var targets []v1alpha1.DownstreamTarget
	for _, r := range decide.Targets(&in.Input) {
		target := v1alpha1.DownstreamTarget{Name: r.Name, Lifecycle: string(r.Lifecycle)}
		for _, known := range status.DownstreamTargets {
			if known.Name == r.Name {
				target.RenderStatus = known.RenderStatus
			}
		}
		if rendered, saved := in.progress.rendered[r.Name]; saved {
			target.RenderStatus = &rendered
		}
		if rendered, failed := packages.Rendered(failed); failed {
			target.RenderStatus = &v1alpha1.RenderStatus{Err: rendered}
		}
		targets = append(targets, target)
	}
	if len(targets) > 0 {
		status.DownstreamTargets = targets
	}
}
