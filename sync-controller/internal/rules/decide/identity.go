// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/revision"
)

// Identify notes what identifies the content of the revision of a name, wherever it is in the input: its commit, and
// that of the revision whose place it took; each is "" if there is none that is known.
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

// Known returns that of the bases which a status calls the upstream, or which has its number in the same package, if
// its version does not tell its commit; nil if there is none. A number is given again, to a revision of another name,
// once all later ones are deleted.
func Known(in *Input, status *v1alpha1.ResolvedUpstream) (found *revision.Revision) {
	for i := range in.Bases {
		switch b := &in.Bases[i]; {
		case status == nil || b.KeptInGit:
		case b.Name == status.Name:
			return b
		case b.Number > 0 && b.Number == status.Revision && isOf(status.Name, b.Package):
			found = b
		}
	}
	return found
}

// isOf reports whether a revision of a package has a name.
func isOf(name string, pkg revision.Package) bool {
	workspace, found := strings.CutPrefix(name, pkg.NameOf(""))
	return found && !strings.Contains(workspace, ".")
}

// Recognize takes from a status what identifies the upstream, or the one before it, where its version does not tell its
// commit and is still the same.
func Recognize(in *Input, status *v1alpha1.ResolvedUpstream) {
	if known := Known(in, status); known != nil && known.Version == status.Version {
		Identify(in, known.Name, status.Commit, status.Replaced)
	}
}
