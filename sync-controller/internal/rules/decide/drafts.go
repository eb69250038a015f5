// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/sync-controller/internal/rules/revision"
)

// workspaces returns the workspaces that the downstream package has, and those that it is known to have had: a draft
// that Porch did not list for a while may come back under its name.
func workspaces(in *Input) []string {
	var used []string
	for i := range in.Revisions {
		used = append(used, in.Revisions[i].Workspace)
	}
	for _, name := range slices.AppendSeq([]string{in.LastDraft}, maps.Keys(in.Known)) {
		if workspace, is := workspaceOf(name, revision.DownstreamOf(in.Spec)); is {
			used = append(used, workspace)
		}
	}
	return used
}

// nextWorkspace returns the workspace of the next draft. A draft that Porch was asked for, and that was never complete,
// keeps its name.
func nextWorkspace(in *Input) string {
	used := workspaces(in)
	d := &in.Requested
	listed := slices.ContainsFunc(in.Revisions, func(r revision.Revision) bool { return r.Workspace == d.Workspace })
	if d.Package == revision.DownstreamOf(in.Spec) && !listed && d.Workspace != "" &&
		revision.LastWorkspace(append(used, d.Workspace)) == d.Workspace {
		return d.Workspace
	}
	return revision.NextWorkspace(used)
}

// LastDraft returns the name of the last draft of the downstream package, by its number, even if it is gone; "" if none
// is known. A draft of an earlier downstream with a higher number stays: the variant may come back to that package.
func LastDraft(in *Input) string {
	if in.Spec.Downstream == nil {
		return ""
	}
	last := revision.LastWorkspace(workspaces(in))
	if last == "" || revision.WorkspaceNumber(last) < numberOf(in.LastDraft) {
		return in.LastDraft
	}
	return revision.DownstreamOf(in.Spec).NameOf(last)
}

// numberOf returns the number in the name of a draft, of whatever package; 0 if it has none.
func numberOf(name string) int {
	return revision.WorkspaceNumber(name[strings.LastIndex(name, ".")+1:])
}

// maxVanished is how many drafts that are no longer listed stay known.
const maxVanished = 5

// Vanished returns the names of the last drafts that the variant made before the open one and that are no longer
// listed. If Porch finds them again, without an owner, they still belong to the variant.
func Vanished(in *Input) []string {
	if in.Spec.Downstream == nil {
		return nil
	}
	pkg := revision.DownstreamOf(in.Spec)
	last, listed := 0, map[string]bool{}
	for i := range in.Revisions {
		r := &in.Revisions[i]
		listed[r.Workspace] = true
		if r.Open() && ofDownstream(in, r) {
			last = max(last, revision.WorkspaceNumber(r.Workspace))
		}
	}
	vanished := map[int]string{}
	for name := range in.Known {
		w, is := workspaceOf(name, pkg)
		if n := revision.WorkspaceNumber(w); is && !listed[w] && 0 < n && n < last {
			vanished[n] = name
		}
	}
	var names []string
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(vanished))) {
		names = append(names, vanished[n])
	}
	return names[:min(len(names), maxVanished)]
}

// Missing returns the name of the last revision that the variant made, that is no longer listed, and in whose place a
// target was made: it is later than what the target was made from. It returns "" if there is none.
func Missing(in *Input, target *revision.Revision) string {
	from := target.Task.From()
	for range in.Revisions {
		i := slices.IndexFunc(in.Revisions, func(r revision.Revision) bool { return r.Name == from })
		if numberOf(from) > 0 || i < 0 {
			break
		}
		from = in.Revisions[i].Task.From() // a change that people published has another kind of name
	}
	for _, name := range Vanished(in) {
		if n := numberOf(name); numberOf(from) < n && n < numberOf(target.Name) {
			return name
		}
	}
	return ""
}

// CameBack returns the earlier open draft that the target was made to replace, while Porch did not list it; nil if
// there is none. A variant makes no draft while it knows of another one.
func CameBack(in *Input, target *revision.Revision) *revision.Revision {
	if target.Lifecycle != revision.Draft {
		return nil
	}
	targets, last := Targets(in), revision.WorkspaceNumber(target.Workspace)
	for i := range targets {
		if n := revision.WorkspaceNumber(targets[i].Workspace); targets[i].Open() && 0 < n && n < last {
			return &targets[i]
		}
	}
	return nil
}

// draftCameBack deletes a draft without edits if the earlier draft that it replaced is back: people may have edited the
// earlier one. If people may have edited both, both stay.
func draftCameBack(in *Input, target *revision.Revision) *Decision {
	earlier := CameBack(in, target)
	if earlier == nil {
		return nil
	}
	m := in.Mutations[target.Name]
	saved := in.Saved.Name == target.Name && in.Saved.Content == m.Content && m.Content != ""
	if made := Requested(in, target) && m.AsMade; !saved && !made {
		return nil
	}
	return &Decision{
		Steps:     []Step{{Action: Discard, Revision: target}},
		Condition: pending("%s is to be deleted: %s, which it replaced, is back", target.Name, earlier.Name),
	}
}
