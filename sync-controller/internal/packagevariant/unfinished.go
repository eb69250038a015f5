// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"errors"
	"path"

	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/porch/kptfile"
	"github.com/package-variants/package-variants/sync-controller/internal/porch/predict"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/revision"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// resume returns the files from which a draft is to be finished that was asked for and not seen complete, because the
// controller was stopped or somebody edited the draft before it was saved, and whether it is as Porch made it. Of an
// upgrade they are those of our own merge, with what people changed in that of Porch. What Porch made is predicted:
// a wrong prediction counts as an edit, so nothing is lost.
func (r *Reconciler) resume(ctx context.Context, in *inspection, target *revision.Revision,
	content porch.Content) (files map[string]string, untouched bool, err error) {
	if !decide.Requested(&in.Input, target) || target.Lock == nil && target.Task.Type != revision.Edit {
		return content.Files, false, nil
	}
	made, wanted, err := r.predictMade(ctx, in, target)
	if apierrors.IsNotFound(err) { // what it was made from has gone
		return content.Files, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if !target.KeptInGit && isPart(made, content.Files) {
		return nil, false, errUnwritten
	}
	if least := predict.WithoutNestedContexts(made); !target.KeptInGit && len(content.Files) < len(least) {
		content.Files = completed(least, content.Files) // it was stopped over the first save
	}
	untouched = in.Requested.Version == content.Version || isMade(made, content.Files)
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

// errUnwritten says that Porch was stopped before it wrote all files of a draft: its cache in PostgreSQL writes them
// one by one.
var errUnwritten = errors.New("not all files were written")

// isPart reports whether files are some of those that Porch makes, and no others: it was stopped while it wrote them.
func isPart(made, files map[string]string) bool {
	for p, text := range files {
		if want, there := made[p]; !there || want != text && path.Base(p) != "Kptfile" {
			return false
		}
	}
	return len(files) < len(made)
}

// isMade reports whether files are those that Porch made, in one of the ways of its versions. None are if it is not
// known what Porch made.
func isMade(made, files map[string]string) bool {
	if made == nil {
		return false
	}
	got := kptfile.Meaning(files)
	return got == kptfile.Meaning(made) || got == kptfile.Meaning(predict.WithoutNestedContexts(made))
}

// savedUnchanged returns what is known to be saved: that which was, or a draft that was asked for, is as Porch made it,
// and needs no save. Nobody else has edited that either.
func (in *inspection) savedUnchanged() decide.Saved {
	for name, e := range in.contents {
		target := in.target(name)
		if target != nil && e.untouched && decide.Requested(&in.Input, target) && in.Mutations[name].Err == nil &&
			len(e.changed()) == 0 {
			return decide.Saved{Name: name, Content: kptfile.Digest(e.content.Files)}
		}
	}
	return in.Saved
}

// unwritten reports whether Porch was stopped before it wrote any file of a draft that it was asked for: what it was
// made from can be read, and the draft is still empty. In git that is known only of a copy of a revision of the same
// repository.
func (r *Reconciler) unwritten(ctx context.Context, in *inspection, target *revision.Revision) bool {
	if target == nil || target.KeptInGit && target.Task.Type != revision.Edit || !decide.Requested(&in.Input, target) {
		return false
	}
	if _, err := r.porch.Content(ctx, target.Namespace, in.Requested.Task.Source); err != nil {
		return false
	}
	_, err := r.porch.Content(ctx, target.Namespace, target.Name)
	return errors.Is(err, porch.ErrNoFiles)
}

// predictMade returns what Porch made of a draft by its task, nil if that cannot be predicted, and, of an upgrade, what
// our own merge makes instead, nil if it fails or conflicts stop it. The conflicts are noted.
func (r *Reconciler) predictMade(ctx context.Context, in *inspection, target *revision.Revision) (made,
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
		made, err = predict.Clone(from.Files, target.Package.Name, target.Lock,
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
		made, err = predict.Upgrade(merged, target.Lock)
	}
	return orNone(made, err), wanted, nil
}

// orNone returns the files, or none if they could not be predicted.
func orNone(files map[string]string, err error) map[string]string {
	if err != nil {
		return nil
	}
	return files
}
