// SPDX-License-Identifier: Apache-2.0

package home

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/ledger"
)

// A draft that nobody has edited is never merged with what was published beside it, nor with another upstream: it is
// made again from the main branch as it is now, and replaces the former commit of its branch. What people have written
// into a draft stays there, and what is newer on the main branch is merged into it, value by value.

// isEdited reports whether a draft has something in it that the sync has not written.
func isEdited(draft *ledger.Draft, tree git.Hash) bool { return draft.Written != tree || draft.Beside }

// belowDraft returns why a draft cannot be brought up to the package that the main branch has: its files are not worked
// on; nil if they are, or if the draft was brought up to it.
func (h *Home) belowDraft(ctx context.Context, f *found) error {
	draft, known := h.ledger[f.member().key()].Drafts[f.workspace]
	if !known || !f.Open() {
		return nil
	}
	_, main, err := f.in.branchOf(ctx, f.path)
	if err != nil || main == draft.Base {
		return err
	}
	_, err = f.in.files(main)
	return unusable(f.Package.NameOf(strings.TrimPrefix(f.in.branch(), branches)), err)
}

// bringUp merges what is newer on the main branch into a draft that people have edited.
func (s *settling) bringUp(ctx context.Context, m member, e *ledger.Entry, f *found, main git.Hash) error {
	draft := e.Drafts[f.workspace]
	if main == "" || draft.Beside || !isEdited(&draft, f.tree) { // people look at it, or it is made again
		return nil
	}
	tree, conflicts, err := m.in.mergedFiles(&draft, f.tree, main)
	if err != nil {
		s.judged[f.id()] = judgement{overtaken: true}
		s.did(Overtaken, f.id(), Event{Why: err.Error()})
		return nil
	}
	draft.Base, draft.Seen = main, tree
	if conflicts != "" {
		draft.LeftToPeople = conflicts
	}
	head := m.in.ref(m.in.branch()).Commit
	message, err := messageOf("Merge what is published into the draft of "+f.path+telling(conflicts), f.made,
		annotation{Package: f.path, Workspace: f.workspace})
	if err != nil {
		return err
	}
	commit, err := m.in.commit(ctx, head, f.path, tree, message, git.Hash(f.Commit), head)
	if err != nil {
		return err
	}
	e.Drafts[f.workspace] = draft
	m.in.set(f.ref(), git.Ref{Hash: commit, Commit: commit}, f.id())
	s.did(BroughtUp, f.id(), Event{})
	return nil
}

// mergedFiles returns the package of a draft with what the main branch has changed since the draft was brought up to
// it, and which values both have changed, of which the draft's stay; "" for none.
func (c *clone) mergedFiles(draft *ledger.Draft, tree, main git.Hash) (merged git.Hash, conflicts string, err error) {
	var of [3]*files
	for i, t := range []git.Hash{draft.Base, main, tree} {
		if of[i], err = c.files(t); err != nil {
			return "", "", err
		}
	}
	base, updated, local := of[0], of[1], of[2]
	original := base.texts
	if len(original) == 0 { // both are new
		original = map[string]string{kptfile: local.texts[kptfile]}
	}
	texts, found, err := merging.Merge(original, updated.texts, local.texts,
		merging.Options{OnConflict: merging.KeepLocal})
	if err != nil {
		return "", "", err
	}
	texts = maps.Clone(texts)
	like, links := local.upgraded(base, updated, texts)
	if merged, err = c.put(texts, like); err != nil {
		return "", "", err
	}
	return merged, bothEdited(found, links), nil
}

// bothEdited says which values both the draft and the main branch have changed; "" for none. It follows "because".
func bothEdited(conflicts []merging.Conflict, links []string) string {
	var all []string
	for _, c := range conflicts {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s of %s in %s (here %q, published %q)", c.Field, c.Resource, c.File,
			c.Local, c.Updated)))
	}
	if all = append(all, links...); len(all) == 0 {
		return ""
	}
	const most = 10
	if len(all) > most {
		all = append(all[:most], fmt.Sprintf("and %d more", len(all)-most))
	}
	return "people have changed in the draft what was changed in the published package, too, and the draft has its own: " +
		strings.Join(all, "; ") + ": look at both, and merge it"
}

// renewal is a draft that is made again in this round, for what is asked for now, as it was before.
type renewal struct {
	// asked is a digest of that, and source the upstream revision; "" if there is none.
	asked, source string

	change *change
	draft  ledger.Draft
	saved  bool
}

// task returns by which task a draft is made; r is nil if it is made for the first time.
func (r *renewal) task(f *found) revision.Task {
	task := f.Task
	if r != nil && r.source != "" && (task.Type == revision.Clone || task.Type == revision.Upgrade) {
		task.Source = r.source
	}
	return task
}

// Renew begins the unedited draft of a package again, if something else is asked for than it was made for, or if the
// main branch has another package than it began with: until it is saved, it has what the main branch has. Its source is
// the upstream revision asked for. It returns the name of the draft, "" for none, and these files.
func (h *Home) Renew(ctx context.Context, namespace string, of revision.Package, asked, source string) (name string,
	texts map[string]string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer classify(&err)
	r := h.repositories[key{namespace, of.Repo}]
	e, known := h.ledger[ledger.KeyOf(namespace, of)]
	if r == nil || r.problem() != nil || !known || len(e.Drafts) != 1 {
		return "", nil, nil
	}
	m := member{r, of.Name}
	_, main, err := r.branchOf(ctx, m.where())
	if err != nil || main == "" {
		return "", nil, err
	}
	for workspace, draft := range e.Drafts {
		f, err := h.at(ctx, m, workspace)
		if err != nil {
			return "", nil, ignoreAbsent(err)
		}
		isAsked := draft.Base == main && (asked == e.Asked || e.Asked == "")
		if isAsked || !h.isRenewable(f, &draft, asked) {
			return "", nil, nil
		}
		read, err := r.files(main)
		if err != nil {
			return "", nil, ignoreUnread(err)
		}
		name, texts = f.Name, read.texts
		if err := h.renew(ctx, m, f, draft, asked, source); err != nil {
			return "", nil, err
		}
	}
	return name, texts, nil
}

// isRenewable reports whether a draft can be made again: only the sync has written what its branch has, and not in this
// round for the same.
func (h *Home) isRenewable(f *found, draft *ledger.Draft, asked string) bool {
	judged := h.judged[f.id()]
	if renewed := h.renewed[f.id()]; renewed != nil && renewed.asked == asked {
		return false
	}
	return f.Lifecycle == revision.Draft && f.unread == nil && !draft.Ended && !draft.Announced && !judged.beside &&
		!judged.foreign && !isEdited(draft, f.tree)
}

// renew has the branch of a draft begin again at the head of the main branch.
func (h *Home) renew(ctx context.Context, m member, f *found, draft ledger.Draft, asked, source string) error {
	task := f.Task
	if latest := m.in.latest(m.where()); latest > 0 {
		all, err := h.placed(ctx, m)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(o found) bool { return o.number == latest })
		if task.Local != "" {
			task.Local = all[i].Name
		} else if task.Type == revision.Edit {
			task.Source = all[i].Name
		}
	}
	message, err := messageOf(subjectOf(f.path, task), f.made,
		annotation{Package: f.path, Workspace: f.workspace, Task: taskOf(task)})
	if err != nil {
		return err
	}
	head, err := h.base(ctx, m.in, f.path, f.id())
	if err != nil {
		return err
	}
	root, err := m.in.git.Commit(head)
	if err != nil {
		return err
	}
	commit, err := m.in.git.PutCommit(ctx, &git.Commit{Tree: root.Tree, Parents: []git.Hash{head}, Message: message})
	if err != nil {
		return err
	}
	h.renewed[f.id()] = &renewal{asked: asked, source: source, change: m.in.changes[f.ref()], draft: draft}
	m.in.set(f.ref(), git.Ref{Hash: commit, Commit: commit}, f.id())
	return nil
}

// restore gives a draft that was begun again the branch that it had.
func (h *Home) restore(m member, of id, renewed *renewal) {
	p := place{path: m.where(), workspace: of.workspace}
	if delete(m.in.changes, p.ref()); renewed.change != nil {
		m.in.changes[p.ref()] = renewed.change
	}
	m.in.touch(p.path)
}

// Renewed returns the packages whose draft was begun again, and was not saved since.
func (h *Home) Renewed() (all []ledger.Key) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for k, r := range h.renewed {
		if !r.saved {
			all = append(all, k.Key)
		}
	}
	slices.SortFunc(all, ledger.Key.Compare)
	return all
}

// EndRenewal ends the drafts of a package that were begun again and not saved. If all that is asked for is on the main
// branch, nothing is left of them. Otherwise they are as they were.
func (h *Home) EndRenewal(k ledger.Key, isUpToDate bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.repositories[repositoryKey(k)]
	for of, renewed := range h.renewed {
		if of.Key != k || renewed.saved || r == nil {
			continue
		}
		p := place{path: r.place(k.Package), workspace: of.workspace}
		if isUpToDate {
			r.set(p.ref(), git.Ref{}, of)
			m := member{r, k.Package}
			e := h.entry(m)
			draft := e.Drafts[of.workspace]
			draft.Ended = true
			e.Drafts[of.workspace] = draft
			h.put(m, &e)
		} else {
			h.restore(member{r, k.Package}, of, renewed)
		}
		delete(h.renewed, of)
	}
}
