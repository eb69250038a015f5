// SPDX-License-Identifier: Apache-2.0

package home

import (
	"context"
	"maps"
	"slices"

	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Claim is a package that a variant takes over as it is on its branch.
type Claim struct {
	Namespace string
	Package   revision.Package
	Owner     revision.Owner
}

// Claim publishes what the branches have of packages of which nothing was published yet, gives them owners, and returns
// them, by namespace and name. Where there is nothing to claim it does nothing; of two claims to a package the first
// counts.
func (h *Home) Claim(ctx context.Context, claims []Claim) (all []string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	of := map[key][]Claim{}
	for _, c := range claims {
		k := key{c.Namespace, c.Package.Repo}
		of[k] = append(of[k], c)
	}
	for _, k := range slices.SortedFunc(maps.Keys(of), byName) {
		r := h.repositories[k]
		if r == nil || r.err != nil || r.ref(r.branch()).Commit == "" {
			continue
		}
		claimed, err := h.claim(ctx, r, of[k])
		if err != nil {
			return nil, err
		}
		all = append(all, claimed...)
	}
	return all, nil
}

// claim does so in one Repository.
func (h *Home) claim(ctx context.Context, r *repository, claims []Claim) ([]string, error) {
	wanted, owners := map[string]bool{}, map[string]revision.Owner{}
	for _, c := range slices.Backward(claims) {
		unpublished, err := r.unpublished(c.Package.Name)
		if err != nil {
			return nil, err
		}
		if unpublished {
			wanted[c.Package.Name], owners[c.Package.Name] = true, c.Owner
		}
	}
	s := &Settled{}
	if err := h.tagMerged(ctx, r, wanted, nil, s); err != nil {
		return nil, err
	}
	for _, id := range s.Published {
		note := h.notes[id]
		note.Owners = []metav1.OwnerReference{owners[note.Package].Reference()}
		h.notes[id] = note
		defer r.touch(r.place(note.Package))
	}
	return s.Published, h.endMerged(ctx, r, wanted)
}

// unpublished reports whether the branch has a package of which nothing was published yet.
func (r *repository) unpublished(pkg string) (bool, error) {
	where := r.place(pkg)
	if r.latest(where) > 0 {
		return false, nil
	}
	tree, err := r.packageAt(r.ref(r.branch()).Commit, where)
	return tree != "", err
}

// endMerged ends the drafts of packages that are merged.
func (h *Home) endMerged(ctx context.Context, r *repository, packages map[string]bool) error {
	var open []found
	for name := range packages {
		all, err := h.placed(r, revision.Package{Repo: r.Name, Name: name})
		if err != nil {
			return err
		}
		open = append(open, slices.DeleteFunc(all, func(f found) bool { return f.number > 0 || f.unread != nil })...)
	}
	if len(open) == 0 {
		return nil
	}
	own, err := r.git.Unmerged(ctx, drafts, r.ref(r.branch()).Commit)
	if err != nil {
		return err
	}
	for i := range open {
		state, err := r.stateOf(ctx, &open[i], own)
		if err != nil {
			return err
		}
		if state.verdict() == done {
			r.set(open[i].ref(), git.Ref{}, open[i].key())
		}
	}
	return nil
}
