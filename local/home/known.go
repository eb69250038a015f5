// SPDX-License-Identifier: Apache-2.0

package home

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
)

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

// index has the packages of all Repositories by what their revisions are found by.
type index struct {
	complete bool
	members  map[value]map[member]bool
	values   map[member][]value
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
	if err := h.refresh(ctx); err != nil {
		return nil, err
	}
	if repo, _, _ := strings.Cut(text, "/"); by == packages.ByPackage && namespace != "" {
		if _, err := h.repository(namespace, repo); err != nil {
			return nil, ignoreAbsent(err)
		}
	}
	wanted := value{by, text}
	for m := range h.index.members[wanted] {
		if namespace != "" && m.in.Namespace != namespace || m.in.err != nil {
			continue
		}
		all, err := h.revisions(m.in, revision.Package{Repo: m.in.Name, Name: m.pkg})
		if err != nil {
			return nil, err
		}
		for i := range all {
			if slices.Contains(valuesOf(&all[i].Revision), wanted) {
				out = append(out, all[i].Revision)
			}
		}
	}
	slices.SortFunc(out, revision.ByName)
	return out, nil
}

// refresh brings the index to what is known. A Repository of which that cannot be read is one that cannot be read.
func (h *Home) refresh(ctx context.Context) error {
	for _, k := range slices.SortedFunc(maps.Keys(h.repositories), byName) {
		r := h.repositories[k]
		if r.err != nil {
			continue
		}
		if r.err = h.enterAll(ctx, r); ctx.Err() != nil {
			return ctx.Err()
		}
	}
	h.index.complete = true
	return nil
}

// enterAll brings the index to what is known of a Repository.
func (h *Home) enterAll(ctx context.Context, r *repository) error {
	if !h.index.complete {
		if err := r.touchAll(ctx); err != nil {
			return err
		}
	}
	for pkg := range r.touched {
		if err := h.enter(member{r, pkg}); err != nil {
			return err
		}
	}
	r.touched = map[string]bool{}
	return nil
}

// touchAll has the index get all packages of a Repository: those with drafts or tags, and those on the branch.
func (r *repository) touchAll(ctx context.Context) error {
	for where := range r.packages {
		r.touch(where)
	}
	branch := r.ref(r.branch()).Commit
	if branch == "" {
		return nil
	}
	onBranch, err := r.git.Holding(ctx, branch, strings.Trim(r.Root(), "/"), kptfile)
	if err != nil {
		return fmt.Errorf("the branch %s: %w", strings.TrimPrefix(r.branch(), branches), err)
	}
	for _, where := range onBranch {
		r.touch(where)
	}
	return nil
}

// enter puts a package into the index, in place of what was there of it.
func (h *Home) enter(m member) error {
	all, err := h.revisions(m.in, revision.Package{Repo: m.in.Name, Name: m.pkg})
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
	all := []value{{by: packages.All}}
	for by, values := range packages.Indexes {
		for _, text := range values(r) {
			all = append(all, value{by, text})
		}
	}
	return all
}

// newIndex returns an index without packages.
func newIndex() index {
	return index{members: map[value]map[member]bool{}, values: map[member][]value{}}
}

// touch forgets what is known of a package, by its place, in all Repositories that have it.
func (c *clone) touch(where string) {
	for _, r := range c.repositories {
		if pkg, in := strings.CutPrefix("/"+where, r.Root()); in {
			delete(r.known, pkg)
			r.touched[pkg] = true
		}
	}
}

// touchAll forgets what is known of all packages.
func (h *Home) touchAll() {
	h.index = newIndex()
	for _, r := range h.repositories {
		r.known, r.touched = map[string][]found{}, map[string]bool{}
	}
}
