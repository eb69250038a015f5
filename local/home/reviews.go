// SPDX-License-Identifier: Apache-2.0

package home

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/ledger"
	"github.com/package-variants/package-variants/local/reviews"
)

// OpenDraft is a draft that a variant owns.
type OpenDraft struct {
	reviews.Member
	// Name is that of the package revision.
	Name string
	// Repository is the canonical address of the git repository, Base the branch into which the draft is to be merged.
	Repository, Base string
	// Edited says that a person wrote something into the draft, or that it changes more than its package; Overtaken, that
	// it does not have what the main branch has.
	Edited, Overtaken bool
}

// OpenDrafts returns the drafts of all packages that can be read, as they were fetched, or pushed.
func (h *Home) OpenDrafts(ctx context.Context) (all []OpenDraft, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer classify(&err)
	for _, key := range slices.SortedFunc(maps.Keys(h.ledger), ledger.Key.Compare) {
		r := h.awake(key)
		if r == nil || r.err != nil {
			continue
		}
		m := member{r, key.Package}
		_, main, err := r.branchOf(ctx, m.where())
		if err != nil {
			return nil, err
		}
		e := h.entry(m)
		for _, workspace := range slices.Sorted(maps.Keys(e.Drafts)) {
			draft := e.Drafts[workspace]
			p := place{path: m.where(), workspace: workspace}
			at := r.refs[p.ref()].Commit
			if draft.Ended || at == "" {
				continue
			}
			all = append(all, OpenDraft{
				Member: reviews.Member{Draft: reviews.Draft{Key: key, Workspace: workspace}, Directory: m.where(),
					Tree: draft.Seen, Main: main},
				Name: key.Of().NameOf(workspace), Repository: r.canonical(),
				Base: r.Branch, Edited: isEdited(&draft, draft.Seen) || at != draft.Commit, Overtaken: main != draft.Base,
			})
		}
	}
	return all, nil
}

// ReviewBranches returns the branches of reviews that were fetched, and whether the git repository of a canonical
// address was. Of those that are remembered, and have something else than what the sync made, it knows whether they are
// merged.
func (h *Home) ReviewBranches(ctx context.Context, remembered []reviews.Review) (at map[reviews.Branch]reviews.Found,
	fetched func(repository string) bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer classify(&err)
	at, failed := map[reviews.Branch]reviews.Found{}, map[string]bool{}
	for _, c := range h.clones {
		address := c.canonical()
		failed[address] = failed[address] || c.err != nil
		for ref, seen := range c.refs {
			if strings.HasPrefix(ref, reviews.Prefix) {
				at[reviews.Branch{Repository: address, Ref: ref}] = reviews.Found{At: seen.Commit}
			}
		}
	}
	for i := range remembered {
		r := &remembered[i]
		branch := reviews.Branch{Repository: r.Repository, Ref: r.Ref()}
		found, c := at[branch], h.cloneAt(r.Repository)
		if c == nil || found.At == "" || found.At == r.Tip && !r.Frozen {
			continue
		}
		if found.Merged, err = c.hasAll(ctx, c.refs[branches+r.Base].Commit, found.At); err != nil {
			return nil, nil, err
		}
		at[branch] = found
	}
	return at, func(repository string) bool { return !failed[repository] }, nil
}

// hasAll reports whether a commit has all that another one has: in its history, or because a merge would change
// nothing.
func (c *clone) hasAll(ctx context.Context, base, other git.Hash) (bool, error) {
	if base == "" {
		return false, nil
	}
	if follows, err := c.git.Follows(ctx, base, other); follows || err != nil {
		return follows, err
	}
	if common, err := c.git.MergeBase(ctx, base, other); common == "" {
		return false, err
	}
	merged, conflicts, err := c.git.Merge(ctx, base, other)
	if err != nil || len(conflicts) > 0 {
		return false, err
	}
	commit, err := c.git.Commit(base)
	return err == nil && commit.Tree == merged, err
}

// cloneAt returns the clone of a git repository that was fetched; nil if there is none.
func (h *Home) cloneAt(repository string) *clone {
	for _, c := range h.clones {
		if c.err == nil && c.canonical() == repository {
			return c
		}
	}
	return nil
}

// PutReview returns the commit that shows the packages of all members of a review on the branch into which they are to
// be merged. It is written when it is pushed.
func (h *Home) PutReview(ctx context.Context, r *reviews.Review) (_ git.Hash, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer classify(&err)
	c := h.cloneAt(r.Repository)
	if c == nil {
		return "", failed(nil, "the git repository %s was not read", git.Shown(r.Repository))
	}
	base := c.refs[branches+r.Base].Commit
	commit, err := c.git.Commit(base)
	if err != nil {
		return "", err
	}
	trees := map[string]git.Hash{}
	for i := range r.Members {
		trees[r.Members[i].Directory] = r.Members[i].Tree
	}
	root, err := c.git.WithAll(commit.Tree, trees)
	if err != nil {
		return "", err
	}
	message, err := messageOf(r.Title(), h.by(r.Namespace, "", ""))
	if err != nil {
		return "", err
	}
	return c.git.PutCommit(ctx, &git.Commit{Tree: root, Parents: []git.Hash{base}, Message: message})
}

// PushReviews brings the branches of reviews to what was decided: each to its Tip, or to its end. It returns why one is
// not there, by its place among the steps.
func (h *Home) PushReviews(ctx context.Context, steps []reviews.Step) map[int]error {
	h.mu.Lock()
	defer h.mu.Unlock()
	refused := map[int]error{}
	of := map[string][]int{}
	for i := range steps {
		of[steps[i].Repository] = append(of[steps[i].Repository], i)
	}
	for _, repository := range slices.Sorted(maps.Keys(of)) {
		c := h.cloneAt(repository)
		var updates []git.Update
		of[repository] = slices.DeleteFunc(of[repository], func(i int) bool {
			if told := c.refuse(steps[i].Ref()); told != nil && steps[i].Do == reviews.Make {
				refused[i] = told
			}
			return refused[i] != nil
		})
		for _, i := range of[repository] {
			u := git.Update{Ref: steps[i].Ref(), Old: steps[i].At}
			if steps[i].Do == reviews.Make {
				u.New = steps[i].Tip
			}
			updates = append(updates, u)
		}
		results, err := c.git.Push(ctx, updates, false)
		for n, i := range of[repository] {
			told := err
			if n < len(results) {
				told = c.errorOf(&results[n])
			}
			if told != nil {
				classify(&told)
				refused[i] = told
			}
		}
	}
	return refused
}

// BranchesOfReview returns the branches of a review.
func (h *Home) BranchesOfReview(r *reviews.Review) Branches {
	if c := h.cloneAt(r.Repository); c != nil {
		return Branches{Repository: c.address(), Branch: strings.TrimPrefix(r.Ref(), branches), Base: r.Base}
	}
	return Branches{}
}
