// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"slices"

	"github.com/package-variants/package-variants/engine/revision"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// leaveOutGone leaves out of an observation the drafts that Porch does not find, and reports whether there are any.
func (r *Reconciler) leaveOutGone(ctx context.Context, o *observation) bool {
	before := len(o.Revisions)
	o.Revisions = slices.DeleteFunc(o.Revisions, func(known revision.Revision) bool {
		if !known.Open() {
			return false
		}
		_, err := r.porch.Revision(ctx, known.Namespace, known.Name)
		gone := apierrors.IsNotFound(err)
		if gone {
			o.progress.lost(known.Name)
		}
		return gone
	})
	o.leaveOutConflicts()
	return len(o.Revisions) < before
}
