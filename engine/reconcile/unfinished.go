// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"context"
	"errors"
	"maps"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/edits"
	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
)

// resume returns what to finish a requested draft from. Such a draft was not seen complete, because the controller was
// stopped, or no answer came, or the draft was edited before it was saved. It is the controller's if nobody edited it,
// by the rule of package edits: then an upgrade gets the result of our own merge. Else it stays as it is found. If the
// draft lacks files, the error is an interruptedError.
func (r *Reconciler) resume(ctx context.Context, in *inspection, target *revision.Revision, content packages.Content) (
	evaluated, error) {
	found := evaluated{content: content, files: content.Files}
	if err := in.interrupted(target, &content); err != nil {
		return found, err
	}
	if !decide.Requested(&in.Input, target) || target.Task.Source == "" {
		return found, nil
	}
	asAnswered := in.Requested.Version == content.Version
	if asAnswered && target.Task.Type != revision.Upgrade {
		found.asMade = true
		return found, nil
	}
	from, err := r.madeFrom(ctx, in, target)
	if errors.Is(err, packages.ErrAbsent) { // the revision that it was made from is gone
		return found, nil
	}
	if err != nil {
		return found, err
	}
	if from.merge != nil {
		in.Merges[target.Name] = *from.merge
	}
	if asAnswered {
		return from.finish(found), nil
	}
	saved, err := r.toSave(ctx, in, from, content)
	if err != nil {
		return found, err
	}
	if target.InParts {
		if err := missing(target.Name, content.Files, from.least(saved), target.Created); err != nil {
			return found, err
		}
	}
	if len(edits.Find(content.Files, saved)) == 0 { // the save was done, and the controller did not hear of it
		found.asMade = true
		return found, nil
	}
	if found.edits = from.edits(saved, content.Files); len(found.edits) == 0 {
		return from.finish(found), nil
	}
	return found, nil
}

// origin is what a draft was made from.
type origin struct {
	// source are the files that it was made from: the clone of the upstream, or the published revision.
	source map[string]string
	// merged are, for an upgrade, the files of our own merge, nil if it fails or conflicts stop it, and merge is its
	// outcome.
	merged map[string]string
	merge  *decide.Merge
	// byHome are the files of the same merge as Porch makes it: where both sides changed a value, the upstream's is taken.
	// They are nil if that is nowhere.
	byHome map[string]string
}

// finish returns a draft that nobody edited with the files from which to finish it.
func (o *origin) finish(found evaluated) evaluated {
	found.asMade = true
	if o.merged != nil {
		found.files = o.merged
	}
	return found
}

// toSave returns the files that a draft of an origin is saved with; those of the origin if a function fails over them.
func (r *Reconciler) toSave(ctx context.Context, in *inspection, from *origin, content packages.Content) (
	map[string]string, error) {
	files := from.source
	if from.merged != nil {
		files = from.merged
	}
	e, err := r.runFunctions(ctx, in.observation, evaluated{content: content, files: files})
	if _, err := failureOf(err); err != nil {
		return nil, err
	}
	return e.wanted(), nil
}

// least returns the paths of the files that a draft has before its save and after it. Newer Porch makes no package
// contexts of nested packages.
func (o *origin) least(saved map[string]string) []string {
	var paths []string
	for path := range kpt.WithoutNestedContexts(o.source) {
		if _, stays := saved[path]; stays {
			paths = append(paths, path)
		}
	}
	return paths
}

// edits returns what people changed in a draft of an origin with these files. Newer Porch makes no package contexts of
// nested packages.
func (o *origin) edits(saved, files map[string]string) []string {
	others := []map[string]string{o.source, saved}
	if o.byHome != nil {
		others = append(others, o.byHome)
	}
	found := edits.Find(files, others...)
	if len(found) > 0 && len(edits.Find(files, kpt.WithoutNestedContexts(o.source),
		kpt.WithoutNestedContexts(saved))) == 0 {
		return nil
	}
	return found
}

// savedUnchanged returns the draft that is known to be saved: the saved one, or a requested draft that is as Porch made
// it and needs no save. Only the controller has edited that one, too.
func (in *inspection) savedUnchanged() decide.Saved {
	for name, e := range in.contents {
		target, m := in.target(name), in.Mutations[name]
		if target != nil && e.asMade && decide.Requested(&in.Input, target) && m.Err == nil &&
			len(m.Changed)+len(m.Reverted) == 0 {
			return decide.Saved{Name: name, Content: kpt.Digest(e.content.Files)}
		}
	}
	return in.Saved
}

// madeFrom returns what a requested draft was made from. A draft that has lost its lock gets the lock of its source.
func (r *Reconciler) madeFrom(ctx context.Context, in *inspection, target *revision.Revision) (*origin, error) {
	task, lock := &target.Task, target.Lock
	source, err := r.Packages.Get(ctx, target.Namespace, task.Source)
	if err != nil {
		return nil, err
	}
	from, err := r.shared(ctx, &source)
	if err == nil {
		err = from.unusable
	}
	if err != nil || task.Type == revision.Edit {
		return &origin{source: from.Files}, err
	}
	if lock == nil {
		repository := in.Repositories[source.Package.Repo]
		lock = revision.LockOn(&source, repository.Address, repository.Directory)
	}
	if task.Type == revision.Clone {
		files, err := kpt.Clone(from.Files, target.Package.Name, lock, in.Repositories[target.Package.Repo].Deployment)
		if err != nil { // its Kptfile is not one that kpt reads
			files = maps.Clone(from.Files)
		}
		return &origin{source: files}, nil
	}
	base, err := r.Packages.Get(ctx, target.Namespace, task.Base)
	if err != nil {
		return nil, err
	}
	local, err := r.Packages.Read(ctx, target.Namespace, task.Local)
	if err != nil {
		return nil, err
	}
	made := &origin{source: local.Files, merge: &decide.Merge{}}
	made.merged, *made.merge, err = r.mergeChanges(ctx, decide.OnConflict(&in.Input), &base, &source, lock, local.Files)
	if err == nil && len(made.merge.Conflicts) > 0 {
		made.byHome, _, err = r.mergeChanges(ctx, variant.OnConflictTakeUpstream, &base, &source, lock, local.Files)
	}
	return made, err
}
