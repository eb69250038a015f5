// SPDX-License-Identifier: Apache-2.0

package home

import (
	"context"

	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Claim publishes what the branch has of a package of which nothing was published yet, gives it an owner, and returns
// it, by namespace and name. Where there is nothing to claim it does nothing.
func (h *Home) Claim(ctx context.Context, pkg revision.Package, namespace string, owner revision.Owner) ([]string,
	error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.repositories[key{namespace, pkg.Repo}]
	if r == nil || r.err != nil || r.ref(r.branch()).Commit == "" || r.latest(r.place(pkg.Name)) > 0 {
		return nil, nil
	}
	tree, err := r.at(r.ref(r.branch()).Commit, r.place(pkg.Name))
	if err != nil || tree == "" {
		return nil, err
	}
	if files, err := r.files(tree); err != nil || files.texts[kptfile] == "" {
		return nil, err
	}
	s := &Settled{}
	if err := h.tagMerged(ctx, r, map[string]bool{pkg.Name: true}, nil, s); err != nil {
		return nil, err
	}
	for _, id := range s.Published {
		note := h.notes[id]
		note.Owners = []metav1.OwnerReference{owner.Reference()}
		h.notes[id] = note
	}
	defer r.touch(r.place(pkg.Name))
	return s.Published, h.endMerged(ctx, r, pkg)
}

// endMerged ends the drafts of a package that are merged.
func (h *Home) endMerged(ctx context.Context, r *repository, pkg revision.Package) error {
	all, err := h.placed(r, pkg)
	if err != nil {
		return err
	}
	own, err := r.git.Unmerged(ctx, drafts, r.ref(r.branch()).Commit)
	for i := range all {
		if err != nil || all[i].number > 0 {
			return err
		}
		var state *draftState
		if state, err = r.stateOf(ctx, &all[i], own); err == nil && state.verdict() == done {
			r.set(all[i].ref(), git.Ref{}, all[i].key())
		}
	}
	return err
}
