// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/words"
)

// workspaces returns the workspaces that the downstream package has, and those that it is known to have had: a draft
// that the home did not list for a while may come back under its name.
func workspaces(in *Input) []string {
	known := slices.AppendSeq([]string{in.LastDraft}, maps.Keys(in.OwnedNames))
	return append(listedWorkspaces(in), workspacesIn(slices.Values(known), revision.DownstreamOf(in.Spec))...)
}

// listedWorkspaces returns the workspaces of the revisions that the home lists.
func listedWorkspaces(in *Input) (workspaces []string) {
	for i := range in.Revisions {
		workspaces = append(workspaces, in.Revisions[i].Workspace)
	}
	return workspaces
}

// workspacesIn returns the workspaces of those of the named revisions that are of a package.
func workspacesIn(names iter.Seq[string], pkg revision.Package) (workspaces []string) {
	for name := range names {
		if workspace, ok := workspaceOf(name, pkg); ok {
			workspaces = append(workspaces, workspace)
		}
	}
	return workspaces
}

// workspaceOf returns the workspace in a revision's name, and false if the name is not of the package.
func workspaceOf(name string, pkg revision.Package) (string, bool) {
	workspace, found := strings.CutPrefix(name, pkg.NameOf(""))
	return workspace, found && !strings.Contains(workspace, ".")
}

// nextWorkspace returns the workspace of the next draft. A draft that the home was asked for, and that was never
// complete, keeps its name.
func nextWorkspace(in *Input) string {
	used := workspaces(in)
	asked, ok := workspaceOf(in.Requested.Name, revision.DownstreamOf(in.Spec))
	listed := slices.ContainsFunc(in.Revisions, func(r revision.Revision) bool { return r.Workspace == asked })
	if ok && !listed && revision.LastWorkspace(append(used, asked)) == asked {
		return asked
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

// Replaced returns the name of the last draft that the variant made and that is no longer listed, if an open draft was
// made in its place; "" if there is none. The home may find it again, without its owner.
func Replaced(in *Input) string {
	if in.Spec.Downstream == nil {
		return ""
	}
	published, open, listed := 0, 0, map[string]bool{}
	for i := range in.Revisions {
		r := &in.Revisions[i]
		listed[r.Name] = true
		switch n := revision.WorkspaceNumber(r.Workspace); {
		case !ofDownstream(in, r):
		case r.Open():
			open = max(open, n)
		default:
			published = max(published, n, numberOf(r.Task.From()))
		}
	}
	replaced := ""
	for name := range in.OwnedNames {
		_, ok := workspaceOf(name, revision.DownstreamOf(in.Spec))
		if n := numberOf(name); ok && !listed[name] && max(published, numberOf(replaced)) < n && n < open {
			replaced = name
		}
	}
	return replaced
}

// Absent returns the name of the last draft that the variant made if neither it nor a later one is listed; "" if one
// is.
func Absent(in *Input) string {
	if in.Spec.Downstream == nil {
		return ""
	}
	downstream := revision.DownstreamOf(in.Spec)
	last := revision.LastWorkspace(workspacesIn(maps.Keys(in.OwnedNames), downstream))
	newest := revision.LastWorkspace(listedWorkspaces(in))
	if revision.WorkspaceNumber(newest) >= revision.WorkspaceNumber(last) {
		return ""
	}
	return downstream.NameOf(last)
}

// twoDrafts leaves the files of all drafts alone if the variant made several: the home had lost sight of one, and
// another was made in its place. People may have edited any of them. It takes back those whose owner was lost.
func twoDrafts(in *Input, target *revision.Revision) *Decision {
	var names []string
	for _, r := range Targets(in) {
		if r.Open() && revision.WorkspaceNumber(r.Workspace) > 0 {
			names = append(names, r.Name)
		}
	}
	if len(names) < 2 {
		return nil
	}
	d := &Decision{Condition: *stalled(v1alpha1.ReasonTwoDrafts, "there are several open drafts of this variant, because "+
		"one had not been found for a while: %s; nothing is done to them until there is one: keep the one that has what "+
		"people changed, and delete the others", words.Some(names, ", "))}
	if own := notOwned(in, target); own != nil && own.Steps[0].Action == TakeBack {
		d.Steps = own.Steps[:1]
	}
	return d
}
