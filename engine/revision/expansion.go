// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"strconv"

	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
)

// ForExpansion returns a revision in the form in which the functions look for an upstream.
func (r *Revision) ForExpansion() expansion.PackageRevision {
	out := expansion.PackageRevision{
		Object: expansion.Object{Name: r.Name, Namespace: r.Namespace, Labels: r.Labels, Annotations: r.Annotations},
		Repo:   r.Package.Repo, Package: r.Package.Name, WorkspaceName: r.Workspace, Published: r.Published(),
	}
	if r.Number != 0 {
		out.Revision = strconv.Itoa(r.Number)
	}
	return out
}
