// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"cmp"
	"maps"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
)

// fill sets the fields of the status that the steps may have changed. held says that some steps were held back.
func (out *result) fill(status *v1alpha1.PackageVariantStatus, in *inspection, held bool) {
	status.ObservedGeneration = out.pv.Generation
	if u := out.Upstream; u != nil && !decide.UpstreamGone(&out.Input, status.Upstream) {
		status.Upstream = resolved(u, in.content, status.Upstream)
	}
	if len(out.contents) > 0 {
		status.InjectedObjects = out.injected
	}
	status.OwnedRevisions = out.ownedRevisions(status.OwnedRevisions, in.asked && !held && out.err == nil)
	out.fillLife(status)
	status.LastDraft = cmp.Or(decide.LastDraft(&out.Input), status.LastDraft)
	out.fillRequested(status)
	if decide.Guard(&out.Input) == nil && !out.Deleting {
		out.fillTargets(status)
	}
}

// resolved returns the status of an upstream with a digest of its content. If its content was not read, the digest is
// "", and what identifies it stays.
func resolved(u *revision.Revision, content string, known *v1alpha1.ResolvedUpstream) *v1alpha1.ResolvedUpstream {
	out := &v1alpha1.ResolvedUpstream{Name: u.Name, Revision: u.Number, Commit: u.Commit}
	switch {
	case u.KeptInGit:
	case content != "":
		out.Version, out.Content, out.Replaced = u.Version, content, u.Replaced
	case known != nil && known.Name == u.Name:
		out.Commit, out.Version, out.Content, out.Replaced = known.Commit, known.Version, known.Content, known.Replaced
	}
	return out
}

// fillRequested removes the requested draft once it exists and is complete.
func (out *result) fillRequested(status *v1alpha1.PackageVariantStatus) {
	if d := out.Requested; out.err == nil && (d.Workspace == "" ||
		slices.ContainsFunc(out.Revisions, func(r revision.Revision) bool {
			_, current := r.Of(out.Owner)
			_, seen := out.contents[r.Name]
			return current && r.Package == d.Package && r.Workspace == d.Workspace &&
				(seen || r.Lifecycle != revision.Draft)
		})) {
		status.RequestedDraft = nil
	} else if d.Workspace != "" && requestedDraft(status).Is(&d) {
		status.RequestedDraft = status.RequestedDraft.DeepCopy()
		status.RequestedDraft.Commit, status.RequestedDraft.TimedOut = d.Version, d.TimedOut
	}
}

// fillProgress sets which revision is published, what the open draft waits for, and what was done last, as far as these
// are known.
func (out *result) fillProgress(status *v1alpha1.PackageVariantStatus, after *decide.Decision,
	condition v1alpha1.Condition) {
	if out.change != nil {
		status.LastChange = out.change
	}
	switch {
	case out.Deleting:
	case decide.Guard(&out.Input) == nil:
		status.Downstream, status.OpenDraft = nil, decide.Waiting(&out.Input, after, condition)
		if r := decide.Downstream(&out.Input); r != nil {
			status.Downstream = &v1alpha1.PublishedRevision{Name: r.Name, Revision: r.Number}
		}
	case status.OpenDraft != nil:
		status.OpenDraft.Reason = condition.Reason
		status.OpenDraft.Message = v1alpha1.ShortenMessage(condition.Message)
	}
}

// fillLife sets the state that approvals and the history need later.
func (out *result) fillLife(status *v1alpha1.PackageVariantStatus) {
	if out.approval != nil {
		status.LastApproval = out.approval
	}
	status.SavedDraft, status.SavingDraft, status.RetiredRevisions = nil, out.saving, nil
	// A draft that Porch has lost sight of is still the controller's if it comes back unchanged.
	saved := slices.Contains(status.OwnedRevisions, out.Saved.Name)
	for i := range out.Revisions {
		r := &out.Revisions[i]
		if r.Name == out.Saved.Name {
			saved = r.Open()
		}
		if out.Retired[r.Name] {
			status.RetiredRevisions = append(status.RetiredRevisions, r.Name)
		}
	}
	if saved {
		status.SavedDraft = out.savedDraft()
	}
}

// ownedRevisions returns the names of the revisions that the variant made or adopted. Known names are dropped only if
// Porch was asked for them, all steps were done, and the variant still owns something. Otherwise they stay, because
// revisions that come back without an owner, as they do when a Repository is registered again, are recognized by name.
// So are the one that was Replaced, and those that somebody gave to another variant, which must not remove them.
func (out *result) ownedRevisions(known []string, done bool) []string {
	var names []string
	for _, r := range decide.Owned(&out.Input) {
		if !decide.Orphaned(&out.Input, &r) {
			names = append(names, r.Name)
		}
	}
	if !done || len(names) == 0 {
		names = append(names, known...)
	} else {
		if replaced := decide.Replaced(&out.Input); replaced != "" {
			names = append(names, replaced)
		}
		for i := range out.Revisions {
			if r := &out.Revisions[i]; out.Known[r.Name] && r.OtherOwner(out.Owner) != "" {
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
func (out *result) fillTargets(status *v1alpha1.PackageVariantStatus) {
	var targets []v1alpha1.DownstreamTarget
	for _, r := range decide.Targets(&out.Input) {
		target := v1alpha1.DownstreamTarget{Name: r.Name, Lifecycle: string(r.Lifecycle)}
		for _, known := range status.DownstreamTargets {
			if known.Name == r.Name {
				target.RenderStatus = known.RenderStatus
			}
		}
		if rendered, saved := out.rendered[r.Name]; saved {
			target.RenderStatus = &rendered
		}
		if rendered, failed := porch.RenderError(out.err); failed {
			target.RenderStatus = &v1alpha1.RenderStatus{Err: rendered}
		}
		targets = append(targets, target)
	}
	if len(targets) > 0 {
		status.DownstreamTargets = targets
	}
}
