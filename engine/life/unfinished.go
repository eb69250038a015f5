// SPDX-License-Identifier: Apache-2.0

package life

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/kptfile"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/tasks"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
)

// resume returns the files from which to finish a requested draft, and whether only Porch and the controller wrote it.
// Such a draft was not seen complete, because the controller was stopped or the draft was edited before it was saved.
// For an upgrade the files come from our own merge, with people's changes to Porch's merge. What Porch made is
// predicted: a wrong prediction counts as an edit, so nothing is lost. If the draft lacks files, the error is an
// interruptedError.
func (r *Reconciler) resume(ctx context.Context, in *inspection, target *revision.Revision,
	content packages.Content) (files map[string]string, asMade bool, err error) {
	if err := in.interrupted(target, &content); err != nil {
		return nil, false, err
	}
	if !decide.Requested(&in.Input, target) || target.Task.Source == "" {
		return content.Files, false, nil
	}
	p, err := r.predictMade(ctx, in, target)
	if errors.Is(err, packages.ErrAbsent) { // the revision that it was made from is gone
		return content.Files, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if p.merge != nil {
		in.Merges[target.Name] = *p.merge
	}
	if !target.KeptInGit { // what keeps drafts there writes them as a whole
		least := slices.Collect(maps.Keys(tasks.WithoutNestedContexts(p.made)))
		if err := lacks(target.Name, content.Files, least, target.Created); err != nil {
			return nil, false, err
		}
	}
	if in.Requested.Version == content.Version || isMade(p.made, content.Files) {
		return p.unedited(content.Files), true, nil
	}
	if saved, err := r.isSaved(ctx, in, &p, content); err != nil || saved {
		return content.Files, saved, err
	}
	return p.withEdits(content.Files), false, nil
}

// unedited returns the files from which to finish a draft with these files, which only Porch wrote.
func (p *prediction) unedited(files map[string]string) map[string]string {
	if p.wanted == nil {
		return files
	}
	return p.wanted
}

// withEdits returns the files from which to finish a draft with these files, which others have edited.
func (p *prediction) withEdits(files map[string]string) map[string]string {
	if p.wanted == nil {
		return files
	}
	merged, _, err := merging.Merge(p.made, p.wanted, files, merging.Options{OnConflict: merging.KeepLocal})
	if err != nil { // the files are no longer a package; the functions say why
		return files
	}
	return merged
}

// isSaved reports whether a requested draft is as the controller saves it once Porch has made it: the save was done,
// and the controller did not hear of it.
func (r *Reconciler) isSaved(ctx context.Context, in *inspection, p *prediction, content packages.Content) (
	bool, error) {
	made := p.made
	if p.merge != nil {
		made = p.wanted
	}
	if made == nil {
		return false, nil
	}
	e, err := r.runFunctions(ctx, in.observation, evaluated{content: content, files: made})
	failure, err := failureOf(err)
	if err != nil {
		return false, err
	}
	return failure == nil && kptfile.Meaning(e.wanted()) == kptfile.Meaning(content.Files), nil
}

// isMade reports whether files are as any version of Porch would have made them. It returns false if that cannot be
// predicted.
func isMade(made, files map[string]string) bool {
	if made == nil {
		return false
	}
	got := kptfile.Meaning(files)
	return got == kptfile.Meaning(made) || got == kptfile.Meaning(tasks.WithoutNestedContexts(made))
}

// savedUnchanged returns the draft that is known to be saved: the saved one, or a requested draft that is as Porch made
// it and needs no save. Only the controller has edited that one, too.
func (in *inspection) savedUnchanged() decide.Saved {
	for name, e := range in.contents {
		target := in.target(name)
		if target != nil && e.asMade && decide.Requested(&in.Input, target) && in.Mutations[name].Err == nil &&
			len(e.changed()) == 0 {
			return decide.Saved{Name: name, Content: kptfile.Digest(e.content.Files)}
		}
	}
	return in.Saved
}

// prediction is what the task of a draft says about its files.
type prediction struct {
	// source is the revision that was cloned or edited, or upgraded to.
	source revision.Revision
	// made is what Porch made of it, nil if that cannot be predicted. For an upgrade, wanted is the result of our own
	// merge, nil if it fails or conflicts stop it, and merge is its outcome.
	made, wanted map[string]string
	merge        *decide.Merge
}

// predictMade predicts what Porch made of a draft. A draft that has lost its lock gets the lock of its source.
func (r *Reconciler) predictMade(ctx context.Context, in *inspection, target *revision.Revision) (p prediction,
	err error) {
	task, lock := &target.Task, target.Lock
	if p.source, err = r.Packages.Get(ctx, target.Namespace, task.Source); err != nil {
		return p, err
	}
	from, err := r.shared(ctx, &p.source)
	if err == nil {
		err = from.unusable
	}
	if err != nil || task.Type == revision.Edit {
		p.made = from.Files
		return p, err
	}
	if lock == nil {
		repository := in.Repositories[p.source.Package.Repo]
		lock = revision.LockOn(&p.source, repository.Address, repository.Directory)
	}
	if task.Type == revision.Clone {
		p.made, _ = tasks.Clone(from.Files, target.Package.Name, lock, in.Repositories[target.Package.Repo].Deployment)
		return p, nil
	}
	base, err := r.Packages.Get(ctx, target.Namespace, task.Base)
	if err != nil {
		return p, err
	}
	local, err := r.Packages.Read(ctx, target.Namespace, task.Local)
	if err != nil {
		return p, err
	}
	var outcome decide.Merge
	if p.wanted, outcome, err = r.mergeChanges(ctx, in, &base, &p.source, lock, local.Files); err != nil {
		return p, err
	}
	p.merge = &outcome
	original, err := r.shared(ctx, &base)
	if err != nil {
		return p, err
	}
	if merged, _, err := merging.Merge(original.Files, from.Files, local.Files, merging.Options{}); err == nil {
		p.made, _ = tasks.Upgrade(merged, lock)
	}
	return p, nil
}
