// SPDX-License-Identifier: Apache-2.0

package home

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/ledger"
)

// Away returns what it means for the variant of a package, of which something was published, that the package is not on
// the branch; nil if it is there, or if that is not known.
func (h *Home) Away(ctx context.Context, namespace string, pkg revision.Package) *v1alpha1.Condition {
	h.mu.Lock()
	defer h.mu.Unlock()
	r, err := h.repository(namespace, pkg.Repo)
	if err != nil {
		return nil
	}
	m := member{r, pkg.Name}
	_, tree, err := r.branchOf(ctx, m.where())
	switch tag := r.latest(m.where()); {
	case err != nil || tree != "":
		return nil
	case r.refs[r.branch()].Hash == "":
		return new(v1alpha1.Stalled(v1alpha1.ReasonRepositoryReplaced, r.withoutBranch(m.where())))
	case tag > 0:
		return new(v1alpha1.Stalled(v1alpha1.ReasonLeftToPeople, fmt.Sprintf("%[1]s is not on the branch %[2]s of %[3]s any "+
			"more, and is not made again: to have it back, git checkout %[4]s/v%[5]d -- %[4]s, and commit that; if it is to "+
			"stay away, take the variant out of the manifests", pkg, r.Branch, r.git.Address(), quoted(m.where()), tag)))
	}
	return new(v1alpha1.Stalled(v1alpha1.ReasonRepositoryReplaced, fmt.Sprintf("%s has neither a directory %s on its "+
		"branch %s nor a tag of it, although the package was published: correct the address, the branch or the directory in "+
		"the manifest of the Repository %s, or bring the package there", r.git.Address(), m.where(), r.Branch, pkg.Repo)))
}

// withoutBranch says that the branch of a Repository is not there, for a package that was published.
func (r *repository) withoutBranch(where string) string {
	return fmt.Sprintf("%s has no branch %s, on which %s was published, but %s: correct the branch in the manifest of "+
		"the Repository %s, or restore it", r.git.Address(), r.Branch, where, someOf(r.otherBranches()), r.Name)
}

// moved says why a package waits whose Repository has another directory than before; "" if it does not, or if the
// package is there.
func (s *settling) moved(ctx context.Context, m member, e *ledger.Entry) (string, error) {
	was := strings.Trim(path.Join(e.Place.Directory, m.pkg), "/")
	if was == m.where() {
		return "", nil
	}
	_, main, err := m.in.branchOf(ctx, m.where())
	if err != nil {
		return "", err
	}
	left := m.in.draftsAt(was, e, main)
	why := fmt.Sprintf("the directory of the Repository %s was /%s, and is %s now, where %s does not have the package "+
		"%s: correct it in the manifest, or ", m.in.Name, strings.Trim(e.Place.Directory, "/"), m.in.Root(),
		m.in.git.Address(), m.pkg)
	switch here := main != "" && isKnown(e, main); {
	case !here && e.Published != nil:
		return why + fmt.Sprintf("move the package on the branch %s, too: git mv %s %s", m.in.Branch, quoted(was),
			quoted(m.where())), nil
	case !here && len(left) > 0:
		var branch []string
		for i := range left {
			branch = append(branch, strings.TrimPrefix(left[i].ref(), branches))
		}
		return why + "delete " + strings.Join(branch, ", ") + " to have it made there", nil
	}
	s.follow(m, main, left)
	return "", nil
}

// draftsAt returns where the drafts of a package are, by workspace, at a path that it had before, but for those that
// the branch has.
func (c *clone) draftsAt(was string, e *ledger.Entry, main git.Hash) (all []place) {
	for _, workspace := range slices.Sorted(maps.Keys(e.Drafts)) {
		p := place{path: was, workspace: workspace}
		if c.ref(p.ref()).Commit != "" && (main == "" || e.Drafts[workspace].Seen != main) {
			all = append(all, p)
		}
	}
	return all
}

// follow has a package be where its Repository has it now. The drafts that are left where it was belong to no variant
// any more.
func (s *settling) follow(m member, main git.Hash, left []place) {
	e := s.entry(m)
	maps.DeleteFunc(e.Drafts, func(_ string, draft ledger.Draft) bool { return main == "" || draft.Seen != main })
	for i := range left {
		s.leaveBranch(id{m.key(), left[i].workspace}, &left[i], m.in.ref(left[i].ref()).Commit,
			"the package is in another directory now")
	}
	s.put(m, &e)
}

// leaveBranch has it told that the branch of a draft stays, and belongs to no variant any more.
func (h *Home) leaveBranch(of id, p *place, commit git.Hash, because string) {
	h.left = append(h.left, fmt.Sprintf("%s/%s: its branch %s stays, at %s, because %s: it belongs to no variant any "+
		"more, so delete it when nobody needs it", of.Namespace, of.name(), strings.TrimPrefix(p.ref(), branches), commit,
		because))
}
