// SPDX-License-Identifier: Apache-2.0

package forge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// PullRequest is one as its forge has it, from a branch of the repository itself.
type PullRequest struct {
	Number int
	// Branch is to be merged into Base.
	Branch, Base string
	// Title has no prefix that marks a draft.
	Title, Body string
	Draft       bool
	State       State
	// node is what GitHub's GraphQL calls it, reviewers are those that GitLab has by number.
	node      string
	reviewers []int
}

// State is what became of a pull request.
type State string

// The states.
const (
	Open   State = "open"
	Closed State = "closed"
	Merged State = "merged"
)

// change is what a pull request gets.
type change struct {
	title, body string
	// draft is whether it is marked as one, and marks whether that changes.
	draft, marks bool
	close        bool
	// labels and reviewers are added.
	labels, reviewers []string
}

// drafts are the prefixes of titles that make a draft, where a title does.
var drafts = map[Kind]*regexp.Regexp{
	GitLab: regexp.MustCompile(`^(?i:draft:|\[draft\]|\(draft\))\s*`), Gitea: regexp.MustCompile(`^(?i:wip:|\[wip\])\s*`),
}

// titled returns a title as it marks a draft, or does not.
func (r *Repository) titled(title string, draft bool) string {
	if prefix := map[Kind]string{GitLab: "Draft: ", Gitea: "WIP: "}[r.kind]; draft {
		return prefix + title
	}
	return title
}

// pull is a pull request in the words of the forges: those of GitHub and Gitea, and then those of GitLab alone.
type pull struct {
	Number   int    `json:"number"`
	Node     string `json:"node_id"`
	Title    string `json:"title"`
	Body     string `json:"body"`
	State    string `json:"state"`
	Draft    bool   `json:"draft"`
	MergedAt string `json:"merged_at"`
	Head     branch `json:"head"`
	Base     branch `json:"base"`

	IID         int    `json:"iid"`
	Description string `json:"description"`
	Source      string `json:"source_branch"`
	Target      string `json:"target_branch"`
	From        int    `json:"source_project_id"`
	To          int    `json:"target_project_id"`
	Reviewers   []struct {
		ID int `json:"id"`
	} `json:"reviewers"`
}

// branch is an end of a pull request. After a merge that removed it, only the label of Gitea has its name.
type branch struct {
	Label      string `json:"label"`
	Ref        string `json:"ref"`
	Repository *struct {
		Name string `json:"full_name"`
	} `json:"repo"`
}

// of returns the pull request; nil if its branch is not in the repository.
func (p *pull) of(kind Kind) *PullRequest {
	out := &PullRequest{Number: p.Number, Branch: p.Head.Ref, Base: p.Base.Ref, Title: p.Title, Body: p.Body,
		Draft: p.Draft, State: Closed, node: p.Node}
	own := p.Head.Repository != nil && p.Base.Repository != nil && p.Head.Repository.Name == p.Base.Repository.Name
	switch kind {
	case Gitea:
		out.Branch = p.Head.Label
	case GitLab:
		out.Number, out.Branch, out.Base, out.Body, own = p.IID, p.Source, p.Target, p.Description, p.From == p.To
	}
	if !own {
		return nil
	}
	switch {
	case p.MergedAt != "" || p.State == "merged":
		out.State = Merged
	case p.State != "closed": // GitLab has one that is locked while it is being merged
		out.State = Open
	}
	if prefix := drafts[kind]; prefix != nil {
		out.Title = prefix.ReplaceAllString(out.Title, "")
	}
	for _, reviewer := range p.Reviewers {
		out.reviewers = append(out.reviewers, reviewer.ID)
	}
	return out
}

// pulls is where the pull requests are.
func (r *Repository) pulls() *url.URL {
	return r.at("%s", cmp.Or(map[Kind]string{GitLab: "merge_requests"}[r.kind], "pulls"))
}

// pull is where one of them is.
func (r *Repository) pull(number int) *url.URL { return r.pulls().JoinPath(strconv.Itoa(number)) }

// Open returns the pull requests that are open.
func (r *Repository) Open(ctx context.Context) ([]PullRequest, error) {
	return r.list(ctx, url.Values{"state": {cmp.Or(map[Kind]string{GitLab: "opened"}[r.kind], "open")}})
}

// isEmpty reports whether an error is due to a repository in which Gitea has not noticed a push yet: it finds no pull
// requests there, and makes none.
func (r *Repository) isEmpty(ctx context.Context, err error) bool {
	var repository struct{ Empty bool }
	if r.kind != Gitea || !isStatus(err, http.StatusNotFound) {
		return false
	}
	_, err = r.call(ctx, http.MethodGet, r.at(""), nil, &repository)
	return err == nil && repository.Empty
}

// Ended returns the pull requests of a branch that are closed or merged.
func (r *Repository) Ended(ctx context.Context, branch string) ([]PullRequest, error) {
	owner, _, _ := strings.Cut(r.path, "/")
	query := map[Kind]url.Values{
		GitHub: {"state": {"closed"}, "head": {owner + ":" + branch}},
		GitLab: {"source_branch": {branch}},
		Gitea:  {"state": {"closed"}, "sort": {"recentupdate"}}, // by base and branch it shows one of them only
	}[r.kind]
	if r.kind == Gitea && r.ended != nil {
		return r.ended, nil
	}
	found, err := r.list(ctx, query)
	if err == nil && r.kind == Gitea {
		r.ended = append([]PullRequest{}, found...)
	}
	return found, err
}

// list returns the pull requests that a query finds, but those from elsewhere.
func (r *Repository) list(ctx context.Context, query url.Values) (all []PullRequest, err error) {
	found, err := list[pull](ctx, r.Forge, r.pulls(), query)
	for i := range found {
		if p := found[i].of(r.kind); p != nil {
			all = append(all, *p)
		}
	}
	if r.isEmpty(ctx, err) {
		err = nil
	}
	return all, err
}

// create opens a pull request for a branch. Where a repository has no drafts, it is none.
func (r *Repository) create(ctx context.Context, branch, base string, c *change) (*PullRequest, error) {
	fields := map[string]any{"head": branch, "base": base, "title": r.titled(c.title, c.draft), "body": c.body}
	switch {
	case r.kind == GitLab:
		fields = map[string]any{"source_branch": branch, "target_branch": base, "title": fields["title"],
			"description": c.body}
	case r.kind == GitHub && c.draft:
		fields["draft"] = true
	}
	var made pull
	_, err := r.call(ctx, http.MethodPost, r.pulls(), fields, &made)
	for try := 1; try < maxTries && r.isEmpty(ctx, err); try++ { // what was just pushed is noticed within seconds
		if err := r.sleep(ctx, pause); err != nil {
			return nil, err
		}
		_, err = r.call(ctx, http.MethodPost, r.pulls(), fields, &made)
	}
	if refusal, ok := errors.AsType[*Refusal](err); ok && refusal.Status == http.StatusUnprocessableEntity &&
		fields["draft"] == true && strings.Contains(refusal.Words, "raft pull request") {
		delete(fields, "draft")
		_, err = r.call(ctx, http.MethodPost, r.pulls(), fields, &made)
	}
	if err != nil {
		return nil, err
	}
	return made.of(r.kind), nil
}

// update changes a pull request. What asks for no more comes last: if something before fails, it is tried again.
func (r *Repository) update(ctx context.Context, p *PullRequest, c *change) error {
	draft := p.Draft
	if c.marks {
		draft = c.draft
	}
	title := r.titled(c.title, draft)
	if r.kind == GitLab {
		return r.updateMerge(ctx, p, c, map[string]any{"title": title, "description": c.body})
	}
	if len(c.labels) > 0 {
		if err := r.post(ctx, r.at("issues/%d/labels", p.Number), map[string]any{"labels": c.labels}); err != nil {
			return err
		}
	}
	if len(c.reviewers) > 0 {
		people, teams := split(c.reviewers)
		if err := r.post(ctx, r.pull(p.Number).JoinPath("requested_reviewers"),
			map[string]any{"reviewers": people, "team_reviewers": teams}); err != nil {
			return err
		}
	}
	if c.marks && r.kind == GitHub && draft != p.Draft {
		if err := r.mark(ctx, p, draft); err != nil {
			return err
		}
	}
	fields := map[string]any{"title": title, "body": c.body}
	if c.close {
		fields["state"] = "closed"
	}
	_, err := r.call(ctx, http.MethodPatch, r.pull(p.Number), fields, nil)
	return err
}

// updateMerge changes these fields of a merge request of GitLab, and what else changes.
func (r *Repository) updateMerge(ctx context.Context, p *PullRequest, c *change, fields map[string]any) error {
	if len(c.labels) > 0 {
		fields["add_labels"] = strings.Join(c.labels, ",")
	}
	if len(c.reviewers) > 0 {
		ids := slices.Clone(p.reviewers)
		for _, name := range c.reviewers {
			id, err := r.user(ctx, name)
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		slices.Sort(ids)
		fields["reviewer_ids"] = slices.Compact(ids)
	}
	if c.close {
		fields["state_event"] = "close"
	}
	_, err := r.call(ctx, http.MethodPut, r.pull(p.Number), fields, nil)
	return err
}

// user returns the number of a user of GitLab.
func (r *Repository) user(ctx context.Context, name string) (int, error) {
	at := r.api.JoinPath("users")
	at.RawQuery = url.Values{"username": {name}}.Encode()
	var found []struct {
		ID int `json:"id"`
	}
	if _, err := r.call(ctx, http.MethodGet, at, nil, &found); err != nil {
		return 0, err
	}
	if len(found) != 1 {
		return 0, fmt.Errorf("%s: there is no user %s", shown(http.MethodGet, at), name)
	}
	return found[0].ID, nil
}

// split returns the names of people, and those of teams, which are written with their organization.
func split(names []string) (people, teams []string) {
	people, teams = []string{}, []string{}
	for _, name := range names {
		if _, team, is := strings.Cut(name, "/"); is {
			teams = append(teams, team)
		} else {
			people = append(people, name)
		}
	}
	return people, teams
}

// mark has GitHub mark a pull request as a draft, or as none, for which its REST API has nothing.
func (r *Repository) mark(ctx context.Context, p *PullRequest, draft bool) error {
	what := "markPullRequestReadyForReview"
	if draft {
		what = "convertPullRequestToDraft"
	}
	return r.ask(ctx, "mutation($id: ID!) {"+what+"(input: {pullRequestId: $id}) {clientMutationId}}",
		map[string]any{"id": p.node}, nil)
}

// ask sends a query to GitHub's GraphQL API.
func (f *Forge) ask(ctx context.Context, query string, variables map[string]any, into any) error {
	at := f.root.JoinPath("api", "graphql")
	if f.api.Path == "" {
		at = f.api.JoinPath("graphql")
	}
	answer := struct {
		Data   any `json:"data"`
		Errors []struct {
			Message string `json:"message"`
		} `json:"errors"`
	}{Data: into}
	_, err := f.call(ctx, http.MethodPost, at, map[string]any{"query": query, "variables": variables}, &answer)
	if err == nil && len(answer.Errors) > 0 {
		err = &Refusal{shown(http.MethodPost, at), http.StatusOK, cut(answer.Errors[0].Message)}
	}
	return err
}

// say writes a comment on a pull request.
func (r *Repository) say(ctx context.Context, number int, text string) error {
	return r.post(ctx, r.comments(number), map[string]any{"body": text})
}

// comments is where the comments on a pull request are.
func (r *Repository) comments(number int) *url.URL {
	if r.kind == GitLab {
		return r.pull(number).JoinPath("notes")
	}
	return r.at("issues/%d/comments", number)
}

func (r *Repository) post(ctx context.Context, to *url.URL, value any) error {
	_, err := r.call(ctx, http.MethodPost, to, value, nil)
	return err
}

// reference is how the forge's Markdown refers to a pull request.
func (r *Repository) reference(number int) string {
	return fmt.Sprintf("%s%d", cmp.Or(map[Kind]string{GitLab: "!"}[r.kind], "#"), number)
}

// isStatus reports whether an error is a refusal with a status.
func isStatus(err error, status int) bool {
	refusal, ok := errors.AsType[*Refusal](err)
	return ok && refusal.Status == status
}
