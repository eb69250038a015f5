// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"context"
	"fmt"
	"maps"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
)

// maxSaves is how often a draft is saved in a row: a second save is needed if the package's pipeline makes a resource
// for the functions, such as an injection point.
const maxSaves = 2

// saveDraft saves a draft with what the functions change. Whether they change something in what the package's pipeline
// made of it is found out by the next look at it.
func (a *action) saveDraft(ctx context.Context, draft *revision.Revision) error {
	e := a.in.contents[draft.Name]
	ours := e.asMade || a.in.Saved.Name == draft.Name && a.in.Saved.Content == kpt.Digest(e.content.Files)
	if len(e.edits) > 0 { // the status says so only until the save
		a.event(a.in.pv, objects.Warning, v1alpha1.ReasonEditedByOthers, decide.EditedSince(draft.Name, e.edits))
	}
	wanted := e.wanted()
	e.content.Conflicts = a.in.pv.Status.Conflicts
	saved, err := a.Packages.Save(ctx, e.content, wanted)
	if err != nil {
		return a.saveFailed(ctx, draft, e.content, ours, err)
	}
	a.recordSave(draft, saved, a.in.Mutations[draft.Name].Changed)
	a.in.progress.saves[a.in.purpose(draft.Name)]++
	e.content = saved
	e.final = maps.Equal(wanted, e.content.Files)
	e.files, e.outcome.Files, e.merge = e.content.Files, nil, nil
	e.asMade, e.generation = ours, a.in.pv.Generation
	a.in.progress.request, a.in.progress.begun, a.in.progress.contents[draft.Name] = decide.Request{}, nil, e
	if ours { // only the controller has edited the draft, so it may be approved
		a.in.progress.saved = &decide.Saved{Name: draft.Name, Content: kpt.Digest(e.content.Files)}
	}
	return nil
}

// saveFailed returns the error of a save. If the package's pipeline keeps a requested draft from being saved, the draft
// is incomplete, and is deleted if only the controller has edited it.
func (a *action) saveFailed(ctx context.Context, draft *revision.Revision, content packages.Content, ours bool,
	err error) error {
	if _, ofRender := packages.Rendered(err); !ofRender || !ours || !decide.Requested(&a.in.Input, draft) {
		return err
	}
	if failed := a.remove(ctx, draft, content.Version); ignoreAbsent(failed) != nil {
		return failed
	}
	a.in.progress.moved(draft, nil)
	return err
}

// recordSave records that a draft was saved, and that the upstream asked for is now merged into it.
func (a *action) recordSave(draft *revision.Revision, content packages.Content, changed []string) {
	merged := decide.Merged(&a.in.Input, draft.Name)
	switch {
	case a.in.justMade(draft.Name): // its task says what was done
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
			r.Lock = kpt.LockOf(content.Files)
		}
	})
}
