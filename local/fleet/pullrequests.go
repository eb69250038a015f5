// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/words"
	"github.com/package-variants/package-variants/local/forge"
	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/home"
)

// PullRequests say how a sync keeps the pull requests of a fleet.
type PullRequests struct {
	// Labels and Reviewers are asked for in each of them.
	Labels, Reviewers []string
	// MaxOpen is how many are open at once in a git repository.
	MaxOpen int
	// Forge says what the forge is, as forge.Find takes it; Env is the environment with the token.
	Forge string
	Env   forge.Env
}

// PullRequest is what a forge needs for the pull request of a draft. The body is Markdown.
type PullRequest struct {
	home.Branches
	Title string `json:"title"`
	Body  string `json:"body"`
	// Number is that of the open one; 0 if there is none, or if the sync keeps none.
	Number int `json:"number,omitempty"`
	// Of is what it is about, as forge.Wanted has it; "" for its title. Covers are the branches whose changes it has.
	Of     string   `json:"-"`
	Covers []string `json:"-"`
	// Draft is the name of the draft whose readiness gates have to be met before it is merged; "" for none.
	Draft string `json:"-"`
}

// Asked is what was done about a pull request in a git repository.
type Asked struct {
	Repository string `json:"repository"`
	forge.Outcome
}

// wanted are the pull requests that are wanted, those that are opened first at the beginning: of removals, reviews and
// drafts, but of no draft that another one covers. Namespaces are those of the drafts.
func (r *Report) wanted() (all []*PullRequest, namespaces map[*PullRequest]string) {
	namespaces = map[*PullRequest]string{}
	for _, removal := range r.Removals {
		all = append(all, removal.PullRequest)
	}
	for _, review := range r.Reviews {
		all = append(all, review.PullRequest)
	}
	covered := map[string]bool{}
	for _, of := range all {
		for _, branch := range of.Covers {
			covered[of.Repository+" "+branch] = true
		}
	}
	for _, l := range r.Variants {
		if of := l.PullRequest; of != nil && !covered[of.Repository+" "+of.Branch] {
			all = append(all, of)
			namespaces[of] = l.Namespace
		}
	}
	return all, namespaces
}

// keepPullRequests opens, updates and closes pull requests until they are as wanted in each git repository of which all
// is known.
func (s *syncer) keepPullRequests(ctx context.Context) {
	r := &s.report
	on, err := forge.Find(ctx, cmp.Or(s.where.remote, s.branch.address), s.PullRequests.Forge, s.PullRequests.Env)
	if err != nil {
		r.Refused = append(r.Refused, "the pull requests: "+err.Error())
		return
	}
	asked, gone := map[string][]*PullRequest{}, s.gone()
	all, namespaces := r.wanted()
	for _, of := range all {
		asked[of.Repository] = append(asked[of.Repository], of)
	}
	var elsewhere []string
	for _, address := range r.Repositories {
		in, err := on.Repository(s.contacts.rewrites.Apply(address))
		switch {
		case err == nil:
			s.keepIn(ctx, in, address, asked[address], gone[address], namespaces)
		case len(asked[address]) > 0:
			elsewhere = append(elsewhere, err.Error())
		}
	}
	if len(elsewhere) > 0 {
		r.note("there are no pull requests in %d git repositories: %s", len(elsewhere), words.Some(elsewhere, "; "))
	}
}

// gone returns the branches that the sync has removed though nobody merged or rejected them, by git repositories.
func (s *syncer) gone() map[string][]string {
	all := map[string][]string{}
	for key, happened := range s.happened {
		for _, e := range happened {
			settled := slices.ContainsFunc(happened, func(o home.Event) bool {
				return o.Workspace == e.Workspace && slices.Contains(isSettled, o.Did)
			})
			if e.Did == home.Ended && !settled {
				in := s.home.BranchesOf(&revision.Revision{Namespace: key.Namespace, Package: key.Of()}).Repository
				all[in] = append(all[in], e.Branch)
			}
		}
	}
	return all
}

// keepIn does so in one git repository.
func (s *syncer) keepIn(ctx context.Context, in *forge.Repository, address string, asked []*PullRequest, gone []string,
	namespaces map[*PullRequest]string) {
	r, how := &s.report, s.PullRequests
	wanted := make([]forge.Wanted, len(asked))
	for i, of := range asked {
		wanted[i] = forge.Wanted{Branch: of.Branch, Base: of.Base, Title: of.Title, Body: of.Body, Of: of.Of,
			Covers: of.Covers, Draft: s.isGated(ctx, namespaces[of], of.Draft), Labels: how.Labels, Reviewers: how.Reviewers}
	}
	came := in.Sync(ctx, s.id, wanted, gone, how.MaxOpen)
	for _, did := range came.Done {
		r.PullRequests = append(r.PullRequests, Asked{address, did})
	}
	for _, of := range asked {
		of.Number = came.Numbers[of.Branch]
	}
	for _, err := range came.Refused {
		r.Refused = append(r.Refused, err.Error())
	}
	if came.Left > 0 {
		r.note("%s: %d more pull requests wait until fewer than %d are open (--max-open)", git.Shown(address), came.Left,
			how.MaxOpen)
	}
}

// isGated reports whether a draft has readiness gates that are not met. One that cannot be read has none.
func (s *syncer) isGated(ctx context.Context, namespace, draft string) bool {
	if draft == "" {
		return false
	}
	content, err := s.home.Read(ctx, namespace, draft)
	if err != nil {
		return false
	}
	gates, err := kpt.UnmetGates(content.Files)
	return err == nil && len(gates) > 0
}

// String says what was done about a pull request.
func (a *Asked) String() string {
	return fmt.Sprintf("pull request %d of %s was %s: %s", a.Number, git.Shown(a.Repository), a.Did, a.Title)
}
