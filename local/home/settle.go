// SPDX-License-Identifier: Apache-2.0

package home

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git"
)

// Settled is what a home found that people did on branches, and what it did about it. Revisions are by namespace and
// name.
type Settled struct {
	// Published are the revisions that were merged and got a tag.
	Published []string
	// Done are the drafts whose branches went because they are merged, Updated those that got what is newer on their
	// branch.
	Done, Updated []string
	// Overtaken are the drafts in which git cannot merge that, with the files in which they conflict.
	Overtaken map[string][]string
	// Merged and Rejected are the drafts whose branches somebody removed: after a merge, and without one.
	Merged, Rejected []string
	// Reverted are those of them that take back what was published before: their content, or their lock, is that of one
	// before the previous one.
	Reverted []string
	// TakenBack are the drafts of which the merge was taken back before it was seen.
	TakenBack []string
	// Porchs are the drafts of packages that variants own which Porch has made.
	Porchs []string
	// Removed are the packages, by namespace and name, of which the removal was merged.
	Removed []string
}

// Settle lets the content of the branches decide, for the packages that variants own: what was merged is published,
// in whichever way it was merged, drafts that are merged end, and drafts beside which something newer was published
// get it. It belongs to the beginning of a round, and what it writes is pushed with the rest. A Repository that
// cannot be read, or of which that is found out here, is left out.
func (h *Home) Settle(ctx context.Context) (_ *Settled, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer classify(&err)
	defer h.touchAll()
	s := &Settled{Overtaken: map[string][]string{}}
	for _, k := range slices.SortedFunc(maps.Keys(h.repositories), byName) {
		r := h.repositories[k]
		if r.err != nil || r.ref(r.branch()).Commit == "" {
			continue
		}
		if err := h.trySettle(ctx, r, s); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// trySettle settles a Repository as a whole or not at all. One that cannot be settled is one that cannot be read.
func (h *Home) trySettle(ctx context.Context, r *repository, s *Settled) error {
	before, in := maps.Clone(h.notes), r.clone
	changes, unpushed, publications := maps.Clone(in.changes), maps.Clone(in.unpushed), in.publications
	found := &Settled{Overtaken: map[string][]string{}}
	err := h.settle(ctx, r, before, found)
	switch {
	case err == nil:
		s.add(found)
	case ctx.Err() != nil:
		return err
	default:
		h.notes, in.changes, in.unpushed, in.publications, in.err = before, changes, unpushed, publications, err
	}
	return nil
}

// add adds what was found in a Repository.
func (s *Settled) add(o *Settled) {
	s.Published, s.Done = append(s.Published, o.Published...), append(s.Done, o.Done...)
	s.Updated, s.Merged = append(s.Updated, o.Updated...), append(s.Merged, o.Merged...)
	s.Rejected, s.Reverted = append(s.Rejected, o.Rejected...), append(s.Reverted, o.Reverted...)
	s.TakenBack, s.Porchs = append(s.TakenBack, o.TakenBack...), append(s.Porchs, o.Porchs...)
	s.Removed = append(s.Removed, o.Removed...)
	maps.Copy(s.Overtaken, o.Overtaken)
}

// settle settles a Repository. Before are the notes as they are.
func (h *Home) settle(ctx context.Context, r *repository, before Notes, s *Settled) error {
	owned, open, err := h.openDrafts(r, s)
	if err != nil {
		return err
	}
	merged := map[string][]string{}
	if len(open) > 0 {
		own, err := r.git.Unmerged(ctx, drafts, r.ref(r.branch()).Commit)
		if err != nil {
			return err
		}
		for i := range open {
			isDone, err := h.judge(ctx, r, &open[i], own, s)
			if err != nil {
				return err
			}
			if isDone {
				merged[open[i].Package.Name] = append(merged[open[i].Package.Name], open[i].Workspace)
			}
		}
	}
	if err := h.missing(ctx, r, merged, s); err != nil {
		return err
	}
	if err := h.tagMerged(ctx, r, owned, merged, s); err != nil {
		return err
	}
	if err := h.takenBack(ctx, r, merged, before, s); err != nil {
		return err
	}
	if err := h.endRemovals(r, s); err != nil {
		return err
	}
	return h.dropNotes(r)
}

// dropNotes drops the notes on revisions that there are not any more. What was published of a package that is gone
// from the branch is still there.
func (h *Home) dropNotes(r *repository) error {
	placed := map[string]bool{}
	for _, pkg := range slices.Sorted(maps.Keys(h.packagesOf(r))) {
		all, err := h.placed(r, revision.Package{Repo: r.Name, Name: pkg})
		if err != nil {
			return err
		}
		for i := range all {
			placed[all[i].key().String()] = true
		}
	}
	maps.DeleteFunc(h.notes, func(id string, n Note) bool { return n.of(id, r) && !placed[id] })
	return nil
}

// openDrafts returns the packages of a Repository that are owned, and their drafts that are.
func (h *Home) openDrafts(r *repository, s *Settled) (owned map[string]bool, open []found, err error) {
	owned = h.owned(r)
	for _, where := range slices.Sorted(maps.Keys(r.packages)) {
		pkg, in := strings.CutPrefix("/"+where, r.Root())
		if !in {
			continue
		}
		for _, p := range r.places(where) {
			if p.number > 0 {
				break
			}
			f, err := h.foundAt(r, revision.Package{Repo: r.Name, Name: pkg}, p, nil)
			if err != nil {
				return nil, nil, err
			}
			switch {
			case f.unread != nil: // it stays as it is, until a person corrects it
			case Owned(&f.Revision):
				owned[pkg] = true
				open = append(open, *f)
			case owned[pkg] && f.fleet == "" && f.Task.Type != "":
				s.Porchs = append(s.Porchs, f.key().String())
			}
		}
	}
	return owned, open, nil
}

// judgement is what is known of a draft: whether its branch changes more than its package, and whether git cannot merge
// into it what was published beside it.
type judgement struct{ beside, overtaken bool }

// judge does what is to be done about a draft, and reports whether it is merged.
func (h *Home) judge(ctx context.Context, r *repository, f *found, own map[git.Hash][]git.Hash, s *Settled) (bool,
	error) {
	state, err := r.stateOf(ctx, f, own)
	if err != nil {
		return false, err
	}
	what, tree := state.verdict(), git.Hash("")
	h.judged[f.key()] = judgement{beside: state.beside}
	branch := r.ref(r.branch()).Commit
	if what == behind {
		var conflicts []string
		if tree, conflicts, err = r.git.Merge(ctx, git.Hash(f.Commit), branch); err != nil {
			return false, err
		}
		root, err := r.git.Commit(branch)
		switch {
		case err != nil:
			return false, err
		case tree == "":
			h.judged[f.key()] = judgement{state.beside, true}
			s.Overtaken[f.key().String()] = conflicts
		case tree == root.Tree:
			what = done
		default:
			s.Updated = append(s.Updated, f.key().String())
			if err := h.update(ctx, f, tree, branch); err != nil {
				return false, err
			}
		}
	}
	if what != done {
		h.seen(f)
		return false, nil
	}
	s.Done = append(s.Done, f.key().String())
	r.set(f.ref(), git.Ref{}, f.key())
	note := h.noted(f)
	note.Owners, note.Draft = f.Owners, nil
	h.notes[f.key().String()] = note
	return true, nil
}

// stateOf returns the state of a draft.
func (r *repository) stateOf(ctx context.Context, f *found, own map[git.Hash][]git.Hash) (*draftState, error) {
	head, branch := git.Hash(f.Commit), r.ref(r.branch()).Commit
	s := &draftState{draft: f.tree}
	if _, ok := own[head]; !ok {
		s.merged = true
		return s, nil
	}
	var err error
	if s.branch, err = r.at(branch, f.path); err != nil {
		return nil, err
	}
	from := boundary(head, own)
	if len(from) != 1 {
		base, err := r.git.MergeBase(ctx, head, branch)
		if err != nil || base == "" {
			return s, err
		}
		from = []git.Hash{base}
	}
	if s.base, err = r.at(from[0], f.path); err != nil {
		return nil, err
	}
	began, err := r.git.Commit(from[0])
	if err != nil {
		return nil, err
	}
	now, err := r.git.Commit(head)
	if err != nil {
		return nil, err
	}
	only, err := r.git.With(began.Tree, f.path, f.tree)
	s.beside = only != now.Tree
	return s, err
}

// update merges a branch into a draft.
func (h *Home) update(ctx context.Context, f *found, tree, branch git.Hash) error {
	by := f.made
	if by.tree == string(f.tree) { // what nobody edited stays what nobody edited
		at, err := f.in.git.TreeAt(tree, f.path)
		if err != nil {
			return err
		}
		by.tree = string(at)
	}
	message, err := messageOf("Merge what is published into the draft of "+f.path,
		&annotation{Package: f.path, Workspace: f.Workspace}, by)
	if err != nil {
		return err
	}
	commit, err := f.in.git.PutCommit(ctx, &git.Commit{Tree: tree, Parents: []git.Hash{git.Hash(f.Commit), branch},
		Message: message})
	if err != nil {
		return err
	}
	f.in.set(f.ref(), git.Ref{Hash: commit, Commit: commit}, f.key())
	return nil
}

// missing says of each draft that was noted and is gone whether it was merged before.
func (h *Home) missing(ctx context.Context, r *repository, merged map[string][]string, s *Settled) error {
	for _, id := range slices.Sorted(maps.Keys(h.notes)) {
		note := h.notes[id]
		p := place{path: r.place(note.Package), workspace: note.Workspace}
		pkg := revision.Package{Repo: note.Repository, Name: note.Package}
		if note.Draft == nil || note.Repository != r.Name || r.ref(p.ref()).Hash != "" ||
			id != (key{r.Namespace, pkg.NameOf(note.Workspace)}).String() {
			continue
		}
		was, err := r.wasMerged(ctx, p.path, note.Draft)
		if err != nil {
			return err
		}
		if !was {
			s.Rejected = append(s.Rejected, id)
			delete(h.notes, id)
			continue
		}
		s.Merged = append(s.Merged, id)
		merged[note.Package] = append(merged[note.Package], note.Workspace)
		note.Draft = nil
		h.notes[id] = note
	}
	return nil
}

// wasMerged reports whether the branch has what a draft was, which may be known by its tree only.
func (r *repository) wasMerged(ctx context.Context, where string, draft *Seen) (bool, error) {
	branch := r.ref(r.branch()).Commit
	if _, err := r.git.Commit(git.Hash(draft.Commit)); err == nil {
		base, err := r.git.MergeBase(ctx, git.Hash(draft.Commit), branch)
		if err != nil || base == git.Hash(draft.Commit) {
			return err == nil, err
		}
		if base != "" {
			tree, _, err := r.git.Merge(ctx, branch, git.Hash(draft.Commit))
			if err != nil {
				return false, err
			}
			now, err := r.git.Commit(branch)
			if err != nil || tree == now.Tree {
				return err == nil, err
			}
		}
	}
	had := false
	err := r.history(branch, func(at git.Hash, _ changed) (bool, error) {
		tree, err := r.at(at, where)
		had = had || string(tree) == draft.Tree
		return !had && string(at) != draft.Branch, err
	})
	return had, err
}

// tagMerged publishes what is on the branch and not the latest of its package, each at the commit that brought it.
func (h *Home) tagMerged(ctx context.Context, r *repository, owned map[string]bool, merged map[string][]string,
	s *Settled) error {
	branch := r.ref(r.branch()).Commit
	left := map[string]string{} // the packages, by their places
	for pkg := range owned {
		where := r.place(pkg)
		now, err := r.packageAt(branch, where)
		if err != nil {
			return err
		}
		latest := git.Hash("")
		if number := r.latest(where); number > 0 {
			p := place{path: where, number: number}
			if latest, err = r.at(r.ref(p.ref()).Commit, where); err != nil {
				return err
			}
		}
		if needsTag(now, latest) {
			left[where] = pkg
		}
	}
	if len(left) == 0 {
		return nil
	}
	return r.history(branch, func(at git.Hash, changes changed) (bool, error) {
		for _, where := range slices.Sorted(maps.Keys(left)) {
			if here, err := changes(where); err != nil {
				return false, err
			} else if !here {
				continue
			}
			if err := h.tag(ctx, r, left[where], at, merged[left[where]], s); err != nil {
				return false, err
			}
			delete(left, where)
		}
		return len(left) > 0, nil
	})
}

// takenBack finds the drafts that were open when they were noted last, are merged, and of which nothing was published
// since: neither they nor anything that was not noted then. One that was never merged was reset to what is published,
// which rejects it.
func (h *Home) takenBack(ctx context.Context, r *repository, merged map[string][]string, before Notes,
	s *Settled) error {
	for name, workspaces := range merged {
		pkg := revision.Package{Repo: r.Name, Name: name}
		all, err := h.revisions(r, pkg)
		if err != nil {
			return err
		}
		for _, workspace := range workspaces {
			id := key{r.Namespace, pkg.NameOf(workspace)}.String()
			since := func(f found) bool {
				_, noted := before[f.key().String()]
				return f.number > 0 && (!noted || f.key().String() == id)
			}
			draft := before[id].Draft
			if draft == nil || slices.ContainsFunc(all, since) {
				continue
			}
			was, err := r.wasMerged(ctx, r.place(name), draft)
			if err != nil {
				return err
			}
			if was {
				s.TakenBack = append(s.TakenBack, id)
			} else {
				s.Rejected = append(s.Rejected, id)
				s.Done = slices.DeleteFunc(s.Done, func(done string) bool { return done == id })
			}
		}
	}
	slices.Sort(s.TakenBack)
	return nil
}

// goesBack reports whether a revision takes back the previous one, which may be nil: its content, or its lock, is that
// of an earlier one.
func goesBack(f, previous *found, all []found) bool {
	return previous != nil && slices.ContainsFunc(all, func(o found) bool {
		return o.number > 0 && o.number < previous.number &&
			(o.tree == f.tree || sameLock(o.Lock, f.Lock) && !sameLock(previous.Lock, f.Lock))
	})
}

// sameLock reports whether two locks are on the same commit of the same directory.
func sameLock(a, b *revision.Lock) bool {
	return a != nil && b != nil && a.Commit == b.Commit && a.Directory == b.Directory
}

// workspaceOf returns the workspace of what is published at a place: that of its draft, or else its version.
func (r *repository) workspaceOf(p place, at git.Hash, merged []string, used map[string]bool) (string, error) {
	commit, err := r.git.Commit(at)
	if err != nil {
		return "", err
	}
	workspace := workspaceFor(p.path, commit.Message, merged, used)
	if workspace == "" { // the draft ended before, and what was published of it was refused, or is lost
		if workspace, err = r.workspaceIn(at, p.path); err != nil && !cutOff(err) {
			return "", err
		}
	}
	if workspace == "" || used[workspace] {
		workspace = versionOf(p)
	}
	return workspace, nil
}

// tag publishes what a commit of the branch has of a package.
func (h *Home) tag(ctx context.Context, r *repository, name string, at git.Hash, merged []string, s *Settled) error {
	pkg := revision.Package{Repo: r.Name, Name: name}
	p := place{path: r.place(name), number: r.latest(r.place(name)) + 1}
	all, err := h.revisions(r, pkg)
	if err != nil {
		return err
	}
	used := map[string]bool{}
	var last *found
	for i := range all {
		used[all[i].Workspace] = true
		if all[i].number > 0 && (last == nil || all[i].number > last.number) {
			last = &all[i]
		}
	}
	workspace, err := r.workspaceOf(p, at, merged, used)
	if err != nil {
		return err
	}
	k := key{r.Namespace, pkg.NameOf(workspace)}
	message, err := messageOf(fmt.Sprintf("%s v%d", p.path, p.number),
		&annotation{Package: p.path, Workspace: workspace}, made{})
	if err != nil {
		return err
	}
	hash, err := r.git.PutTag(ctx, strings.TrimPrefix(p.ref(), tags), at, message)
	if err != nil {
		return err
	}
	r.set(p.ref(), git.Ref{Hash: hash, Commit: at}, k)
	f, err := h.find(k.namespace, k.name)
	if err != nil {
		return err
	}
	note := h.noted(f)
	if len(note.Owners) == 0 && last != nil {
		note.Owners = last.Owners
	}
	if len(note.Owners) == 0 {
		note.Owners = h.ownersOf(r, name)
	}
	h.notes[k.String()] = note
	s.Published = append(s.Published, k.String())
	if goesBack(f, last, all) {
		s.Reverted = append(s.Reverted, k.String())
	}
	return nil
}
