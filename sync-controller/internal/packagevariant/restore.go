// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"maps"

	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/revision"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// isUnfinished reports whether Porch was stopped while the controller saved a target, and has only some of the files.
func (in *inspection) isUnfinished(target *revision.Revision, content *porch.Content) bool {
	saving := in.pv.Status.SavingDraft
	return saving != nil && target != nil && target.Name == saving.Name && target.Lifecycle == revision.Draft &&
		content.IsUnfinished(saving.Version, int(saving.Files))
}

// restore returns the files of a draft with those that it lost because Porch was stopped while it saved it. Lost files
// come back as they were when the draft was made. Files that it has stay, with their edits.
func (r *Reconciler) restore(ctx context.Context, in *inspection, target *revision.Revision, files map[string]string) (
	map[string]string, error) {
	p, err := r.predictMade(ctx, in, target)
	if apierrors.IsNotFound(err) { // the revision that it was made from is gone
		return files, nil
	}
	if err != nil {
		return nil, err
	}
	whole := p.unedited(p.made)
	// The upstream may have been merged into the draft since.
	if base := decide.Base(&in.Input, target); whole != nil && base != nil && base.Name != p.source.Name &&
		target.Task.Type != revision.Edit {
		if whole, _, err = r.mergeChanges(ctx, in, &p.source, base, target.Lock, whole); err != nil {
			return nil, err
		}
	}
	return completed(whole, files), nil
}

// completed returns the files, with those of the others that they lack.
func completed(others, files map[string]string) map[string]string {
	all := make(map[string]string, len(others))
	maps.Copy(all, others)
	maps.Copy(all, files)
	return all
}
