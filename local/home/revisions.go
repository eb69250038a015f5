// SPDX-License-Identifier: Apache-2.0

package home

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// mainNumber is the number of the revision that the branch itself is, as in Porch.
const mainNumber = -1

// revisions returns the revisions of a package, by name: its drafts, what was published, and what is on the branch.
// What was published counts no longer if it is gone from the branch and was deployed from there, or a variant had it.
func (h *Home) revisions(r *repository, pkg revision.Package) (all []found, err error) {
	if known, ok := r.known[pkg.Name]; ok {
		return known, nil
	}
	where := r.place(pkg.Name)
	branch, onBranch, err := r.branchOf(where)
	if err == nil {
		all, err = h.placed(r, pkg)
	}
	if err != nil {
		return nil, err
	}
	if onBranch == "" && (r.Deployment || slices.ContainsFunc(all, h.isNoted)) {
		all = slices.DeleteFunc(all, func(f found) bool { return f.number > 0 })
	}
	if onBranch != "" {
		f, err := h.onBranch(r, pkg, where, branch, onBranch)
		if err != nil {
			return nil, err
		}
		all = append(all, *f)
	}
	slices.SortFunc(all, func(a, b found) int { return revision.ByName(a.Revision, b.Revision) })
	r.known[pkg.Name] = all
	return all, nil
}

// Gone reports whether a package was published, and is on the branch no more.
func (h *Home) Gone(namespace string, pkg revision.Package) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	r, err := h.repository(namespace, pkg.Repo)
	if err != nil {
		return false
	}
	where := r.place(pkg.Name)
	_, tree, err := r.branchOf(where)
	return err == nil && tree == "" && r.latest(where) > 0
}

// placed returns the drafts of a package, and all that was published of it, the latest first.
func (h *Home) placed(r *repository, pkg revision.Package) (all []found, err error) {
	used := map[string]bool{}
	for _, p := range r.places(r.place(pkg.Name)) {
		f, err := h.foundAt(r, pkg, p, used)
		if err != nil {
			return nil, err
		}
		used[f.Workspace] = true
		all = append(all, *f)
	}
	if latest := slices.IndexFunc(all, func(f found) bool { return f.number > 0 }); latest >= 0 {
		for i := range all[:latest] {
			if judged, ok := h.judged[all[i].key()]; ok && !judged.overtaken {
				all[i].Contains = all[latest].Name
			}
		}
	}
	return all, nil
}

// branchOf returns the branch with what it has of a package: as it was fetched, unless this round publishes the
// package.
func (r *repository) branchOf(where string) (branch git.Ref, tree git.Hash, err error) {
	branch = r.refs[r.branch()]
	if tree, err = r.packageAt(branch.Commit, where); err != nil {
		return branch, "", err
	}
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
func (h *Home) foundAt(r *repository, pkg revision.Package, p place, used map[string]bool) (*found, error) {
	ref := r.ref(p.ref())
	known, err := r.factsOf(p, ref)
	if err != nil {
		return nil, err
	}
	f := &found{in: r, place: p, tree: known.tree, made: known.made, unread: known.unread}
	f.Revision = revision.Revision{
		Namespace: r.Namespace, Package: pkg, Workspace: known.workspace, Number: p.number, AtCommit: true,
		Lifecycle: revision.Draft, Version: string(cmp.Or(known.tree, known.commit)), Commit: string(known.commit),
		Lock: known.lock, Task: known.task, Created: known.at,
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
		if tree, proposed := h.proposed[f.key()]; proposed && tree == known.tree {
			f.Lifecycle, f.Version = revision.Proposed, f.Version+" proposed"
		}
		f.Held, err = h.held(f)
	}
	h.note(f)
	return f, err
}

// held says why only a person may publish a draft; "" if nothing does.
func (h *Home) held(f *found) (string, error) {
	note := h.notes[f.key().String()]
	seen := note.Draft
	_, onBranch, err := f.in.branchOf(f.path)
	switch {
	case h.judged[f.key()].beside:
		return "its branch changes more than " + f.path + ": look at all of it, and merge it", err
	case seen != nil && seen.Refused != "" && seen.Tree == string(f.tree) && !h.again[f.key()]:
		return "the git repository refused to have it merged, which each sync tries again; if only its forge may, merge " +
			"it there: " + seen.Refused, err
	case note.Held != "":
		return note.Held, err
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
func (h *Home) onBranch(r *repository, pkg revision.Package, where string, branch git.Ref, tree git.Hash) (*found,
	error) {
	lock, err := r.lockOf(tree)
	if err != nil {
		return nil, err
	}
	commit, err := r.git.Commit(branch.Commit)
	if err != nil {
		return nil, err
	}
	f := &found{in: r, place: place{path: where}, tree: tree}
	f.Revision = revision.Revision{
		Namespace: r.Namespace, Package: pkg, Workspace: strings.TrimPrefix(r.branch(), branches), Number: mainNumber,
		AtCommit: true, Lifecycle: revision.Published, Version: string(tree), Commit: string(branch.Commit), Lock: lock,
		Created: commit.At, PublishedAt: commit.At,
	}
	f.Name = pkg.NameOf(f.Workspace)
	f.Origin = revision.LockOn(&f.Revision, r.Address, r.Directory)
	h.note(f)
	return f, nil
}

// key is that of the notes on a revision.
func (f *found) key() key { return key{f.Namespace, f.Name} }

// shares reports whether another Repository of the namespace is over the place of a package, too. Branches and tags do
// not say in which of them a package is.
func (r *repository) shares(where string) bool {
	return slices.ContainsFunc(r.repositories, func(o *repository) bool {
		return o != r && o.Namespace == r.Namespace && strings.HasPrefix("/"+where+"/", o.Root())
	})
}

// note gives a revision what is noted of it. A draft of this fleet of which nothing is noted says itself whose it is,
// unless it may be in several Repositories.
func (h *Home) note(f *found) {
	note, noted := h.notes[f.key().String()]
	f.Owners, f.Labels, f.Annotations = slices.Clone(note.Owners), maps.Clone(note.Labels), maps.Clone(note.Annotations)
	if !noted && f.Open() && f.variant != "" && f.fleet == h.fleet && h.fleet != "" && !f.in.shares(f.path) {
		namespace, name, _ := strings.Cut(f.variant, "/")
		if namespace == f.Namespace {
			f.Owners = []metav1.OwnerReference{revision.Owner{Name: name}.Reference()}
		}
	}
}

// latest returns the number that was published last of a package, whether it counts or not.
func (c *clone) latest(where string) int {
	number := 0
	for _, p := range c.places(where) {
		number = max(number, p.number)
	}
	return number
}
