// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/revision"
)

// Identify sets, wherever the input has the named revision, the commit of its content and the commit of the revision
// that it replaced; each is "" if it is not known.
func Identify(in *Input, name, commit, replaced string) {
	for i := range in.Bases {
		if b := &in.Bases[i]; b.Name == name {
			b.Commit, b.Replaced = commit, replaced
		}
	}
	if in.Upstream != nil && in.Upstream.Name == name {
		in.Upstream.Commit, in.Upstream.Replaced = commit, replaced
	}
}

// ReportedUpstream returns the base that a status calls the upstream, or that has its number in the same package, if
// the base's version does not tell its commit; nil if there is none. Porch gives a number again, to a revision of
// another name, once all later revisions are deleted.
func ReportedUpstream(in *Input, status *v1alpha1.ResolvedUpstream) (found *revision.Revision) {
	for i := range in.Bases {
		switch b := &in.Bases[i]; {
		case status == nil || b.AtCommit:
		case b.Name == status.Name:
			return b
		case b.Number > 0 && b.Number == status.Revision && isOf(status.Name, b.Package):
			found = b
		}
	}
	return found
}

// isOf reports whether a name is that of a revision of a package.
func isOf(name string, pkg revision.Package) bool {
	_, ok := workspaceOf(name, pkg)
	return ok
}

// workspaceOf returns the workspace in a revision's name, and false if the name is not of the package.
func workspaceOf(name string, pkg revision.Package) (string, bool) {
	workspace, found := strings.CutPrefix(name, pkg.NameOf(""))
	return workspace, found && !strings.Contains(workspace, ".")
}

// Recognize takes the commits of the upstream, or of the upstream before it, from a status, if the revision's version
// does not tell its commit and has not changed.
func Recognize(in *Input, status *v1alpha1.ResolvedUpstream) {
	if known := ReportedUpstream(in, status); known != nil && known.Version == status.Version {
		Identify(in, known.Name, status.Commit, status.Replaced)
	}
}

// UpstreamGone reports whether a target was made from the revision that a status calls the upstream, and that revision
// is gone, so that the target cannot be brought to another one. Only what the status knows of it can tell whether a
// revision that appears under its number is the same one again.
func UpstreamGone(in *Input, status *v1alpha1.ResolvedUpstream) bool {
	return status != nil && slices.ContainsFunc(Targets(in), func(target revision.Revision) bool {
		return target.Lock != nil && target.Lock.Number() > 0 && target.Lock.Number() == status.Revision &&
			!OnUpstream(in, &target) && !replaced(in, &target) && Base(in, &target) == nil
	})
}
