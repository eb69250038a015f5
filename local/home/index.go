// SPDX-License-Identifier: Apache-2.0

package home

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git"
)

// What is known of a git repository is read once a round: where its refs are, and which directories of a branch are
// packages. It is indexed by the path of a package, and from there by what revisions are found by. Whatever a round
// changes is touched, and entered into the index when something is looked for.

var _ packages.Known = (*Home)(nil)

// member is a package in a Repository.
type member struct {
	in  *repository
	pkg string
}

// value is one by which revisions are found.
type value struct {
	by   packages.Index
	text string
}

// byName is the index of names, which only this home has. Names are made for people, so nothing is read from them.
const byName packages.Index = "name"

// index has the packages of all Repositories by what their revisions are found by.
type index struct {
	members map[value]map[member]bool
	values  map[member][]value
}

func newIndex() index {
	return index{members: map[value]map[member]bool{}, values: map[member][]value{}}
}

// branchPackages is what a branch has at a commit: the trees of its packages, by their paths.
type branchPackages struct {
	commit   git.Hash
	packages map[string]git.Hash
}

// packagesOn returns what a branch has, as it was fetched.
func (c *clone) packagesOn(ctx context.Context, branch string) (*branchPackages, error) {
	commit := c.refs[branch].Commit
	if known := c.branches[branch]; known != nil && known.commit == commit {
		return known, nil
	}
	b := &branchPackages{commit: commit}
	if commit != "" {
		var err error
		if b.packages, err = c.git.Holding(ctx, commit, kptfile); err != nil {
			return nil, fmt.Errorf("the branch %s: %w", strings.TrimPrefix(branch, branches), err)
		}
	}
	c.branches[branch] = b
	return b, nil
}

// over returns the Repositories that may have a package at a path: those with a directory above it.
func (c *clone) over(where string) (all []*repository) {
	all = slices.Clone(c.roots[""])
	for i, r := range where {
		if r == '/' {
			all = append(all, c.roots[where[:i]]...)
		}
	}
	return all
}

// pkg returns the name in a Repository of the package at a path of the git repository; false if it has none there. In
// names of packages there are no dots.
func (r *repository) pkg(where string) (string, bool) {
	name, in := strings.CutPrefix("/"+where, r.Root())
	return name, in && name != "" && !strings.Contains(name, ".")
}

// Named implements packages.Known.
func (h *Home) Named(ctx context.Context, namespace, name string) (revision.Revision, error) {
	return h.Get(ctx, namespace, name)
}

// Find implements packages.Known. The packages of a Repository that cannot be read are not found.
func (h *Home) Find(ctx context.Context, namespace string, by packages.Index, text string) (out []revision.Revision,
	err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer classify(&err)
	if repo, _, _ := strings.Cut(text, "/"); by == packages.ByPackage && namespace != "" {
		if _, err := h.repository(namespace, repo); err != nil {
			return nil, ignoreAbsent(err)
		}
	}
	found, err := h.lookUp(ctx, namespace, value{by, text})
	for i := range found {
		out = append(out, found[i].Revision)
	}
	slices.SortFunc(out, revision.ByName)
	return out, err
}

// lookUp returns the revisions that have a value.
func (h *Home) lookUp(ctx context.Context, namespace string, wanted value) (out []*found, err error) {
	if err := h.refresh(ctx); err != nil {
		return nil, err
	}
	for m := range h.index.members[wanted] {
		if namespace != "" && m.in.Namespace != namespace {
			continue
		}
		all, err := h.revisions(ctx, m.in, m.pkg)
		if err != nil {
			return nil, err
		}
		for i := range all {
			if slices.Contains(valuesOf(&all[i].Revision), wanted) {
				out = append(out, &all[i])
			}
		}
	}
	return out, nil
}

// refresh brings the index to what is known. A git repository of which that cannot be read is one that cannot be read.
func (h *Home) refresh(ctx context.Context) error {
	for _, c := range h.clones {
		if c.err != nil {
			continue
		}
		if c.err = h.enterAll(ctx, c); ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// enterAll brings the index to what is known of a git repository.
func (h *Home) enterAll(ctx context.Context, c *clone) error {
	if !c.entered {
		if err := c.touchAll(ctx); err != nil {
			return err
		}
		c.entered = true
	}
	for where := range c.touched {
		for _, r := range c.over(where) {
			if pkg, ok := r.pkg(where); ok {
				if err := h.enter(ctx, member{r, pkg}); err != nil {
					return err
				}
			}
		}
	}
	clear(c.touched)
	return nil
}

// touchAll has the index get all packages: those with drafts or tags, and those on branches.
func (c *clone) touchAll(ctx context.Context) error {
	for where := range c.packages {
		c.touched[where] = true
	}
	for _, r := range c.repositories {
		b, err := c.packagesOn(ctx, r.branch())
		if err != nil {
			return err
		}
		if c.listed[b] {
			continue
		}
		c.listed[b] = true
		for where := range b.packages {
			c.touched[where] = true
		}
	}
	return nil
}

// enter puts a package into the index, in place of what was there of it.
func (h *Home) enter(ctx context.Context, m member) error {
	all, err := h.revisions(ctx, m.in, m.pkg)
	if err != nil {
		return err
	}
	for _, v := range h.index.values[m] {
		delete(h.index.members[v], m)
	}
	h.index.values[m] = nil
	for i := range all {
		for _, v := range valuesOf(&all[i].Revision) {
			if h.index.members[v] == nil {
				h.index.members[v] = map[member]bool{}
			}
			h.index.members[v][m] = true
			h.index.values[m] = append(h.index.values[m], v)
		}
	}
	return nil
}

// valuesOf returns what a revision is found by.
func valuesOf(r *revision.Revision) []value {
	all := []value{{by: packages.All}, {byName, r.Name}}
	for by, values := range packages.Indexes {
		for _, text := range values(r) {
			all = append(all, value{by, text})
		}
	}
	return all
}

// touch forgets what is known of a package, by its path, in all Repositories that have it.
func (c *clone) touch(where string) {
	c.touched[where] = true
	for _, r := range c.over(where) {
		if pkg, ok := r.pkg(where); ok {
			delete(r.known, pkg)
		}
	}
}

// forget forgets what is known of all packages.
func (h *Home) forget() {
	h.index = newIndex()
	for _, c := range h.clones {
		c.entered, c.touched, c.listed = false, map[string]bool{}, map[*branchPackages]bool{}
	}
	for _, r := range h.repositories {
		r.known = map[string][]found{}
	}
}
