// SPDX-License-Identifier: Apache-2.0

package home

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/words"
	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/ledger"
)

var _ packages.Guide = (*Home)(nil)

// Missing implements packages.Guide.
func (h *Home) Missing(ctx context.Context, namespace string, u *variant.Upstream) (_ revision.Missing, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer classify(&err)
	r, err := h.repository(namespace, u.Repo)
	if tag, floating := u.Revision.Tag(); err != nil || floating && tag != variant.TagLatest {
		return revision.Missing{}, nil //nolint:nilerr // that a Repository is not read is told of elsewhere
	}
	s, err := r.siteOf(ctx, u.Package)
	if err != nil {
		return revision.Missing{}, ignoreUnread(err)
	}
	s.number = numberOf(u, r.Branch)
	s.near = s.nearer()
	return s.missing(), nil
}

// numberOf returns the number that an upstream asks for, if it does by the number or by the version as a workspace.
func numberOf(u *variant.Upstream, branch string) int {
	number, fixed := u.Revision.Number()
	version, err := strconv.Atoi(strings.TrimPrefix(u.WorkspaceName, "v"))
	switch {
	case fixed && number > 0:
		return number
	case err == nil && u.WorkspaceName != "":
		return version
	case u.WorkspaceName == branch, u.WorkspaceName == "" && (u.Revision.IsZero() || u.Revision.Branch()):
		return mainNumber
	}
	return 0
}

// siteOf returns what is at the place of a package. All that seems to be about it is near.
func (r *repository) siteOf(ctx context.Context, pkg string) (*site, error) {
	s := &site{address: r.git.Address(), repository: r.Name, branch: r.Branch, path: r.place(pkg), empty: len(r.refs) == 0}
	s.next = func(from int) int { return r.next(s.path, from).number }
	head := r.refs[r.branch()].Commit
	if head == "" {
		s.others = r.otherBranches()
		return s, nil
	}
	known, err := r.packagesOn(ctx, r.branch())
	if err != nil {
		return nil, err
	}
	tree, there := known.packages[s.path]
	if s.isPackage, s.is = there, git.Directory; !there {
		at, e, err := r.entryAt(head, s.path)
		if err != nil {
			return nil, err
		}
		if s.is = e.Mode; e.Mode == git.Link {
			if s.to, err = r.leadsTo(at, s.path, &e); err != nil {
				return nil, err
			}
			if name, in := r.pkg(s.to); in {
				s.to = name
			}
		}
		s.like = r.like(known, pkg)
	}
	if s.latest = r.latest(s.path); s.latest > 0 {
		published, err := r.publishedAt(s.path)
		if err != nil {
			return nil, err
		}
		s.ahead = published.Tree != tree
	}
	s.near, err = r.nearTags(ctx, pkg)
	return s, err
}

// otherBranches returns the branches of people, by name; none is not nil.
func (c *clone) otherBranches() []string {
	all := []string{}
	for name := range c.refs {
		if short, is := strings.CutPrefix(name, branches); is && name != StateBranch && !strings.HasPrefix(name, drafts) &&
			!strings.HasPrefix(name, removals) {
			all = append(all, short)
		}
	}
	slices.Sort(all)
	return all
}

// entryAt returns what a commit has at a path, with the path at which that is: one above it, if that is no directory.
// The entry is zero for nothing.
func (c *clone) entryAt(commit git.Hash, where string) (at string, found git.Entry, err error) {
	read, err := c.git.Commit(commit)
	if err != nil {
		return "", found, err
	}
	tree := read.Tree
	for name := range strings.SplitSeq(where, "/") {
		entries, err := c.git.Tree(tree)
		if err != nil {
			return "", found, err
		}
		i := slices.IndexFunc(entries, func(e git.Entry) bool { return e.Name == name })
		if i < 0 {
			return "", git.Entry{}, nil
		}
		found, at = entries[i], path.Join(at, name)
		found.Mode = kindOf(found.Mode)
		if tree = found.Hash; found.Mode != git.Directory {
			break
		}
	}
	return at, found, nil
}

// leadsTo returns the path to which a path leads by a symbolic link that is there, or above it.
func (c *clone) leadsTo(at, where string, link *git.Entry) (string, error) {
	texts, err := c.git.BlobsWithin([]git.Hash{link.Hash}, func(sizes map[git.Hash]int64) error {
		return checkSizes(map[string]int64{at: sizes[link.Hash]})
	})
	to := texts[link.Hash]
	if !path.IsAbs(to) {
		to = path.Join(path.Dir(at), to)
	}
	return path.Join(to, strings.TrimPrefix(where, at)), err
}

// checkDirectory returns why what a commit has at a path is no tree, if something else is there or above it.
func (c *clone) checkDirectory(commit git.Hash, where string, tree git.Hash) error {
	if tree != "" {
		if _, err := c.git.Tree(tree); err == nil {
			return nil
		}
	}
	at, e, err := c.entryAt(commit, where)
	switch {
	case err != nil:
		return err
	case e.Mode == git.Link:
		to, err := c.leadsTo(at, where, &e)
		if err != nil {
			return err
		}
		return refused("%s is a symbolic link, so the package is %s: name that one, or commit its files in place of the link",
			at, to)
	case e.Mode == git.Module:
		return refused("%s is a submodule, and its files are in another git repository: commit the files themselves", at)
	case e.Mode != "" && e.Mode != git.Directory:
		return refused("%s is a file, and no directory: commit a package there", at)
	}
	return nil
}

// like returns the packages on a branch whose names are like one: in another directory, or with few other letters.
func (r *repository) like(known *branchPackages, pkg string) (all []string) {
	var names []string
	for where := range known.packages {
		if name, in := r.pkg(where); in {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if path.Base(name) == path.Base(pkg) {
			all = append(all, name)
		}
	}
	const letters = 3
	if nearest := words.Nearest(pkg, names, letters); nearest != "" && !slices.Contains(all, nearest) {
		all = append(all, nearest)
	}
	return all
}

// nearTags returns the tags that seem to be about a package, and are not those of packages.
func (r *repository) nearTags(ctx context.Context, pkg string) ([]nearTag, error) {
	if r.near == nil {
		var names []string
		for name, ref := range r.refs {
			short, isTag := strings.CutPrefix(name, tags)
			if !isTag || ref.Commit == "" {
				continue
			}
			if p, publishes := placeOf(name); publishes {
				there, err := r.isThere(ctx, p.path)
				if err != nil {
					return nil, err
				}
				if there {
					continue
				}
			}
			names = append(names, short)
		}
		r.near = nearTags(names)
	}
	where := r.place(pkg)
	all := slices.Clone(nearTo(r.near, pkg, where))
	return slices.DeleteFunc(all, func(t nearTag) bool { // what the package has had is its own
		p, publishes := placeOf(tags + t.name)
		return publishes && p.path == where
	}), nil
}

// isThere reports whether a package is on the branch of a Repository over the git repository.
func (c *clone) isThere(ctx context.Context, where string) (bool, error) {
	for _, r := range c.repositories {
		known, err := c.packagesOn(ctx, r.branch())
		if err != nil {
			return false, err
		}
		if _, there := known.packages[where]; there {
			return true, nil
		}
	}
	return false, nil
}

// Untagged returns what is to be told of packages of a namespace of which people have something newer than what is
// published: by a tag whose name is nearly that of one which publishes it, or on the branch alone. What the branch has
// of a package that belongs to a variant is tagged by the sync. What is not read is told of elsewhere.
func (h *Home) Untagged(ctx context.Context, namespace string, of map[revision.Package]bool) (all []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for pkg := range of {
		r := h.repositories[key{namespace, pkg.Repo}]
		if r == nil || r.err != nil || r.latest(r.place(pkg.Name)) == 0 {
			continue
		}
		s, err := r.siteOf(ctx, pkg.Name)
		if err != nil {
			continue
		}
		_, owned := h.ledger[ledger.KeyOf(namespace, pkg)]
		switch s.near = s.nearer(); {
		case len(s.near) > 0:
			all = append(all, fmt.Sprintf("the newest revision of %s is v%d, because the tag %s of %s has another name than "+
				"those that publish it: %s", pkg, s.latest, s.near[len(s.near)-1].name, s.address, s.tag("")))
		case s.isPackage && s.ahead && !owned:
			all = append(all, fmt.Sprintf("%s has changed on %s since v%d; the fleet follows it once it is tagged: %s", pkg,
				s.branch, s.latest, s.tag("origin/"+s.branch)))
		}
	}
	slices.Sort(all)
	return all
}
