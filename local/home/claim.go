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

// Claim publishes what the branches have of packages of which nothing was published yet, gives them owners, and says
// what was adopted. Where there is nothing to claim it does nothing; of two claims to a package the first counts.
func (h *Home) Claim(ctx context.Context, claims []Claim) (all []Event, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	of := map[key][]Claim{}
	for _, c := range claims {
		k := key{c.Namespace, c.Package.Repo}
		of[k] = append(of[k], c)
	}
	for _, k := range slices.SortedFunc(maps.Keys(of), compareKeys) {
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
func (h *Home) claim(ctx context.Context, r *repository, claims []Claim) ([]Event, error) {
	s := h.newSettling()
	var claimed []member
	by := map[member]string{}
	for _, c := range slices.Backward(claims) {
		unpublished, err := r.unpublished(ctx, c.Package.Name)
		if err != nil {
			return nil, err
		}
		if !unpublished {
			continue
		}
		m := member{r, c.Package.Name}
		if e := h.entry(m); !isOwned(e.Owners) || slices.ContainsFunc(claimed, func(o member) bool { return o == m }) {
			e.Owners = []metav1.OwnerReference{c.Owner.Reference()}
			h.put(m, &e)
			s.leave(m)
			by[m], claimed = c.Owner.Name, append(claimed, m)
		}
	}
	if err := s.publish(ctx); err != nil {
		return nil, err
	}
	var all []Event
	for _, m := range claimed {
		all = append(all, Event{Key: m.key(), Did: Adopted, Workspace: s.names[m], Why: by[m]})
	}
	return all, h.endMerged(ctx, s, claimed)
}

// unpublished reports whether the branch has a package of which nothing was published yet.
func (r *repository) unpublished(ctx context.Context, pkg string) (bool, error) {
	where := r.place(pkg)
	if r.latest(where) > 0 {
		return false, nil
	}
	_, tree, err := r.branchOf(ctx, where)
	return tree != "", err
}

// endMerged ends the drafts of packages that are merged.
func (h *Home) endMerged(ctx context.Context, s *settling, claimed []member) error {
	for _, m := range claimed {
		_, main, err := m.in.branchOf(ctx, m.where())
		if err != nil {
			return err
		}
		for _, p := range m.in.places(m.where()) {
			if p.number > 0 {
				break
			}
			f, err := h.foundAt(ctx, m, p, nil)
			if err != nil {
				return err
			}
			branch, err := s.branchFacts(ctx, m, f)
			if err != nil {
				return err
			}
			if branch.InHistory || !branch.Beside && f.tree == main {
				m.in.set(f.ref(), git.Ref{}, f.id())
			}
		}
	}
	return nil
}
