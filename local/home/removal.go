// SPDX-License-Identifier: Apache-2.0

package home

import (
	"context"
	"maps"
	"slices"

	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/ledger"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// removes begins the message of a commit that removes a package.
const removes = "Remove "

// remove makes the branch by which a person removes a package that a variant lets go: tags stay, so it goes as a whole.
// An earlier revision that its variant keeps is refused.
func (h *Home) remove(ctx context.Context, f *found, owners []metav1.OwnerReference) error {
	if f.Number != f.in.latest(f.path) && isOwned(owners) {
		return failed(packages.ErrRefused, "the tags of what was published stay: %s is not the latest of its package",
			f.Name)
	}
	m := f.member()
	e := h.entry(m)
	if err := h.askRemoval(ctx, m, e.Owners); err != nil {
		return err
	}
	if !isOwned(owners) {
		e.Removal, e.Owners = &ledger.Removal{By: e.Owners}, nil
	}
	h.put(m, &e)
	return nil
}

// askRemoval makes the branch by which a person removes a package.
func (h *Home) askRemoval(ctx context.Context, m member, by []metav1.OwnerReference) error {
	where := m.where()
	message := removes + where + "\n"
	if names := revision.Variants(by); len(names) > 0 {
		message += "\n" + trailersOf(h.by(m.in.Namespace, names[0], ""))
	}
	branch, err := h.base(ctx, m.in, where, id{Key: m.key()})
	if err != nil {
		return err
	}
	commit, err := m.in.commit(ctx, branch, where, "", message, branch)
	if err != nil {
		return err
	}
	m.in.set(removals+where, git.Ref{Hash: commit, Commit: commit}, id{Key: m.key()}, need{m.in.clone, branch})
	return nil
}

// keep ends the removal of a package.
func (h *Home) keep(m member) {
	m.in.set(removals+m.where(), git.Ref{}, id{Key: m.key()})
	e := h.entry(m)
	e.Removal = nil
	h.put(m, &e)
}

// Withdraw ends the removal of a package that a variant has asked for, which has it again then, or that one adopts.
// Without such a removal it does nothing.
func (h *Home) Withdraw(pkg revision.Package, namespace string, owner revision.Owner, adopts bool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.repositories[key{namespace, pkg.Repo}]
	if r == nil || r.problem() != nil {
		return nil
	}
	m := member{r, pkg.Name}
	e := h.entry(m)
	if e.Removal != nil && (adopts || slices.Contains(revision.Variants(e.Removal.By), owner.Name)) {
		if !isOwned(e.Owners) {
			e.Owners = []metav1.OwnerReference{owner.Reference()}
		}
		h.put(m, &e)
		h.keep(m)
	}
	return nil
}

// Removal is a package that a person removes by merging a branch.
type Removal struct {
	Namespace string
	revision.Package
	// Variant is the one that asked for it.
	Variant string
	Branches
	// Commit is that of the branch.
	Commit git.Hash
}

// Removals returns those that variants of this fleet have asked for, and that nobody has merged yet.
func (h *Home) Removals() (all []Removal) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, k := range slices.SortedFunc(maps.Keys(h.ledger), ledger.Key.Compare) {
		r, e := h.repositories[repositoryKey(k)], h.ledger[k]
		if r == nil || r.problem() != nil || e.Removal == nil {
			continue
		}
		ref := removals + r.place(k.Package)
		if by := revision.Variants(e.Removal.By); len(by) > 0 && r.ref(ref).Hash != "" {
			all = append(all, Removal{r.Namespace, k.Of(), by[0], r.branchesTo(ref), r.ref(ref).Hash})
		}
	}
	return all
}
