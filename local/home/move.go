// SPDX-License-Identifier: Apache-2.0

package home

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/ledger"
)

// Move implements packages.Home. A proposal holds until the next Fetch: nobody else sees it. What is published is
// merged into the branch. The deletion of a package is proposed by a branch that removes it, for a person to merge.
func (h *Home) Move(ctx context.Context, r *revision.Revision, to revision.Lifecycle) (_ revision.Revision,
	err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer classify(&err)
	f, err := h.current(ctx, r)
	if err != nil {
		return revision.Revision{}, err
	}
	switch [2]revision.Lifecycle{f.Lifecycle, to} {
	case [2]revision.Lifecycle{revision.Draft, revision.Proposed}:
		next := f.in.next(f.path, 1)
		if err = f.in.refuse(next.ref()); err == nil { // otherwise it could not be published
			h.proposed[f.id()] = f.tree
		}
	case [2]revision.Lifecycle{revision.Proposed, revision.Draft}:
		delete(h.proposed, f.id())
	case [2]revision.Lifecycle{revision.Proposed, revision.Published}:
		err = h.publish(ctx, f)
	case [2]revision.Lifecycle{revision.Published, revision.DeletionProposed}:
		err = h.remove(ctx, f, r.Owners)
	case [2]revision.Lifecycle{revision.DeletionProposed, revision.Published}:
		h.keep(f.member())
	default:
		err = failed(packages.ErrRefused, "%s is %s and does not become %s", f.Name, f.Lifecycle, to)
	}
	if err != nil {
		return revision.Revision{}, err
	}
	f.in.touch(f.path)
	now, err := h.at(ctx, f.member(), f.Workspace)
	if err != nil {
		return revision.Revision{}, err
	}
	return now.Revision, nil
}

// publish merges a draft into the branch, where its package must be what it was when the draft began, and gives it
// the next tag.
func (h *Home) publish(ctx context.Context, f *found) error {
	c, branch := f.in.clone, f.in.ref(f.in.branch()).Commit
	head := git.Hash(f.Commit)
	base, err := c.base(ctx, head, f.in.branch())
	if err != nil {
		return err
	}
	before, err := c.at(base, f.path)
	if err != nil {
		return err
	}
	if now, err := c.at(branch, f.path); err != nil || now != before {
		return errors.Join(err, failed(packages.ErrStale,
			"the branch has another %s than the one that the draft %s began with", f.path, f.Name))
	}
	p := c.next(f.path, 1)
	if err := c.refuse(p.ref()); err != nil {
		return err
	}
	pub := publication{of: f.id(), branch: f.in.branch(), tag: p.ref(), draft: f.ref(), base: branch,
		made: c.changes[f.ref()], title: fmt.Sprintf("%s v%d", f.path, p.number), by: made{fleet: h.fleet},
		line: annotation{Package: f.path, Workspace: f.Workspace, Revision: strconv.Itoa(p.number)}}
	if f.Task.Type != "" {
		pub.line.Task = taskOf(f.Task)
	}
	message, err := messageOf("Publish "+pub.title, pub.by, pub.line)
	if err != nil {
		return err
	}
	if pub.commit, err = c.merged(ctx, f, base, branch, message); err != nil {
		return err
	}
	ref := git.Ref{Hash: pub.commit, Commit: pub.commit}
	c.set(f.in.branch(), ref, f.id())
	c.set(p.ref(), ref, f.id())
	c.set(f.ref(), git.Ref{}, f.id())
	c.line[branchAt{f.in.branch(), pub.commit}] = true
	e := h.entry(f.member())
	c.before[p.ref()] = e.Published
	e.Published = &ledger.Published{Number: p.number, Commit: pub.commit, Tree: f.tree, Workspace: f.Workspace}
	h.put(f.member(), &e)
	c.publications = append(c.publications, pub)
	delete(h.proposed, f.id())
	return nil
}

// merged returns the merge of a draft into a branch. If the draft has changes beside its package, git merges them.
func (c *clone) merged(ctx context.Context, f *found, base, branch git.Hash, message string) (git.Hash, error) {
	head, err := c.git.Commit(git.Hash(f.Commit))
	if err != nil {
		return "", err
	}
	began, err := c.git.Commit(base)
	if err != nil {
		return "", err
	}
	if only, err := c.git.With(began.Tree, f.path, f.tree); err != nil || only == head.Tree {
		if err != nil {
			return "", err
		}
		return c.commit(ctx, branch, f.path, f.tree, message, branch, git.Hash(f.Commit))
	}
	tree, conflicts, err := c.git.Merge(ctx, branch, git.Hash(f.Commit))
	if err == nil && tree == "" {
		err = failed(packages.ErrStale, "the draft %s and the branch conflict in %v", f.Name, conflicts)
	}
	if err != nil {
		return "", err
	}
	return c.git.PutCommit(ctx, &git.Commit{Tree: tree, Parents: []git.Hash{branch, git.Hash(f.Commit)},
		Message: message})
}

// maxSaves is how many commits of a draft are looked at before git is asked where it began.
const maxSaves = 20

// base returns the commit of the branch from which a draft comes.
func (c *clone) base(ctx context.Context, head git.Hash, branch string) (git.Hash, error) {
	at := head
	for range maxSaves {
		if c.line[branchAt{branch, at}] {
			return at, nil
		}
		commit, err := c.git.Commit(at)
		if err != nil || len(commit.Parents) != 1 {
			break
		}
		at = commit.Parents[0]
	}
	base, err := c.git.MergeBase(ctx, head, c.ref(branch).Commit)
	if err == nil && base == "" {
		err = failed(packages.ErrRefused, "a draft and its branch have no common commit")
	}
	return base, err
}

// baseOf returns what the branch had of the package of a draft where that began.
func (r *repository) baseOf(ctx context.Context, f *found) (git.Hash, error) {
	base, err := r.base(ctx, git.Hash(f.Commit), r.branch())
	if err != nil {
		return "", err
	}
	return r.at(base, f.path)
}

// ignoreAbsent returns an error unless it says that something is absent.
func ignoreAbsent(err error) error {
	if errors.Is(err, packages.ErrAbsent) {
		return nil
	}
	return err
}
