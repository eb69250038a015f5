// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"strconv"

	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
)

// ForExpansion returns revisions in the form in which the functions look for an upstream among them.
func ForExpansion(revisions []Revision) []expansion.PackageRevision {
	out := make([]expansion.PackageRevision, len(revisions))
	for i, r := range revisions {
		out[i] = expansion.PackageRevision{
			Object: expansion.Object{Name: r.Name, Namespace: r.Namespace, Labels: r.Labels, Annotations: r.Annotations},
			Repo:   r.Package.Repo, Package: r.Package.Name, WorkspaceName: r.Workspace, Published: r.Published(),
		}
		if r.Number != 0 {
			out[i].Revision = strconv.Itoa(r.Number)
		}
	}
	return out
}
