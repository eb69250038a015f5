// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"
)

// LockOn returns the lock that a package gets from a published revision, or from its branch, of a Repository over a
// directory of the git repository at an address. Its directory begins at the root of the git repository, where kpt
// looks for it; Porch's clones leave out that of the Repository.
func LockOn(r *Revision, address, directory string) *Lock {
	place := strings.Trim(path.Join(directory, r.Package.Name), "/")
	ref := r.Workspace // of the branch
	if !r.Main() {
		ref = fmt.Sprintf("%s/v%d", place, r.Number)
	}
	return &Lock{Repo: address, Directory: place, Ref: ref, Commit: r.Commit}
}

// Locate sets the origins of the published revisions, by their Repositories. It skips Repositories without an address.
func Locate(revisions []Revision, repositories map[string]Repository) {
	for i := range revisions {
		r := &revisions[i]
		if repository := repositories[r.Package.Repo]; repository.Address != "" && r.Published() {
			r.Origin = LockOn(r, repository.Address, repository.Directory)
		}
	}
}

// String returns the ref and, where it is known, the commit.
func (l *Lock) String() string {
	if l.Commit == "" {
		return l.Ref
	}
	return l.Ref + " at " + l.Commit
}

// Is reports whether a package says of two locks the same: whether all is equal but what the home tells of them.
func (l *Lock) Is(other *Lock) bool {
	a, b := *l, *other
	a.Tree, b.Tree = "", ""
	return a == b
}

// Names reports whether the lock was taken on the revision. If both have a commit, the commits decide; else the origin
// does: the address, the directory and the ref (docs/design.md, "Any Porch"). If the origins agree and the commits do
// not, the trees decide: a history that was rewritten has other commits with the same content.
func (l *Lock) Names(r *Revision) bool {
	if l.Commit == "" || r.Commit == "" || l.Tree != "" && l.Tree == r.Tree && l.Commit != r.Commit {
		return l.sharesRef(r)
	}
	return l.Commit == r.Commit && l.in(r.Package.Name)
}

// NamesReplaced reports whether the lock was taken on an earlier revision of the same name, whose content is gone: the
// origins agree, and the commits do not.
func (l *Lock) NamesReplaced(r *Revision) bool { return l.sharesRef(r) && !l.Names(r) }

// sharesRef reports whether the lock has the address, the directory and the ref of the revision's origin.
func (l *Lock) sharesRef(r *Revision) bool {
	return r.Origin != nil && l.Of(r.Origin.Repo) && l.Ref == r.Origin.Ref && l.in(r.Package.Name)
}

// Find returns the published revision on which the lock was taken, or nil if it is not among the revisions. A revision
// with a number is preferred to the main branch, which may have the same commit.
func (l *Lock) Find(revisions []Revision) *Revision {
	var found *Revision
	for i := range revisions {
		if r := &revisions[i]; r.Published() && l.Names(r) && (found == nil || found.Main()) {
			found = r
		}
	}
	return found
}

// FindOnBranch returns, for a lock that was taken on a branch, the revision that the branch held at a time: the newest
// that was published by then, or nil. The revisions must be of the repository that the lock names. Porch gives a branch
// the commit of its head, which says nothing about the package: its own controller clones from the main branch for
// every revision.
func (l *Lock) FindOnBranch(revisions []Revision, at time.Time) *Revision {
	var found *Revision
	for i := range revisions {
		r := &revisions[i]
		if l.OnBranch() && l.in(r.Package.Name) && r.Published() && !r.Main() && !r.PublishedAt.After(at) &&
			(found == nil || r.Number > found.Number) {
			found = r
		}
	}
	return found
}

// OnBranch reports whether the lock was taken on a branch of published packages: not on a tag, which is named after the
// package and the directory of its Repository, and not on a draft.
func (l *Lock) OnBranch() bool {
	directory := strings.Trim(l.Directory, "/")
	tag := directory != "" && strings.HasSuffix(path.Dir("/"+l.Ref), "/"+directory)
	return !tag && !l.onDraft()
}

// onDraft reports whether the lock was taken on the branch of a draft.
func (l *Lock) onDraft() bool {
	return strings.HasPrefix(l.Ref, "drafts/") || strings.HasPrefix(l.Ref, "proposed/")
}

// Number returns the number of the revision whose tag the lock was taken on; 0 if it was taken on something else.
func (l *Lock) Number() int {
	digits, isTag := strings.CutPrefix(path.Base(l.Ref), "v")
	number, err := strconv.Atoi(digits)
	if !isTag || l.OnBranch() || l.onDraft() || err != nil || number < 1 {
		return 0
	}
	return number
}

// Place returns the directory of the lock's package in the git repository, with a slash before it. Porch leaves out the
// directory of the Repository, except in the names of tags.
func (l *Lock) Place() string {
	if l.Number() > 0 {
		return path.Join("/", path.Dir(l.Ref))
	}
	return path.Join("/", l.Directory)
}

// Keys returns the keys under which an index has the lock: its commit, and its origin. If the lock Names a revision,
// the revision's LockKeys have one of them.
func (l *Lock) Keys() []string {
	keys := []string{Canonical(l.Repo) + " " + path.Base("/"+l.Directory) + " " + l.Ref}
	if l.Commit != "" {
		keys = append(keys, l.Commit)
	}
	return keys
}

// LockKeys returns the keys under which an index has the locks that may name the revision.
func (r *Revision) LockKeys() []string {
	var keys []string
	if r.Origin != nil {
		keys = r.Origin.Keys()[:1]
	}
	if r.Commit != "" {
		keys = append(keys, r.Commit)
	}
	return keys
}

// Of reports whether the lock was taken in the git repository with that address.
func (l *Lock) Of(address string) bool { return Canonical(l.Repo) == Canonical(address) }

// in reports whether the lock's directory is the package's. It may begin with the directory of the Repository.
func (l *Lock) in(pkg string) bool {
	directory := strings.Trim(l.Directory, "/")
	return directory == pkg || strings.HasSuffix(directory, "/"+pkg)
}
