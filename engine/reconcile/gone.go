// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"context"
	"errors"
	"slices"

	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
)

// withoutGone returns an observation without the drafts that their home does not find; the same one if it finds all.
func (r *Reconciler) withoutGone(ctx context.Context, o *observation) *observation {
	there := slices.DeleteFunc(slices.Clone(o.Revisions), func(known revision.Revision) bool {
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
	if len(there) == len(o.Revisions) {
		return o
	}
	left := *o
	left.Revisions = there
	return &left
}
