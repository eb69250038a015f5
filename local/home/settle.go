// SPDX-License-Identifier: Apache-2.0

package home

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/ledger"
)

// Settled is what a home found that people did on branches, and what it did about it.
type Settled struct {
	// Events are in the order in which they were found.
	Events []Event
	// Replaced are the packages whose branch is not the one that was seen last and does not have what was published of
	// them, and why that is so: they are left alone.
	Replaced map[ledger.Key]string
}

// Settle lets the content of the branches decide, for the packages that variants own: what was merged is published,
// in whichever way it was merged, drafts that are merged end, and drafts beside which something newer was published
// get it. It belongs to the beginning of a round, and what it writes is pushed with the rest. A Repository that
// cannot be read, or of which that is found out here, is left out.
func (h *Home) Settle(ctx context.Context) (_ *Settled, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer classify(&err)
	defer h.forget()
	s := h.newSettling()
	h.replaced, h.waits = map[Branch]bool{}, s.Replaced
	if err := s.findReplaced(ctx); err != nil {
		return nil, err
	}
	for _, key := range slices.SortedFunc(maps.Keys(h.ledger), ledger.Key.Compare) {
		r := h.awake(key)
		if r == nil || s.Replaced[key] != "" {
			continue
		}
		if err := s.move(ctx, member{r, key.Package}); err != nil {
			r.err = err
		}
		if r.err != nil || r.ref(r.branch()).Commit == "" {
			continue
		}
		if err := s.settle(ctx, member{r, key.Package}); ctx.Err() != nil {
			return nil, ctx.Err()
		} else if err != nil {
			r.err = err
		}
	}
	return s.Settled, s.publish(ctx)
}

func (h *Home) newSettling() *settling {
	return &settling{Home: h, Settled: &Settled{Replaced: map[ledger.Key]string{}},
		merged: map[member][]string{}, followed: map[[2]git.Hash]bool{},
		names: map[member]string{}, arrived: map[member]bool{}, tree: map[member]git.Hash{},
		own: map[branchAt]map[git.Hash][]git.Hash{}, left: map[branchAt]map[string]member{}}
}

// settling is Settle under way.
type settling struct {
	*Home
	*Settled
	// merged are the workspaces of the drafts that are merged, names those of what was published.
	merged map[member][]string
	names  map[member]string
	// arrived are the packages of which the main branch has a first draft, whatever became of that.
	arrived map[member]bool
	// tree is what is to be published.
	tree map[member]git.Hash
	// followed says of pairs of commits whether the second follows the first.
	followed map[[2]git.Hash]bool
	// own are the commits of drafts that a branch has not in its history, each with its parents.
	own map[branchAt]map[git.Hash][]git.Hash
	// left are the packages to be published, by the branch and their paths.
	left map[branchAt]map[string]member
}

// judgement is what is known of a draft: whether its branch changes more than its package, whether what was published
// beside it is not in it, and whether the main branch has another package at its place.
type judgement struct{ beside, overtaken, foreign bool }

// settle settles a package.
func (s *settling) settle(ctx context.Context, m member) error {
	_, main, err := m.in.branchOf(ctx, m.where())
	if err != nil {
		return err
	}
	e := s.entry(m)
	foreign := false
	for _, workspace := range slices.Sorted(maps.Keys(e.Drafts)) {
		fate, err := s.draft(ctx, m, &e, workspace, main)
		if err != nil {
			return err
		}
		foreign = foreign || fate == ledger.Foreign
	}
	if err := s.back(ctx, m, &e, main); err != nil {
		return err
	}
	if isOwned(e.Owners) && e.Removal == nil && !foreign {
		if err := s.toPublish(m, &e, main); err != nil {
			return err
		}
	}
	if hasEnded, err := s.removal(ctx, m, &e, main); err != nil {
		return err
	} else if hasEnded {
		e = ledger.Entry{}
	}
	s.put(m, &e)
	return s.others(ctx, m, &e)
}

// draft does what is to be done about a draft, and returns what became of it.
func (s *settling) draft(ctx context.Context, m member, e *ledger.Entry, workspace string, main git.Hash) (ledger.Fate,
	error) {
	draft, k := e.Drafts[workspace], id{m.key(), workspace}
	f, err := s.branchOfDraft(ctx, m, &draft, workspace)
	if err != nil {
		return "", err
	}
	if p := (place{path: m.where(), workspace: workspace}); m.in.changes[p.ref()] != nil { // it moves in this round
		return ledger.Open, nil
	}
	if err := s.arrival(ctx, m, &draft, f); err != nil {
		return "", err
	}
	if f != nil {
		draft.Announced = false
		if draft.Former != "" {
			s.endFormer(m, &draft, k)
		}
	}
	e.Drafts[workspace] = draft
	if draft.Ended {
		s.endDraft(m, e, workspace, f)
		return "", nil
	}
	if f != nil && f.unread != nil { // it stays as it is, until a person corrects it
		return ledger.Open, nil
	}
	unchanged, err := s.isUnchanged(ctx, m, &draft, f, main)
	if err != nil {
		return "", err
	}
	if unchanged {
		s.judged[k] = judgement{beside: draft.Beside}
		e.Drafts[workspace] = draftOf(f, draft)
		return ledger.Open, nil
	}
	return s.decide(ctx, m, e, k, f, main)
}

// branchOfDraft returns the draft that its branch is; nil if the branch is not there, or is somebody else's.
func (s *settling) branchOfDraft(ctx context.Context, m member, draft *ledger.Draft, workspace string) (*found, error) {
	p := place{path: m.where(), workspace: workspace}
	if m.in.ref(p.ref()).Commit == "" {
		return nil, nil
	}
	f, err := s.foundAt(ctx, m, p, nil)
	if err != nil || draft.IsForeign(f.tree) {
		return nil, err
	}
	return f, nil
}

// arrival finds out whether the change of a draft that was announced has arrived: otherwise the draft is as it was.
func (s *settling) arrival(ctx context.Context, m member, draft *ledger.Draft, f *found) error {
	before := draft.Before
	if before == nil || f == nil || draft.Arrived {
		return nil
	}
	if draft.Arrived = true; draft.Commit == git.Hash(f.Commit) {
		return nil
	}
	if before.Commit != git.Hash(f.Commit) { // people may have changed it since
		if follows, err := m.in.git.Follows(ctx, git.Hash(f.Commit), draft.Commit); err != nil || follows {
			return err
		}
	}
	*draft = *before
	return nil
}

// decide finds out what became of a draft, and ends it if it is over.
func (s *settling) decide(ctx context.Context, m member, e *ledger.Entry, k id, f *found, main git.Hash) (ledger.Fate,
	error) {
	draft := e.Drafts[k.workspace]
	if err := s.rebase(ctx, m, &draft, f); err != nil {
		return "", err
	}
	facts, err := s.factsOn(ctx, m, e, &draft, f, main)
	if err == nil && f == nil {
		facts, err = s.asSeen(ctx, m, e, facts, draft.Before, main)
	}
	if err != nil {
		return "", err
	}
	if f != nil {
		draft = draftOf(f, draft)
		draft.Beside = facts.Branch.Beside
	}
	fate, differing := ledger.Became(facts)
	s.arrived[m] = s.arrived[m] || facts.HasDraft()
	s.judged[k] = judgement{beside: draft.Beside, foreign: fate == ledger.Foreign}
	if fate == ledger.Open && main != draft.Base {
		e.Drafts[k.workspace] = draft
		return fate, s.bringUp(ctx, m, e, f, main)
	}
	s.ended(m, e, k.workspace, f, fate, differing)
	if _, there := e.Drafts[k.workspace]; there && fate != ledger.WasRejected {
		draft.Ended = e.Drafts[k.workspace].Ended
		e.Drafts[k.workspace] = draft
	}
	return fate, nil
}

// asSeen returns the facts of a draft whose branch is gone: if people have merged it as it was before the sync changed
// it last, those of that.
func (s *settling) asSeen(ctx context.Context, m member, e *ledger.Entry, now *ledger.Facts, before *ledger.Draft,
	main git.Hash) (*ledger.Facts, error) {
	if before == nil || before.Seen == before.Base || now.HasDraft() {
		return now, nil
	}
	seen, err := s.factsOn(ctx, m, e, before, nil, main)
	if err != nil || !seen.HasDraft() {
		return now, err
	}
	return seen, nil
}

// isUnchanged reports whether a draft is what it was, and its package on the main branch is so, too.
func (s *settling) isUnchanged(ctx context.Context, m member, draft *ledger.Draft, f *found, main git.Hash) (bool,
	error) {
	if f == nil || draft.Commit != git.Hash(f.Commit) || draft.Base != main {
		return false, nil
	}
	own, err := s.unmerged(ctx, m.in)
	_, isOwn := own[draft.Commit]
	return isOwn, err
}

// endDraft ends the branch of a draft again, if it is still there.
func (s *settling) endDraft(m member, e *ledger.Entry, workspace string, f *found) {
	if f == nil {
		delete(e.Drafts, workspace)
		return
	}
	m.in.set(f.ref(), git.Ref{}, f.id())
}

// ended ends a draft that is over.
func (s *settling) ended(m member, e *ledger.Entry, workspace string, f *found, fate ledger.Fate, differing []string) {
	k, draft := id{m.key(), workspace}, e.Drafts[workspace]
	switch fate {
	case ledger.Open, ledger.Removed, ledger.Foreign, ledger.Unknown, ledger.NotPushed:
		return
	case ledger.Merged:
		s.merged[m] = append(s.merged[m], workspace)
		s.did(Merged, k, Event{Files: differing})
	case ledger.TakenBack:
		s.did(TakenBack, k, Event{})
		e.Rejected = &ledger.Rejected{Asked: e.Asked, Workspace: workspace, Draft: draft, TakenBack: true}
	case ledger.WasRejected:
		s.did(Rejected, k, Event{})
		e.Rejected = &ledger.Rejected{Asked: e.Asked, Workspace: workspace, Draft: draft}
	}
	if f != nil {
		m.in.set(f.ref(), git.Ref{}, k)
		draft.Ended = true
		e.Drafts[workspace] = draft
		return
	}
	delete(e.Drafts, workspace)
}

// back finds that what was rejected is back: its branch was restored, or the main branch has it, and it is published.
func (s *settling) back(ctx context.Context, m member, e *ledger.Entry, main git.Hash) error {
	r := e.Rejected
	if r == nil || r.Draft.Seen == "" {
		return nil
	}
	p := place{path: m.where(), workspace: r.Workspace}
	if _, known := e.Drafts[r.Workspace]; !known && m.in.ref(p.ref()).Hash != "" {
		f, err := s.foundAt(ctx, m, p, nil)
		if err == nil && f.tree == r.Draft.Seen {
			e.Drafts[r.Workspace], e.Rejected = draftOf(f, r.Draft), nil
			s.judged[f.id()] = judgement{beside: r.Draft.Beside}
		}
		return err
	}
	if main == "" || main == r.Draft.Base {
		return nil
	}
	facts, err := s.contentFacts(m, &e.Rejected.Draft, main)
	if err == nil && facts.HasDraft() {
		s.merged[m] = append(s.merged[m], e.Rejected.Workspace)
		e.Rejected = nil
	}
	return err
}

// removal finds out what became of the removal of a package, and reports whether it has ended.
func (s *settling) removal(ctx context.Context, m member, e *ledger.Entry, main git.Hash) (bool, error) {
	where := m.where()
	ref, there := m.in.removals[where]
	there = there && m.in.ref(ref).Hash != ""
	switch {
	case main == "" && there:
		m.in.set(ref, git.Ref{}, id{Key: m.key()})
		s.did(RemovalMerged, id{Key: m.key()}, Event{})
		return false, nil // until a fetch has shown it
	case e.Removal == nil:
		return false, nil
	case main == "":
		return true, nil
	case !there && !e.Removal.Seen: // it was not pushed
		return false, s.askRemoval(ctx, m, e.Removal.By)
	case !there:
		return true, nil
	}
	e.Removal = &ledger.Removal{By: e.Removal.By, Seen: true}
	return false, s.renewRemoval(ctx, m, e.Removal, ref, main)
}

// renewRemoval makes the removal of a package anew if the main branch has another package than it removes, unless
// people have written to its branch: otherwise it would conflict with what is newer.
func (s *settling) renewRemoval(ctx context.Context, m member, asked *ledger.Removal, ref string, main git.Hash) error {
	commit, err := m.in.git.Commit(m.in.ref(ref).Commit)
	if err != nil || len(commit.Parents) != 1 || !strings.HasPrefix(commit.Message, removes) {
		return ignoreUnread(err)
	}
	began, err := m.in.git.Commit(commit.Parents[0])
	if err != nil {
		return ignoreUnread(err)
	}
	removed, err := m.in.at(commit.Parents[0], m.where())
	if err != nil || removed == main {
		return err
	}
	only, err := m.in.git.With(began.Tree, m.where(), "")
	if err != nil || only != commit.Tree {
		return err
	}
	return s.askRemoval(ctx, m, asked.By)
}

// others looks at the branches of a package that are no drafts of its variant: one that was published is back, and goes
// again, and of one that Porch has made people are told.
func (s *settling) others(ctx context.Context, m member, e *ledger.Entry) error {
	if !isOwned(e.Owners) {
		return nil
	}
	all, err := s.placed(ctx, m)
	if err != nil {
		return err
	}
	published := map[string]git.Hash{}
	for i := range all {
		if all[i].number > 0 {
			known, err := m.in.factsOf(all[i].place, m.in.ref(all[i].ref()))
			if err != nil {
				return err
			}
			published[known.workspace] = known.tree
		}
	}
	for i := range all {
		f := &all[i]
		_, ours := e.Drafts[f.workspace]
		switch tree, was := published[f.workspace]; {
		case f.number > 0 || ours:
		case was && tree == f.tree:
			m.in.set(f.ref(), git.Ref{}, f.id())
			s.did(Merged, f.id(), Event{})
		case f.fleet == "" && f.Task.Type != "":
			s.did(MadeByPorch, f.id(), Event{})
		default:
			if err := s.person(ctx, m, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// person judges a draft that a person has made: whether the main branch has something newer than that began with.
func (s *settling) person(ctx context.Context, m member, f *found) error {
	_, main, err := m.in.branchOf(ctx, m.where())
	if err != nil || f.unread != nil {
		return err
	}
	began, _, err := s.beganWith(ctx, m, f)
	s.judged[f.id()] = judgement{overtaken: began != main}
	return err
}

// repositoryKey returns the key of the Repository of a package.
func repositoryKey(k ledger.Key) key { return key{k.Namespace, k.Repository} }
