// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"errors"

	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
	"github.com/package-variants/package-variants/sync-controller/internal/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/foresight"
	"github.com/package-variants/package-variants/sync-controller/internal/kptfile"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/revision"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// resume returns the files from which a draft is to be finished that was asked for and not seen complete, because the
// controller was stopped or somebody edited the draft before it was saved, and whether it is as Porch made it. Of an
// upgrade they are those of our own merge, with what people changed in that of Porch. What Porch made is foretold: what
// is not foretold right counts as edited, and so is not lost.
func (r *Reconciler) resume(ctx context.Context, in *inspection, target *revision.Revision,
	content porch.Content) (files map[string]string, untouched bool, err error) {
	if !decide.Requested(&in.Input, target) || target.Lock == nil && target.Task.Type != revision.Edit {
		return content.Files, false, nil
	}
	made, wanted, err := r.foretell(ctx, in, target)
	if apierrors.IsNotFound(err) { // what it was made from has gone
		return content.Files, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	untouched = in.Requested.Commit == content.Commit || kptfile.Meaning(made) == kptfile.Meaning(content.Files)
	switch {
	case wanted == nil:
		return content.Files, untouched, nil
	case untouched:
		return wanted, true, nil
	}
	merged, _, err := merging.Merge(made, wanted, content.Files, merging.Options{OnConflict: merging.KeepLocal})
	if err != nil { // it is no package any more; the functions say why
		return content.Files, false, nil
	}
	return merged, false, nil
}

// unwritten reports whether Porch was stopped before it wrote any file of a draft that it was asked for, a copy of a
// published revision: that one can be read, and so can the repository, and the draft is still empty.
func (r *Reconciler) unwritten(ctx context.Context, in *inspection, target *revision.Revision) bool {
	if target == nil || target.Task.Type != revision.Edit || !decide.Requested(&in.Input, target) {
		return false
	}
	if _, err := r.porch.Content(ctx, target.Namespace, target.Task.Source); err != nil {
		return false
	}
	_, err := r.porch.Content(ctx, target.Namespace, target.Name)
	return errors.Is(err, porch.ErrNoFiles)
}

// foretell returns what Porch made of a draft by its task, nil if that cannot be foretold, and, of an upgrade, what our
// own merge makes instead, nil if it fails or conflicts stop it. The conflicts are noted.
func (r *Reconciler) foretell(ctx context.Context, in *inspection, target *revision.Revision) (made,
	wanted map[string]string, err error) {
	task := &target.Task
	source, err := r.porch.Revision(ctx, target.Namespace, task.Source)
	if err != nil {
		return nil, nil, err
	}
	from, err := r.shared(ctx, &source)
	if err != nil || task.Type == revision.Edit {
		return from.Files, nil, err
	}
	if task.Type == revision.Clone {
		made, err = foresight.Clone(from.Files, target.Package.Name, target.Lock,
			in.Repositories[target.Package.Repo].Deployment)
		return orNone(made, err), nil, nil
	}
	base, err := r.porch.Revision(ctx, target.Namespace, task.Base)
	if err != nil {
		return nil, nil, err
	}
	local, err := r.porch.Content(ctx, target.Namespace, task.Local)
	if err != nil {
		return nil, nil, err
	}
	wanted, outcome, err := r.mergeChanges(ctx, in, &base, &source, target.Lock, local.Files)
	if err != nil {
		return nil, nil, err
	}
	in.Merges[target.Name] = outcome
	original, err := r.shared(ctx, &base)
	if err != nil {
		return nil, nil, err
	}
	merged, _, err := merging.Merge(original.Files, from.Files, local.Files, merging.Options{})
	if err == nil {
		made, err = foresight.Upgrade(merged, target.Lock)
	}
	return orNone(made, err), wanted, nil
}

// orNone returns the files, or none if they could not be foretold.
func orNone(files map[string]string, err error) map[string]string {
	if err != nil {
		return nil
	}
	return files
}
