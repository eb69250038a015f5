// SPDX-License-Identifier: Apache-2.0

package home

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// removes begins the message of a commit that removes a package.
const removes = "Remove "

// remove makes the branch by which a person removes a package that a variant lets go, and gives all that was published
// of it these owners: tags stay, so it goes as a whole. Its commit says which variant asks for that. An earlier
// revision that its variant keeps is refused.
func (h *Home) remove(ctx context.Context, f *found, owners []metav1.OwnerReference) error {
	if f.Number != f.in.latest(f.path) && Owned(&revision.Revision{Owners: owners}) {
		return failed(packages.ErrRefused, "the tags of what was published stay: %s is not the latest of its package",
			f.Name)
	}
	message := removes + f.path + "\n"
	if by := revision.Variants(f.Owners); len(by) > 0 {
		message += "\n" + trailersOf(h.by(f.Namespace, by[0], ""))
	}
	branch := f.in.ref(f.in.branch()).Commit
	commit, err := f.in.commit(ctx, branch, f.path, "", message, branch)
	if err != nil {
		return err
	}
	all, err := h.revisions(f.in, f.Package)
	if err != nil {
		return err
	}
	for i := range all {
		if each := &all[i]; each.number > 0 && (Owned(&each.Revision) || each.Name == f.Name) {
			note := h.noted(each)
			note.Owners = slices.Clone(owners)
			h.notes[each.key().String()] = note
		}
	}
	f.in.set(removals+f.path, git.Ref{Hash: commit, Commit: commit}, f.key(), need{f.in.clone, branch})
	return nil
}

// keep ends the removal of a package.
func (r *repository) keep(f *found) { r.set(removals+f.path, git.Ref{}, f.key()) }

// Withdraw ends the removal of a package that a variant of this fleet has asked for, and gives what is published of it
// back to that variant: it is asked for again. Without such a removal it does nothing.
func (h *Home) Withdraw(pkg revision.Package, namespace string, owner revision.Owner) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.repositories[key{namespace, pkg.Repo}]
	if r == nil || r.err != nil || r.ref(removals+r.place(pkg.Name)).Hash == "" {
		return nil
	}
	if by, err := r.askedBy(r.place(pkg.Name)); err != nil || by != h.by(namespace, owner.Name, "") {
		return err
	}
	all, err := h.revisions(r, pkg)
	if err != nil {
		return err
	}
	for i := range all {
		if f := &all[i]; f.Lifecycle == revision.DeletionProposed {
			r.keep(f)
			note := h.noted(f)
			note.Owners = []metav1.OwnerReference{owner.Reference()}
			h.notes[f.key().String()] = note
		}
	}
	r.touch(r.place(pkg.Name))
	return nil
}

// endRemovals ends the branches by which packages were to be removed that are gone.
func (h *Home) endRemovals(r *repository, s *Settled) error {
	for of, ref := range r.removals() {
		now, err := r.packageAt(r.ref(r.branch()).Commit, r.place(of.Name))
		if err != nil {
			return err
		}
		if now == "" {
			r.set(ref, git.Ref{}, key{r.Namespace, of.NameOf("")})
			s.Removed = append(s.Removed, key{r.Namespace, of.String()}.String())
		}
	}
	return nil
}

// removals returns the packages that are to be removed, in order, with the branches that do so.
func (r *repository) removals() iter.Seq2[revision.Package, string] {
	return func(yield func(revision.Package, string) bool) {
		names := slices.Concat(slices.Collect(maps.Keys(r.refs)), slices.Collect(maps.Keys(r.changes)))
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			where, ok := strings.CutPrefix(name, removals)
			pkg, in := strings.CutPrefix("/"+where, r.Root())
			if ok && in && r.ref(name).Hash != "" && !yield(revision.Package{Repo: r.Name, Name: pkg}, name) {
				return
			}
		}
	}
}

// askedBy returns who asked for the removal of a package. Its commit says so, and people may have added others.
func (r *repository) askedBy(where string) (made, error) {
	at := r.ref(removals + where).Commit
	for range maxSaves {
		commit, err := r.git.Commit(at)
		switch {
		case err != nil:
			return made{}, ignoreUnread(err)
		case strings.HasPrefix(commit.Message, removes+where+"\n"):
			return madeBy(commit.Message), nil
		case len(commit.Parents) == 0:
			return made{}, nil
		}
		at = commit.Parents[0]
	}
	return made{}, nil
}

// Removal is a package that a person removes by merging a branch.
type Removal struct {
	Namespace string
	revision.Package
	// Variant is the one that asked for it.
	Variant string
	Branches
}

// Removals returns those that variants of this fleet have asked for, and that nobody has merged yet.
func (h *Home) Removals() (all []Removal, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, k := range slices.SortedFunc(maps.Keys(h.repositories), byName) {
		r := h.repositories[k]
		if r.err != nil {
			continue
		}
		for of, ref := range r.removals() {
			by, err := r.askedBy(r.place(of.Name))
			if err != nil {
				return nil, err
			}
			if variant, ok := strings.CutPrefix(by.variant, r.Namespace+"/"); ok && by.fleet == h.fleet {
				all = append(all, Removal{r.Namespace, of, variant, r.branches(ref)})
			}
		}
	}
	return all, nil
}
