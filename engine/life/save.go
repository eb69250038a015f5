// SPDX-License-Identifier: Apache-2.0

package life

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/kptfile"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/tasks"
)

// maxSaves is how often a draft is saved in a row: a second save is needed if the package's pipeline makes a resource
// for the functions, such as an injection point.
const maxSaves = 2

// saveDraft saves a draft, or the one that was created before, with what the functions change. Whether they change
// something in what the package's pipeline made of it is found out by the next look at it.
func (a *action) saveDraft(ctx context.Context, draft *revision.Revision) error {
	if draft == nil {
		draft = a.created
	}
	e, inspected := a.in.contents[draft.Name]
	if !inspected {
		var err error
		if e, err = a.prepare(ctx, draft); err != nil {
			return err
		}
	}
	ours := a.ours(draft, e.content) || e.asMade
	if len(e.edits) > 0 { // the status says so only until the save
		a.event(a.in.pv, objects.Warning, v1alpha1.ReasonEditedByOthers, decide.EditedSince(draft.Name, e.edits))
	}
	if wanted, changed := e.wanted(), e.changed(); len(changed) > 0 {
		e.content.Conflicts = a.in.pv.Status.Conflicts
		saved, err := a.Packages.Save(ctx, e.content, wanted)
		if err != nil {
			return a.saveFailed(ctx, draft, e.content, ours, err)
		}
		a.recordSave(draft, saved, changed)
		a.in.progress.saves[a.in.purpose(draft.Name)]++
		e.content, e.files, e.outcome.Files, e.final = saved, saved.Files, nil, maps.Equal(wanted, saved.Files)
	} else {
		e.final = true
	}
	e.asMade, e.generation = ours, a.in.pv.Generation
	a.in.progress.contents[draft.Name] = e
	if ours { // only the controller has edited the draft, so it may be approved
		a.in.progress.saved = &decide.Saved{Name: draft.Name, Content: kptfile.Digest(e.content.Files)}
	}
	return nil
}

// ours reports whether only the controller has edited a draft. It also notes a draft that was just made as saved: if
// the next save fails, the draft is still known to be the controller's.
func (a *action) ours(draft *revision.Revision, content packages.Content) bool {
	if a.isAsMade(content) {
		a.in.Saved = decide.Saved{Name: draft.Name, Content: kptfile.Digest(content.Files)}
		return true
	}
	return a.in.Saved.Name == draft.Name && a.in.Saved.Content == kptfile.Digest(content.Files)
}

// isAsMade reports whether a content is as Porch made it when the draft was created.
func (a *action) isAsMade(content packages.Content) bool {
	return a.created != nil && a.created.Version == content.Version
}

// saveFailed returns the error of a save. If the package's pipeline keeps a requested draft from being saved, the draft
// is incomplete, and is deleted if only the controller has edited it.
func (a *action) saveFailed(ctx context.Context, draft *revision.Revision, content packages.Content, ours bool,
	err error) error {
	asked := a.in.Requested.Is(draft.Name, draft.Task)
	if _, ofRender := packages.Rendered(err); !ofRender || !ours || a.created == nil && !asked {
		return err
	}
	if failed := a.discard(ctx, draft, content.Version); failed != nil {
		return failed
	}
	return err
}

// discard deletes an incomplete draft.
func (a *action) discard(ctx context.Context, draft *revision.Revision, version string) error {
	if err := a.remove(ctx, draft, version); ignoreAbsent(err) != nil {
		return err
	}
	a.in.Revisions = slices.DeleteFunc(a.in.Revisions, func(r revision.Revision) bool { return r.Name == draft.Name })
	a.in.progress.moved(draft, nil)
	return nil
}

// recordSave records that a draft was saved, and that the upstream asked for is now merged into it.
func (a *action) recordSave(draft *revision.Revision, content packages.Content, changed []string) {
	merged := decide.Merged(&a.in.Input, draft.Name)
	switch {
	case a.created != nil: // its task says what was done
	case merged:
		a.did("Merged", fmt.Sprintf("merged the changes to %s into the draft %s", a.in.Upstream.Name, draft.Name))
	default:
		a.did("Saved", fmt.Sprintf("changed %v of the draft %s", changed, draft.Name))
	}
	a.in.progress.rendered[draft.Name] = content.RenderStatus
	a.in.progress.changed(draft, func(r *revision.Revision) {
		r.Version = content.Version
		switch {
		case merged:
			r.Lock = a.in.lock(draft)
		case r.Lock == nil: // its Kptfile was lost and has been restored
			r.Lock = tasks.LockOf(content.Files)
		}
	})
}

// prepare reads a draft and runs the functions over it. If a function fails on a draft that was created before, the
// draft is deleted, unless it was edited.
func (a *action) prepare(ctx context.Context, draft *revision.Revision) (evaluated, error) {
	begun, err := a.begin(ctx, draft)
	if err == nil {
		err = checkFiles(draft.Name, begun.files)
	}
	if err != nil {
		return evaluated{}, err
	}
	e, err := a.runFunctions(ctx, a.in.observation, begun)
	if err == nil || unavailable(err) {
		return e, err
	}
	if a.isAsMade(e.content) {
		if err := a.discard(ctx, draft, e.content.Version); err != nil {
			return evaluated{}, err
		}
		return evaluated{}, &mutationError{revision: a.in.Requested.Task.Source, err: err}
	}
	return evaluated{}, &mutationError{revision: draft.Name, err: err}
}

// begin returns the content of a draft, and the files that the functions run over, which are the draft's own. For an
// upgrade that Porch has just made, they come from our own merge, and nothing is read: Porch's merge has one answer to
// a conflict, restores what was removed, and duplicates what was moved. If people edit the draft meanwhile, it is not
// saved, and a later reconcile finishes it with their edit.
func (a *action) begin(ctx context.Context, draft *revision.Revision) (e evaluated, err error) {
	if local, merged := a.in.contents[a.in.Requested.Task.Local]; merged && a.created != nil {
		files, err := a.onLock(ctx, local)
		return evaluated{content: packages.Unread(a.created), files: files, asMade: true}, err
	}
	if e.content, err = a.Packages.Read(ctx, draft.Namespace, draft.Name); err != nil {
		return e, err
	}
	if a.created != nil && !a.isAsMade(e.content) {
		return e, fmt.Errorf("%s has changed since it was made: %w", draft.Name, packages.ErrStale)
	}
	if a.created != nil {
		e.files, e.asMade = e.content.Files, true
		return e, nil
	}
	return a.resume(ctx, a.in, draft, e.content)
}

// onLock returns the files of our own merge. They get a lock with the commit of the upstream if that became known only
// when Porch made the draft.
func (a *action) onLock(ctx context.Context, local evaluated) (map[string]string, error) {
	base := a.in.target(a.in.Requested.Task.Local)
	if a.in.progress.upstream.commit == "" || base == nil {
		return local.files, nil
	}
	from := decide.Merging(&a.in.Input, base)
	files, _, err := a.mergeChanges(ctx, decide.OnConflict(&a.in.Input), from, a.in.Upstream, a.in.lock(base),
		local.content.Files)
	return files, err
}
