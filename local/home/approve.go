// SPDX-License-Identifier: Apache-2.0

package home

import (
	"context"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git"
)

// Publish merges a draft into the branch, as a person may who has seen it, edited or not. It is pushed with the rest. A
// draft that is merged already, or that the branch has something newer beside, is refused.
func (h *Home) Publish(ctx context.Context, r *revision.Revision) (err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer classify(&err)
	f, err := h.current(ctx, r)
	if err != nil {
		return err
	}
	s, m := h.newSettling(), f.member()
	branch, err := s.branchFacts(ctx, m, f)
	if err != nil {
		return err
	}
	_, main, err := f.in.branchOf(ctx, f.path)
	if err != nil {
		return err
	}
	base, err := f.in.baseOf(ctx, f)
	if err != nil {
		return err
	}
	switch {
	case branch.Beside:
		return failed(packages.ErrRefused, "the branch of %s changes more than %s: look at all of it, and merge it with "+
			"git, or in your forge", f.Name, f.path)
	case branch.InHistory, f.tree == base, f.tree == main:
		return failed(packages.ErrRefused, "merging %s would change nothing: the next sync ends it", f.Name)
	case main != base:
		return failed(packages.ErrRefused, "%s began with another %s than the one that is published now: the next sync "+
			"merges that into the draft, or says that a person has to; look at it again then", f.Name, f.path)
	}
	if err = h.publish(ctx, f); err == nil {
		f.in.touch(f.path)
	}
	return err
}

// Branches are the branch that a draft is, the one that it is to be merged into, and the address of the git repository.
type Branches struct {
	Repository string `json:"repository"`
	Branch     string `json:"branch"`
	Base       string `json:"base"`
}

// BranchesOf returns the branches of a draft; zero if its Repository is not known.
func (h *Home) BranchesOf(r *revision.Revision) Branches {
	in := h.repositories[key{r.Namespace, r.Package.Repo}]
	if in == nil {
		return Branches{}
	}
	p := place{path: in.place(r.Package.Name), workspace: r.Workspace}
	return in.branchesTo(p.ref())
}

// Addresses returns the addresses of the git repositories that could be read, with all packages there that variants
// own.
func (h *Home) Addresses() (all []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	inPart := map[string]bool{}
	for k, e := range h.ledger {
		if r := h.repositories[repositoryKey(k)]; r != nil && r.Problem != nil {
			inPart[e.Place.Address] = true
		}
	}
	for _, c := range h.clones {
		partly := slices.ContainsFunc(c.repositories, func(r *repository) bool { return inPart[r.located.Address] })
		if c.err == nil && !partly {
			all = append(all, c.address())
		}
	}
	return all
}

// address is how the first Repository over the git repository names it, as it is shown.
func (c *clone) address() string { return git.Shown(c.repositories[0].Address) }

// branchesTo returns a branch for a person to merge, and the one that it is to be merged into.
func (r *repository) branchesTo(ref string) Branches {
	return Branches{Repository: r.address(), Branch: strings.TrimPrefix(ref, branches),
		Base: strings.TrimPrefix(r.branch(), branches)}
}

// Remote returns where git finds the repository of a Repository; "" if it is not known.
func (h *Home) Remote(namespace, name string) string {
	if r := h.repositories[key{namespace, name}]; r != nil {
		return r.Remote
	}
	return ""
}

// Unread returns why the git repository of a Repository was not read; nil if it was, or if the Repository is not known.
func (h *Home) Unread(namespace, name string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.repositories[key{namespace, name}]; r != nil {
		return r.err
	}
	return nil
}
