// SPDX-License-Identifier: Apache-2.0

package home

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/ledger"
)

// What is not there is gone only if the main branch is the one that was seen last: its commit is in the history. A
// branch that was recreated, restored from a backup, or forced back shows nothing by what it lacks. So is it if a
// Repository names another place: it is followed to a branch that has that commit in its history.

// AcceptBranch on a Repository is the commit of its branch that a person has accepted in place of another history.
const AcceptBranch = variant.GroupName + "/accept-branch"

// Seen are the commits at which the branches of Repositories were seen last.
type Seen map[Branch]git.Hash

// Branch is one of a git repository.
type Branch struct {
	// Address is the canonical one (revision.Canonical).
	Address, Name string
}

// mainBranch returns the branch of a Repository, where its packages are deployed from.
func (r *repository) mainBranch() Branch { return Branch{r.located.Address, r.located.Branch} }

// Seen returns the commits of the branches in this round, and those of the last one where that is not accepted.
func (h *Home) Seen() Seen {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := maps.Clone(h.seen)
	if all == nil {
		all = Seen{}
	}
	for _, r := range h.repositories {
		if commit := r.refs[r.branch()].Commit; r.err == nil && commit != "" && !h.replaced[r.mainBranch()] {
			all[r.mainBranch()] = commit
		}
	}
	return all
}

// findReplaced finds the branches that are not the ones that were seen last, and on them the packages that are not what
// was published or drafted. Without such packages, a branch counts as seen.
func (s *settling) findReplaced(ctx context.Context) error {
	for _, key := range slices.SortedFunc(maps.Keys(s.ledger), ledger.Key.Compare) {
		r := s.awake(key)
		if r == nil || r.isAccepted() {
			continue
		}
		m, e := member{r, key.Package}, s.ledger[key]
		was := s.resolved(e.Place)
		follows, err := s.follows(ctx, r, Branch{was.Address, was.Branch})
		var main git.Hash
		if err == nil {
			_, main, err = r.branchOf(ctx, m.where())
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if r.err = err; err != nil { // it holds up no other
			continue
		}
		hasMoved := was != r.located
		switch {
		case isKnown(&e, main), follows && (!hasMoved || main != ""):
		case hasMoved:
			s.Replaced[key] = s.whyMoved(m, was, follows)
		default:
			s.Replaced[key] = s.whyReplaced(m, Branch{was.Address, was.Branch})
		}
		if s.Replaced[key] != "" && !follows {
			s.replaced[r.mainBranch()] = true
		}
	}
	return nil
}

// isAccepted reports whether a person has accepted the branch of a Repository as it is.
func (r *repository) isAccepted() bool {
	head := r.refs[r.branch()].Commit
	return head != "" && r.Annotations[AcceptBranch] == string(head)
}

// isKnown reports whether what the main branch has of a package is what was published last, or is drafted.
func isKnown(e *ledger.Entry, main git.Hash) bool {
	if main == "" {
		return e.Published == nil || e.Published.Tree == ""
	}
	if e.Published != nil && e.Published.Tree == main {
		return true
	}
	for _, draft := range e.Drafts {
		if draft.Seen == main || draft.Written == main {
			return true
		}
	}
	return false
}

// follows reports whether the branch of a Repository is the one that was seen last as another one, or follows it.
func (s *settling) follows(ctx context.Context, r *repository, as Branch) (bool, error) {
	was, head := s.seen[as], r.refs[r.branch()].Commit
	if was == "" || was == head {
		return true, nil
	}
	if head == "" {
		return false, nil
	}
	k := [2]git.Hash{was, head}
	if known, ok := s.followed[k]; ok {
		return known, nil
	}
	is, err := r.git.Follows(ctx, head, was)
	s.followed[k] = is
	return is, err
}

// whyMoved says why a package waits whose Repository names another place. Follows says that this has the history of the
// one before, but not the package.
func (s *settling) whyMoved(m member, was ledger.Place, follows bool) string {
	head := m.in.refs[m.in.branch()].Commit
	if head == "" {
		return m.in.withoutBranch(m.where())
	}
	what := "has another " + m.where() + " than the one that was published, and not the history of that"
	if follows {
		what = "has no package " + m.where()
	}
	return fmt.Sprintf("the Repository %s names another place than before, and the branch %s of %s %s. It was published "+
		"as %s on the branch %s: move it here, with its history, or correct spec.git of the Repository; or, if it "+
		"is right as it is, give the Repository the annotation %s: %s", m.in.Name, m.in.Branch, m.in.git.Address(), what,
		placeIn(was.Directory, m.pkg), was.Branch, AcceptBranch, head)
}

// whyReplaced says why a package waits. The branch was seen last as another one.
func (s *settling) whyReplaced(m member, as Branch) string {
	head := m.in.refs[m.in.branch()].Commit
	if head == "" {
		return m.in.withoutBranch(m.where())
	}
	return fmt.Sprintf("the branch %s of %s does not follow the commit %.10s, which was seen last, and it has another %s "+
		"than the one that was published: restore the branch; or, if it is right as it is, give the Repository %s the "+
		"annotation %s: %s", m.in.Branch, m.in.git.Address(), s.seen[as], m.where(), m.in.Name, AcceptBranch, head)
}
