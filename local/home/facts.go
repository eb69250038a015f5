// SPDX-License-Identifier: Apache-2.0

package home

import (
	"context"
	"errors"
	"strings"

	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/ledger"
)

// factsOn returns what a fetch shows of a draft; f is nil if its branch is not there.
func (s *settling) factsOn(ctx context.Context, m member, e *ledger.Entry, draft *ledger.Draft, f *found,
	main git.Hash) (*ledger.Facts, error) {
	facts, err := s.contentFacts(m, draft, main)
	if err != nil {
		return nil, err
	}
	if e.Published != nil {
		if facts.Published, err = m.in.flat(e.Published.Tree); errors.Is(err, git.ErrMissing) { // its tag is gone, too
			facts.Published, err = facts.Base, nil
		}
	}
	if err == nil && f != nil {
		if facts.Branch, err = s.branchFacts(ctx, m, f); err == nil {
			facts.Branch.Edited = isEdited(draft, f.tree)
		}
	}
	return facts, err
}

// contentFacts returns what a draft changed, and what the main branch has.
func (s *settling) contentFacts(m member, draft *ledger.Draft, main git.Hash) (facts *ledger.Facts, err error) {
	facts = &ledger.Facts{Reached: !s.replaced[m.in.mainBranch()], Announced: draft.Announced}
	if facts.Base, err = m.in.flat(draft.Base); err == nil {
		facts.Main, err = m.in.flat(main)
	}
	if err != nil {
		return nil, err
	}
	facts.Seen, err = m.in.flat(draft.Seen)
	if errors.Is(err, git.ErrMissing) {
		facts.Lost = true
		facts.MainHadSeen, err = s.had(m, draft.Seen)
	}
	if err != nil {
		return nil, err
	}
	base, err := m.in.lockOf(draft.Base)
	if err != nil {
		return nil, err
	}
	now, err := m.in.lockOf(main)
	facts.LocksDiffer = draft.Lock != "" && lockID(base) != draft.Lock
	facts.MainHasLock = draft.Lock != "" && lockID(now) == draft.Lock
	return facts, err
}

// lockID identifies the upstream revision in a lock; "" for none.
func lockID(l *revision.Lock) string {
	if l == nil {
		return ""
	}
	return strings.Trim(l.Directory, "/") + "@" + l.Commit
}

// had reports whether the main branch has, or had, a package as a whole.
func (s *settling) had(m member, tree git.Hash) (had bool, err error) {
	err = m.in.history(m.in.refs[m.in.branch()].Commit, func(at git.Hash, _ changed) (bool, error) {
		now, err := m.in.at(at, m.where())
		had = had || now == tree
		return !had, err
	})
	return had, err
}

// branchFacts returns what the branch of a draft has.
func (s *settling) branchFacts(ctx context.Context, m member, f *found) (*ledger.Branch, error) {
	own, err := s.unmerged(ctx, m.in)
	if err != nil {
		return nil, err
	}
	b := &ledger.Branch{}
	if b.Files, err = m.in.flat(f.tree); err != nil {
		return nil, err
	}
	if _, isOwn := own[git.Hash(f.Commit)]; !isOwn {
		b.InHistory = true
		return b, nil
	}
	b.Beside, err = m.in.isBeside(ctx, f, own)
	return b, err
}

// unmerged returns the commits of drafts that the branch of a Repository has not in its history. It is read once.
func (s *settling) unmerged(ctx context.Context, r *repository) (map[git.Hash][]git.Hash, error) {
	at := branchAt{r.remote + " " + r.branch(), r.refs[r.branch()].Commit}
	if own, known := s.own[at]; known {
		return own, nil
	}
	own, err := r.git.Unmerged(ctx, drafts, at.commit)
	s.own[at] = own
	return own, err
}

// rebase notes what a draft was brought up to by people who merged the main branch into it.
func (s *settling) rebase(ctx context.Context, m member, draft *ledger.Draft, f *found) error {
	if f == nil || draft.Commit == "" || draft.Commit == git.Hash(f.Commit) {
		return nil
	}
	own, err := s.unmerged(ctx, m.in)
	if err != nil {
		return err
	}
	if _, isOwn := own[git.Hash(f.Commit)]; !isOwn {
		return nil
	}
	began, known, err := s.beganWith(ctx, m, f)
	if known {
		draft.Base = began
	}
	return err
}

// beganWith returns the package in the commit of the branch from which a draft comes; false if there is none.
func (s *settling) beganWith(ctx context.Context, m member, f *found) (tree git.Hash, known bool, err error) {
	own, err := s.unmerged(ctx, m.in)
	if err != nil {
		return "", false, err
	}
	from, err := m.in.began(ctx, f, own)
	if err != nil || from == "" {
		return "", false, err
	}
	tree, err = m.in.packageAt(from, m.where())
	return tree, true, err
}

// began returns the commit of the branch from which a draft comes; "" if it has a history of its own.
func (r *repository) began(ctx context.Context, f *found, own map[git.Hash][]git.Hash) (git.Hash, error) {
	from := boundary(git.Hash(f.Commit), own)
	if len(from) == 1 {
		return from[0], nil
	}
	return r.git.MergeBase(ctx, git.Hash(f.Commit), r.ref(r.branch()).Commit)
}

// isBeside reports whether a draft has changes beside its package.
func (r *repository) isBeside(ctx context.Context, f *found, own map[git.Hash][]git.Hash) (bool, error) {
	from, err := r.began(ctx, f, own)
	if err != nil || from == "" { // a history of its own: a person has to look at all of it
		return true, err
	}
	began, err := r.git.Commit(from)
	if err != nil {
		return false, err
	}
	now, err := r.git.Commit(git.Hash(f.Commit))
	if err != nil {
		return false, err
	}
	only, err := r.git.With(began.Tree, f.path, f.tree)
	return only != now.Tree, err
}

// flat returns the entries of a package that are no directories, by their paths; nil for none. What is not worked on is
// one entry, without a name: it is merged or not, as a whole.
func (c *clone) flat(tree git.Hash) (ledger.Files, error) {
	if tree == "" {
		return nil, nil
	}
	l := &listing{in: c.git}
	if err := l.list(tree, ""); err != nil {
		return ledger.Files{"": {Mode: git.Directory, Hash: tree}}, ignoreUnread(err)
	}
	all := ledger.Files{}
	for _, e := range l.entries {
		all[e.Name] = ledger.File{Mode: e.Mode, Hash: e.Hash}
	}
	return all, nil
}
