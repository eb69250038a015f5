// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"maps"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/revision"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// saving returns the status of the draft that the steps of a decision save, to be written before them; nil if they save
// none, or if Porch saves it as a whole. A draft that still lacks files keeps its status.
func (in *inspection) saving(steps []decide.Step) *v1alpha1.SavingDraft {
	known := in.pv.Status.SavingDraft
	for i := range steps {
		r := steps[i].Revision
		if steps[i].Action != decide.Mutate || r == nil {
			continue
		}
		e, inspected := in.contents[r.Name]
		if !inspected || e.content.KeptInGit() {
			return nil
		}
		saving := &v1alpha1.SavingDraft{Name: r.Name, Version: e.content.Version, Files: int32(len(e.wanted()))}
		if e.unfinished {
			saving.Version = known.Version
		}
		return saving
	}
	if known == nil || in.target(known.Name) == nil {
		return nil
	}
	if e, inspected := in.contents[known.Name]; inspected && !e.unfinished {
		return nil
	}
	return known
}

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
	if apierrors.IsNotFound(err) { // nothing tells what it was made from
		return files, nil
	}
	if err != nil {
		return nil, err
	}
	whole := p.made
	if p.wanted != nil {
		whole = p.wanted
	}
	// The upstream may have been merged into the draft since.
	if base := decide.Base(&in.Input, target); whole != nil && base != nil && base.Name != p.source.Name &&
		target.Task.Type != revision.Edit {
		if whole, _, err = r.mergeChanges(ctx, in, &p.source, base, target.Lock, whole); err != nil {
			return nil, err
		}
	}
	return completed(whole, files), nil
}

// completed returns the files, and those of the others that are missing among them.
func completed(others, files map[string]string) map[string]string {
	all := make(map[string]string, len(others))
	maps.Copy(all, others)
	maps.Copy(all, files)
	return all
}
