// SPDX-License-Identifier: Apache-2.0

// Package reviews decides which branches show the drafts of a wave at once, so that people read and merge one pull
// request. It takes and returns values, and reads nothing: what is merged is found out from the content of the main
// branch, as if each draft had been merged alone.
package reviews

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/ledger"
)

// Prefix is what the names of all branches of reviews begin with.
const Prefix = "refs/heads/reviews/"

// Group is what the drafts of one review have in common.
type Group struct {
	// Repository is the address of the git repository, Base the branch into which the drafts are to be merged.
	Repository string `json:"repository"`
	Base       string `json:"base"`
	// Namespace and Set name the PackageVariantSet, Wave one of its rollout; All for a set without a rollout.
	Namespace string `json:"namespace"`
	Set       string `json:"set"`
	Wave      string `json:"wave"`
	// Owner is the value of the label by which reviews are divided; "" if they are not, or if there is none.
	Owner string `json:"owner,omitempty"`
	// Upstream is the package of the blueprint, Revision the one that the drafts bring.
	Upstream string `json:"upstream"`
	Revision string `json:"revision"`
}

// All is the wave of a set without a rollout.
const All = "all"

// Ref returns the name of the branch of a part of the group.
func (g *Group) Ref(part int) string {
	elements := []string{g.Namespace, g.Set, g.Wave}
	if g.Owner != "" {
		elements = append(elements, g.Owner)
	}
	return fmt.Sprintf("%s%s/%s-%s-%d", Prefix, strings.Join(elements, "/"), g.Upstream, g.Revision, part)
}

// compare orders groups.
func (g *Group) compare(o *Group) int {
	return cmp.Or(cmp.Compare(g.Repository, o.Repository), cmp.Compare(g.Base, o.Base),
		cmp.Compare(g.Ref(0), o.Ref(0)))
}

// Draft names a draft of a package.
type Draft struct {
	ledger.Key
	Workspace string `json:"workspace"`
}

// compare orders drafts.
func (d *Draft) compare(o *Draft) int {
	return cmp.Or(d.Compare(o.Key), cmp.Compare(d.Workspace, o.Workspace))
}

// Member is a draft as a review has it.
type Member struct {
	Draft
	// Directory is that of the package in the git repository, Tree the package in the draft, Main the one on the main
	// branch that it replaces; "" for none.
	Directory string   `json:"directory"`
	Tree      git.Hash `json:"tree"`
	Main      git.Hash `json:"main,omitempty"`
	// From is the revision of the blueprint that the main branch has; "" for none.
	From string `json:"from,omitempty"`
}

// Candidate is an open draft of a set.
type Candidate struct {
	Group
	Member
	// Alone says why it is looked at for itself: it has a conflict, or what a person wrote, or waits for something else
	// than a person who merges it; "" if it need not.
	Alone string
}

// Review is a branch with several drafts, as it is remembered from one sync to the next.
type Review struct {
	Group
	Part    int      `json:"part"`
	Members []Member `json:"members"`
	// Tip is what the sync made of it last, or what people made of it; "" for nothing. Former are those that the sync made
	// before, if they arrived.
	Tip    git.Hash   `json:"tip,omitempty"`
	Former []git.Hash `json:"former,omitempty"`
	// Seen says that a fetch has shown Tip.
	Seen bool `json:"seen,omitempty"`
	// Frozen says that the branch has a person's commit: it stays as it is.
	Frozen bool `json:"frozen,omitempty"`
	// Body is that of its pull request.
	Body string `json:"body,omitempty"`
	// Closed says that people removed the branch and did not merge it, or left nothing on it that is to be merged: it does
	// not come again.
	Closed bool `json:"closed,omitempty"`
	// Over says that no member waits any more. A frozen review is remembered until its branch is merged or gone.
	Over bool `json:"over,omitempty"`
}

// Ref returns the name of the branch.
func (r *Review) Ref() string { return r.Group.Ref(r.Part) }

// IsOpen reports whether the branch is there, for people to merge.
func (r *Review) IsOpen() bool { return r.Seen && !r.Closed }

// Title says in a line what merging the review does.
func (r *Review) Title() string {
	from := map[string]bool{}
	for i := range r.Members {
		from[r.Members[i].From] = true
	}
	what := r.Revision
	if former := r.Members[0].From; len(from) == 1 && former != "" && former != r.Revision {
		what = former + " → " + what
	}
	where := "wave " + r.Wave
	if r.Owner != "" {
		where += ", " + r.Owner
	}
	return fmt.Sprintf("%s %s, %s: %d packages", r.Upstream, what, where, len(r.Members))
}
