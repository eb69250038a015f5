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

// saving returns what the status is to say, from before the steps of a decision on, of the draft that they save; nil if
// they save none, or Porch saves it as a whole. A draft whose files are not all back stays what it was.
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

// isUnfinished reports whether Porch was stopped over a save of a target by the controller, and has only some of the
// files.
func (in *inspection) isUnfinished(target *revision.Revision, content *porch.Content) bool {
	saving := in.pv.Status.SavingDraft
	return saving != nil && target != nil && target.Name == saving.Name && target.Lifecycle == revision.Draft &&
		content.IsUnfinished(saving.Version, int(saving.Files))
}

// restore returns the files of a draft with those that it lost because Porch was stopped while it saved it, as they
// were when the draft was made. What it has stays, and so do the edits in it.
func (r *Reconciler) restore(ctx context.Context, in *inspection, target *revision.Revision, files map[string]string) (
	map[string]string, error) {
	source, err := r.porch.Revision(ctx, target.Namespace, target.Task.Source)
	if apierrors.IsNotFound(err) { // nothing tells what it was made from
		return files, nil
	}
	if err != nil {
		return nil, err
	}
	whole := *target
	if whole.Lock == nil { // the Kptfile is lost
		repository := in.Repositories[source.Package.Repo]
		whole.Lock = revision.LockOn(&source, repository.Address, repository.Directory)
	}
	conflicts, merged := in.Merges[target.Name]
	made, wanted, err := r.predictMade(ctx, in, &whole)
	if delete(in.Merges, target.Name); merged { // those of the merge that made the draft are known
		in.Merges[target.Name] = conflicts
	}
	if apierrors.IsNotFound(err) {
		return files, nil
	}
	if wanted != nil {
		made = wanted
	}
	// The upstream may have been merged into it since.
	if base := decide.Base(&in.Input, target); err == nil && made != nil && base != nil && base.Name != source.Name &&
		target.Task.Type != revision.Edit {
		made, _, err = r.mergeChanges(ctx, in, &source, base, whole.Lock, made)
	}
	if err != nil {
		return nil, err
	}
	return completed(made, files), nil
}

// completed returns the files with those of others that are not among them.
func completed(others, files map[string]string) map[string]string {
	all := make(map[string]string, len(others))
	maps.Copy(all, others)
	maps.Copy(all, files)
	return all
}
