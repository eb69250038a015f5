// SPDX-License-Identifier: Apache-2.0

package home

import (
	"context"
	"fmt"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/words"
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
	if err != nil || tree != "" {
		return nil
	}
	gone := ""
	if rest, err := r.at(r.refs[r.branch()].Commit, m.where()); err == nil && rest != "" {
		gone = "/" + kptfile // other files may have changed
	}
	tag := r.latest(m.where())
	from := words.Quoted(fmt.Sprintf("%s/v%d", m.where(), tag))
	switch {
	case r.refs[r.branch()].Hash == "":
		return new(v1alpha1.Stalled(v1alpha1.ReasonRepositoryReplaced, r.withoutBranch(m.where())))
	case tag > 0:
		return new(v1alpha1.Stalled(v1alpha1.ReasonLeftToPeople, fmt.Sprintf("%s%s is not on the branch %s of %s any more, "+
			"and is not made again: to have it back, git checkout %s -- %s, and commit that; if it is to stay away, take the "+
			"variant out of the manifests", pkg, gone, r.Branch, r.git.Address(), from, words.Quoted(m.where()+gone))))
	case r.isAccepted():
		return new(v1alpha1.Stalled(v1alpha1.ReasonLeftToPeople, fmt.Sprintf("%s is not on the branch %s of %s, which was "+
			"accepted so, and is not made again: bring it there, or take the variant out of the manifests", pkg, r.Branch,
			r.git.Address())))
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
