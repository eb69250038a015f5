// SPDX-License-Identifier: Apache-2.0

package home

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/ledger"
)

// A Repository whose manifest names another place is followed there with its open drafts: to another directory of the
// git repository they are moved, and what another git repository has not of them was not rejected by anybody.

// move brings the drafts of a package to where its Repository is now.
func (s *settling) move(ctx context.Context, m member) error {
	e := s.entry(m)
	was := s.resolved(s.ledger[m.key()].Place)
	hasMoved := was != m.in.located
	for _, workspace := range slices.Sorted(maps.Keys(e.Drafts)) {
		draft, to := e.Drafts[workspace], place{path: m.where(), workspace: workspace}
		from := place{path: placeIn(was.Directory, m.pkg), workspace: workspace}
		if draft.Former != "" { // what was pushed then may not have arrived
			from, _ = placeOf(branches + draft.Former)
		}
		switch {
		case !hasMoved && draft.Former == "", m.in.ref(to.ref()).Hash != "":
		case was.Address != m.in.located.Address:
			if draft.Commit != "" {
				s.Home.left = append(s.Home.left, fmt.Sprintf("%s/%s: its branch, which was at %s, is not in %s, which its "+
					"Repository names now: the draft is made anew", m.in.Namespace, id{m.key(), workspace}.name(), draft.Commit,
					m.in.git.Address()))
			}
			delete(e.Drafts, workspace)
		case m.in.ref(from.ref()).Hash != "":
			if err := s.moveDraft(ctx, m, &draft, from, to); err != nil {
				return err
			}
			e.Drafts[workspace] = draft
		}
	}
	if !hasMoved {
		return nil
	}
	if e.Removal != nil { // it is asked for again
		former := removals + placeIn(was.Directory, m.pkg)
		if e.Removal = (&ledger.Removal{By: e.Removal.By}); m.in.ref(former).Hash != "" && former != removals+m.where() {
			m.in.set(former, git.Ref{}, id{Key: m.key()})
		}
	}
	s.put(m, &e)
	return nil
}

// moveDraft makes the branch of a draft again for another directory. The former branch ends when that was seen.
func (s *settling) moveDraft(ctx context.Context, m member, draft *ledger.Draft, from, to place) error {
	old, head := m.in.ref(from.ref()), m.in.ref(m.in.branch()).Commit
	known, err := m.in.factsOf(from, old)
	if err != nil || known.unread != nil || head == "" {
		return err
	}
	_, main, err := m.in.branchOf(ctx, to.path)
	if err != nil {
		return err
	}
	tree, parents := known.tree, []git.Hash{head}
	if isEdited(draft, tree) { // what people wrote stays in the history
		parents = []git.Hash{old.Commit, head}
		if main != "" && main != draft.Base {
			if tree, draft.LeftToPeople, err = m.in.mergedFiles(draft, tree, main); err != nil {
				return err
			}
			draft.Base = main
		}
	}
	message, err := messageOf(fmt.Sprintf("Move the draft of %s to %s", from.path, to.path), known.made,
		annotation{Package: to.path, Workspace: to.workspace, Task: taskOf(known.task)})
	if err != nil {
		return err
	}
	commit, err := m.in.commit(ctx, head, to.path, tree, message, parents...)
	if err != nil {
		return err
	}
	m.in.set(to.ref(), git.Ref{Hash: commit, Commit: commit}, id{m.key(), to.workspace})
	draft.Commit, draft.Seen, draft.Former = commit, tree, strings.TrimPrefix(from.ref(), branches)
	return nil
}

// endFormer ends the branch that a draft had before it moved.
func (s *settling) endFormer(m member, draft *ledger.Draft, k id) {
	if former := branches + draft.Former; m.in.ref(former).Hash != "" {
		m.in.set(former, git.Ref{}, k)
		return
	}
	draft.Former = ""
}
