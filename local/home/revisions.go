// SPDX-License-Identifier: Apache-2.0

package home

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git"
)

// mainNumber is the number of the revision that the branch itself is, as in Porch.
const mainNumber = -1

// revisions returns the revisions of a package, by name: its drafts, what was published, and what is on the branch.
// What was published counts no longer if it is gone from the branch and was deployed from there, or a variant had it.
func (h *Home) revisions(ctx context.Context, r *repository, pkg string) (all []found, err error) {
	if known, ok := r.known[pkg]; ok {
		return known, nil
	}
	m := member{r, pkg}
	branch, tree, err := r.branchOf(ctx, m.where())
	if err == nil {
		all, err = h.placed(ctx, m)
	}
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(f found) bool { return f.number == 0 && h.nobodys[f.id()] })
	_, had := h.ledger[m.key()]
	had = had || slices.ContainsFunc(all, func(f found) bool { return f.tagged })
	if tree == "" && (r.Deployment || had) {
		all = slices.DeleteFunc(all, func(f found) bool { return f.number > 0 })
	}
	if tree != "" {
		f, err := h.onBranch(m, branch, tree)
		if err != nil {
			return nil, err
		}
		all = append(all, *f)
	}
	h.knowUpstreams(m, all)
	slices.SortFunc(all, func(a, b found) int { return revision.ByName(a.Revision, b.Revision) })
	r.known[pkg] = all
	return all, nil
}

// placed returns the drafts of a package, and all that was published of it, the latest first.
func (h *Home) placed(ctx context.Context, m member) (all []found, err error) {
	used := map[string]bool{}
	for _, p := range m.in.places(m.where()) {
		f, err := h.foundAt(ctx, m, p, used)
		if err != nil {
			return nil, err
		}
		used[f.Workspace] = true
		all = append(all, *f)
	}
	if latest := slices.IndexFunc(all, func(f found) bool { return f.number > 0 }); latest >= 0 {
		for i := range all[:latest] {
			if judged, ok := h.judged[all[i].id()]; ok && !judged.overtaken {
				all[i].Contains = all[latest].Name
			}
		}
	}
	return all, nil
}

// branchOf returns the branch with what it has of a package: as it was fetched, unless this round publishes the
// package.
func (r *repository) branchOf(ctx context.Context, where string) (branch git.Ref, tree git.Hash, err error) {
	known, err := r.packagesOn(ctx, r.branch())
	if err != nil {
		return branch, "", err
	}
	branch, tree = r.refs[r.branch()], known.packages[where]
	now := r.ref(r.branch())
	if now == branch {
		return branch, tree, nil
	}
	changed, err := r.packageAt(now.Commit, where)
	if changed != tree {
		return now, changed, err
	}
	return branch, tree, err
}

// places returns what there is of a package, drafts first, and then what was published, the latest first.
func (c *clone) places(where string) (all []place) {
	for name := range c.packages[where] {
		if p, ok := placeOf(name); ok && c.ref(name).Hash != "" {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b place) int {
		switch {
		case a.number == 0 || b.number == 0:
			return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.workspace, b.workspace))
		default:
			return cmp.Compare(b.number, a.number)
		}
	})
	return all
}

// foundAt returns the revision at a place. One whose workspace a later one has is named by its version.
func (h *Home) foundAt(ctx context.Context, m member, p place, used map[string]bool) (*found, error) {
	r, pkg := m.in, m.key().Of()
	ref := r.ref(p.ref())
	known, err := r.factsOf(p, ref)
	if err != nil {
		return nil, err
	}
	f := &found{in: r, place: p, tree: known.tree, made: known.made, tagged: known.tagged, unread: known.unread}
	f.Revision = revision.Revision{
		Namespace: r.Namespace, Package: pkg, Workspace: known.workspace, Number: p.number,
		Lifecycle: revision.Draft, Version: string(cmp.Or(known.tree, known.commit)), Commit: string(known.commit),
		Tree: string(known.tree), Task: known.task, Created: known.at,
	}
	if f.Lock, err = h.onTree(r.Namespace, known.lock); err != nil {
		return nil, err
	}
	if used[f.Workspace] {
		f.Workspace = versionOf(p)
	}
	f.Name = pkg.NameOf(f.Workspace)
	if p.number > 0 {
		f.Lifecycle, f.Version, f.PublishedAt = revision.Published, f.Commit, known.at
		if r.ref(removals+p.path).Hash != "" {
			f.Lifecycle = revision.DeletionProposed
		}
		f.Origin = revision.LockOn(&f.Revision, r.Address, r.Directory)
	} else {
		if tree, proposed := h.proposed[f.id()]; proposed && tree == known.tree {
			f.Lifecycle, f.Version = revision.Proposed, f.Version+" proposed"
		}
		f.LeftToPeople, err = h.held(ctx, f)
	}
	h.own(f)
	return f, err
}

// held says why only a person may publish a draft; "" if nothing does.
func (h *Home) held(ctx context.Context, f *found) (string, error) {
	draft := h.ledger[f.member().key()].Drafts[f.workspace]
	_, onBranch, err := f.in.branchOf(ctx, f.path)
	switch {
	case h.judged[f.id()].beside:
		return "its branch changes more than " + f.path + ": look at all of it, and merge it", err
	case draft.Refused != "" && draft.Seen == f.tree && !h.again[f.id()]:
		return "the git repository refused to have it merged, which each sync tries again; if only its forge may, merge " +
			"it there: " + draft.Refused, err
	case draft.LeftToPeople != "":
		return draft.LeftToPeople, err
	case onBranch == "" && f.in.latest(f.path) > 0:
		return f.path + " was published before and removed from the branch: merge it if the package is to come back", err
	case err != nil || onBranch != "":
		return "", err
	}
	inTheWay, err := f.in.noPackage(f.path)
	if inTheWay {
		return f.path + " is on the branch, and was not published: look at both, and merge it", nil
	}
	return "", err
}

// noPackage reports whether the branch has a directory at the place of a package, and it is none.
func (r *repository) noPackage(where string) (bool, error) {
	branch := r.ref(r.branch()).Commit
	directory, err := r.at(branch, where)
	if err != nil || directory == "" {
		return false, err
	}
	tree, err := r.packageAt(branch, where)
	return err == nil && tree == "", err
}

// onBranch returns the revision that the branch is.
func (h *Home) onBranch(m member, branch git.Ref, tree git.Hash) (*found, error) {
	r, pkg, where := m.in, m.key().Of(), m.where()
	lock, err := r.lockOf(tree)
	if err != nil {
		return nil, err
	}
	commit, err := r.said(branch.Commit)
	if err != nil {
		return nil, err
	}
	f := &found{in: r, place: place{path: where}, tree: tree}
	f.Revision = revision.Revision{
		Namespace: r.Namespace, Package: pkg, Workspace: strings.TrimPrefix(r.branch(), branches), Number: mainNumber,
		Lifecycle: revision.Published, Version: string(tree),
		Commit: string(branch.Commit), Tree: string(tree), Lock: lock,
		Created: commit.At, PublishedAt: commit.At,
	}
	f.Name = pkg.NameOf(f.Workspace)
	f.Origin = revision.LockOn(&f.Revision, r.Address, r.Directory)
	return f, nil
}

// next returns where a package is published next: after what was, from a number on, and past tags of whatever else.
func (c *clone) next(where string, from int) place {
	p := place{path: where, number: max(from, c.latest(where)+1)}
	for c.ref(p.ref()).Hash != "" {
		p.number++
	}
	return p
}

// latest returns the number that was published last of a package, whether it counts or not.
func (c *clone) latest(where string) int {
	number := 0
	for _, p := range c.places(where) {
		number = max(number, p.number)
	}
	return number
}
