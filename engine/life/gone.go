// SPDX-License-Identifier: Apache-2.0

package life

import (
	"context"
	"errors"
	"slices"

	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
)

// leaveOutGone leaves out of an observation the drafts that the home does not find, and reports whether there are any.
func (r *Reconciler) leaveOutGone(ctx context.Context, o *observation) bool {
	before := len(o.Revisions)
	o.Revisions = slices.DeleteFunc(o.Revisions, func(known revision.Revision) bool {
		if !known.Open() {
			return false
		}
		_, err := r.Packages.Get(ctx, known.Namespace, known.Name)
		gone := errors.Is(err, packages.ErrAbsent)
		if gone {
			o.progress.forget(known.Name)
		}
		return gone
	})
	o.leaveOutConflicts()
	return len(o.Revisions) < before
}
