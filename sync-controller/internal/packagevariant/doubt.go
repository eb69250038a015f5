// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"errors"
	"slices"

	"github.com/package-variants/package-variants/sync-controller/internal/revision"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// untouched reports whether nothing is known of the downstream package, and nothing was ever tried. If a cache that is
// behind says so, Porch refuses to make the first workspace a second time.
func (o *observation) untouched() bool {
	status := &o.pv.Status
	return !o.Deleting && len(o.Elsewhere) == 0 && len(status.DownstreamTargets) == 0 && len(status.OwnedRevisions) == 0 &&
		status.RequestedDraft == nil && !slices.ContainsFunc(o.Revisions, func(r revision.Revision) bool { return !r.Main() })
}

// doubtful reports whether the caches lack a revision that the status names: Porch leaves out of its lists what it
// fails to read, so that it must be asked. So it must for a variant that is being deleted, and takes its packages with
// it.
func (o *observation) doubtful() bool {
	status := &o.pv.Status
	names := slices.Clone(status.OwnedRevisions)
	for _, target := range status.DownstreamTargets {
		names = append(names, target.Name)
	}
	there := slices.Concat(o.Revisions, o.Elsewhere)
	return o.Deleting || slices.ContainsFunc(names, func(name string) bool {
		return !slices.ContainsFunc(there, func(r revision.Revision) bool { return r.Name == name })
	})
}

// outdated reports whether a write was refused because the variant is not any more what the cache has of it.
func outdated(err error) bool {
	var status apierrors.APIStatus
	return apierrors.IsConflict(err) && errors.As(err, &status) && status.Status().Details != nil &&
		status.Status().Details.Kind == "packagevariants"
}

// addUnlisted asks Porch for each revision that the status names and that is not known, and adds those that there are.
func (r *Reconciler) addUnlisted(ctx context.Context, o *observation) error {
	for _, name := range o.pv.Status.OwnedRevisions {
		if slices.ContainsFunc(slices.Concat(o.Revisions, o.Elsewhere),
			func(r revision.Revision) bool { return r.Name == name }) {
			continue
		}
		found, err := r.porch.Revision(ctx, o.pv.Namespace, name)
		switch {
		case err == nil && found.Package == revision.DownstreamOf(o.Spec):
			o.Revisions = append(o.Revisions, found)
		case err == nil:
			o.Elsewhere = append(o.Elsewhere, found)
		case !apierrors.IsNotFound(err):
			return err
		}
	}
	return nil
}
