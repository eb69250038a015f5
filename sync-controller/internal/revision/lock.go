// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"fmt"
	"path"
	"strings"
	"time"
)

// LockOn returns the lock of a package that is taken on a published revision, or on what is on its branch, of a
// Repository over a directory of the git repository with that address. The form is that of Porch's clones.
func LockOn(r *Revision, address, directory string) *Lock {
	ref := r.Workspace // of the branch
	if !r.Main() {
		ref = fmt.Sprintf("%s/v%d", strings.Trim(path.Join(directory, r.Package.Name), "/"), r.Number)
	}
	return &Lock{Repo: address, Directory: r.Package.Name, Ref: ref, Commit: r.Commit}
}

// Names reports whether the lock was taken on the commit of the revision.
func (l *Lock) Names(r *Revision) bool { return l.Commit == r.Commit && l.in(r.Package.Name) }

// Find returns the published revision on whose commit the lock was taken, or nil if it is not among the revisions. A
// revision with a number is preferred to the main branch, which may have the same commit.
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
// that was published by then, or nil. The revisions are to be of the repository that the lock names. Porch gives a
// branch the commit of its head, which says nothing of the package: its own controller clones from the main branch
// whatever revision it is asked for.
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

// OnBranch reports whether the lock was taken on a branch of published packages: not on the tag of one, which is named
// after the package and the directory of its Repository, nor on a draft.
func (l *Lock) OnBranch() bool {
	directory := strings.Trim(l.Directory, "/")
	tag := directory != "" && strings.HasSuffix(path.Dir("/"+l.Ref), "/"+directory)
	return !tag && !strings.HasPrefix(l.Ref, "drafts/") && !strings.HasPrefix(l.Ref, "proposed/")
}

// Of reports whether the lock was taken in the git repository with that address.
func (l *Lock) Of(address string) bool { return Address(l.Repo) == Address(address) }

// Address returns the address of a git repository in the form in which two that mean the same are equal.
func Address(s string) string { return strings.TrimSuffix(strings.TrimSuffix(s, "/"), ".git") }

// in reports whether the lock's directory is that of a package; the directory begins with that of its repository.
func (l *Lock) in(pkg string) bool {
	directory := strings.Trim(l.Directory, "/")
	return directory == pkg || strings.HasSuffix(directory, "/"+pkg)
}
