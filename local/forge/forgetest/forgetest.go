// SPDX-License-Identifier: Apache-2.0

// Package forgetest has a forge for tests: pull requests in memory, behind the part of the API of GitHub, GitLab or
// Gitea that their documentation gives for them:
//
//   - https://docs.github.com/rest/pulls/pulls, /rest/pulls/review-requests, /rest/issues/labels,
//     /rest/issues/comments, and https://docs.github.com/graphql/reference/mutations
//   - https://docs.gitlab.com/api/merge_requests, /api/notes, /api/users
//   - https://docs.gitea.com/api, with what a real one answers after a branch was removed
package forgetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/cgi" //nolint:gosec // in tests only, and not with a Go so old that it is vulnerable
	"net/http/httptest"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/package-variants/package-variants/local/forge"
)

// Token is the only one that the forge takes.
const Token = "s3cret"

// Account is whose the token is.
const Account = "fleet-bot"

// Pull is a pull request.
type Pull struct {
	Repository        string
	Number            int
	Branch, Base      string
	Title, Body       string
	State             forge.State
	Draft, Fork       bool
	Labels, Reviewers []string
	Comments          []Comment
}

// Comment is what somebody has said.
type Comment struct {
	ID       int
	By, Text string
}

// Forge is a forge.
type Forge struct {
	*httptest.Server
	Kind forge.Kind
	// PageSize is how many items a page has at most; Refuse may refuse a request of a method and a path with a status and
	// words.
	PageSize int
	Refuse   func(method, path string) (status int, words string)

	git    http.Handler
	mu     sync.Mutex
	pulls  []*Pull
	writes []string
	last   int
}

// New starts a forge, which ends with the test.
func New(t testing.TB, kind forge.Kind) *Forge {
	f := &Forge{Kind: kind, PageSize: 100}
	f.Server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(f.Close)
	return f
}

// Env returns the environment of a user who has the token.
func (f *Forge) Env(name string) string {
	if name == map[forge.Kind]string{forge.GitHub: "GITHUB_TOKEN", forge.GitLab: "GITLAB_TOKEN",
		forge.Gitea: "GITEA_TOKEN"}[f.Kind] {
		return Token
	}
	return ""
}

// ServeGit serves the bare git repositories below a directory, whose names end with .git, for reading and writing.
func (f *Forge) ServeGit(t testing.TB, root string) {
	t.Helper()
	path, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.git = &cgi.Handler{Path: filepath.Join(strings.TrimSpace(string(path)), "git-http-backend"), Env: []string{
		"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=" + Account}}
}

// Setting is what --forge says of it.
func (f *Forge) Setting() string { return string(f.Kind) + "=" + f.URL }

// Add adds a pull request of a person.
func (f *Forge) Add(p Pull) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.add(&p)
}

func (f *Forge) add(p *Pull) *Pull {
	f.last++
	p.Number, p.State = f.last, forge.Open
	f.pulls = append(f.pulls, p)
	return p
}

// Change changes a pull request, as people do.
func (f *Forge) Change(number int, change func(*Pull)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f.find(number))
}

// Pulls returns all pull requests.
func (f *Forge) Pulls() (all []Pull) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.pulls {
		all = append(all, *p)
	}
	return all
}

// Writes returns what was written since it was asked last: methods and paths below the API.
func (f *Forge) Writes() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.writes
	f.writes = nil
	return all
}

func (f *Forge) find(number int) *Pull {
	at := slices.IndexFunc(f.pulls, func(p *Pull) bool { return p.Number == number })
	if at < 0 {
		return nil
	}
	return f.pulls[at]
}

var (
	ofPulls    = regexp.MustCompile(`^(?:repos/(.+)/pulls|projects/([^/]+)/merge_requests)$`)
	ofPull     = regexp.MustCompile(`^(?:repos/.+/pulls|projects/[^/]+/merge_requests)/(\d+)$`)
	ofLabels   = regexp.MustCompile(`^repos/.+/issues/(\d+)/labels$`)
	ofReviews  = regexp.MustCompile(`^repos/.+/pulls/(\d+)/requested_reviewers$`)
	ofComments = regexp.MustCompile(`^(?:repos/.+/issues|projects/[^/]+/merge_requests)/(\d+)/(?:comments|notes)$`)
	ofComment  = regexp.MustCompile(`^(?:repos/.+/issues/comments|projects/[^/]+/merge_requests/\d+/notes)/(\d+)$`)
)

// serve answers a request.
func (f *Forge) serve(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	if git := f.git; strings.Contains(r.URL.Path, ".git/") && git != nil {
		f.mu.Unlock()
		git.ServeHTTP(w, r)
		return
	}
	defer f.mu.Unlock()
	api := map[forge.Kind]string{forge.GitHub: "/api/v3/", forge.GitLab: "/api/v4/", forge.Gitea: "/api/v1/"}[f.Kind]
	path, below := strings.CutPrefix(r.URL.EscapedPath(), api)
	if !below && r.URL.Path == "/api/graphql" && f.Kind == forge.GitHub {
		path, below = "graphql", true
	}
	open := map[forge.Kind]string{forge.GitHub: "meta", forge.Gitea: "version"}[f.Kind] == path
	switch {
	case !below:
		f.answer(w, http.StatusNotFound, map[string]any{"message": "404 Not Found"})
		return
	case r.Header.Get("Authorization") != "Bearer "+Token && !open:
		f.answer(w, http.StatusUnauthorized, map[string]any{"message": "401 Unauthorized"})
		return
	}
	if f.Refuse != nil {
		if status, words := f.Refuse(r.Method, path); status != 0 {
			f.answer(w, status, map[string]any{"message": words})
			return
		}
	}
	fields := map[string]any{}
	if r.Method != http.MethodGet {
		if err := json.NewDecoder(r.Body).Decode(&fields); err != nil {
			f.answer(w, http.StatusBadRequest, map[string]any{"message": err.Error()})
			return
		}
		if query, _ := fields["query"].(string); !strings.HasPrefix(query, "{") {
			f.writes = append(f.writes, r.Method+" "+path)
		}
	}
	f.route(w, r, path, fields)
}

// route answers a request that is allowed.
func (f *Forge) route(w http.ResponseWriter, r *http.Request, path string, fields map[string]any) {
	number := func(of *regexp.Regexp) *Pull {
		if at := of.FindStringSubmatch(path); at != nil {
			n, _ := strconv.Atoi(at[1]) // digits
			return f.find(n)
		}
		return nil
	}
	if at := ofPulls.FindStringSubmatch(path); at != nil {
		repository, _ := url.PathUnescape(at[1] + at[2])
		if r.Method == http.MethodGet {
			f.page(w, r, f.list(repository, r.URL.Query()))
		} else {
			f.create(w, repository, fields)
		}
	} else if p := number(ofPull); p != nil {
		f.edit(p, fields)
		f.answer(w, http.StatusOK, f.shown(p))
	} else if p := number(ofLabels); p != nil {
		p.Labels = append(p.Labels, texts(fields["labels"])...)
		f.answer(w, http.StatusOK, []any{})
	} else if p := number(ofReviews); p != nil {
		p.Reviewers = append(append(p.Reviewers, texts(fields["reviewers"])...), texts(fields["team_reviewers"])...)
		f.answer(w, http.StatusCreated, f.shown(p))
	} else if p := number(ofComments); p != nil {
		f.comments(w, r, p, fields)
	} else if at := ofComment.FindStringSubmatch(path); at != nil {
		f.recomment(w, at[1], fields)
	} else {
		f.rest(w, r, path, fields)
	}
}

// rest answers what is about no pull request, or asks GraphQL.
func (f *Forge) rest(w http.ResponseWriter, r *http.Request, path string, fields map[string]any) {
	switch path {
	case "version", "meta":
		f.answer(w, http.StatusOK, map[string]any{"version": "1"})
	case "user":
		f.answer(w, http.StatusOK, person(Account))
	case "users": // of GitLab: the number of a user is as long as the name
		name := r.URL.Query().Get("username")
		f.answer(w, http.StatusOK, []any{map[string]any{"id": len(name), "username": name}})
	case "graphql":
		variables, _ := fields["variables"].(map[string]any)
		id, _ := variables["id"].(string)
		n, _ := strconv.Atoi(strings.TrimPrefix(id, "PR_"))
		if p := f.find(n); p != nil {
			p.Draft = strings.Contains(fmt.Sprint(fields["query"]), "convertPullRequestToDraft")
		}
		f.answer(w, http.StatusOK, map[string]any{"data": map[string]any{"viewer": person(Account)}})
	default:
		f.answer(w, http.StatusNotFound, map[string]any{"message": "404 Not Found"})
	}
}

// list returns the pull requests that a query asks for.
func (f *Forge) list(repository string, query url.Values) (all []any) {
	state := query.Get("state")
	for _, p := range f.pulls {
		isOpen := p.State == forge.Open
		branch := query.Get("source_branch")
		if _, of, ok := strings.Cut(query.Get("head"), ":"); ok {
			branch = of
		}
		if p.Repository != repository || branch != "" && p.Branch != branch || state == "closed" && isOpen ||
			(state == "open" || state == "opened" || state == "" && f.Kind == forge.GitHub) && !isOpen {
			continue
		}
		all = append(all, f.shown(p))
	}
	return all
}

// page answers with a page of a list, and says whether there are more.
func (f *Forge) page(w http.ResponseWriter, r *http.Request, all []any) {
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	from := min(f.PageSize*(max(page, 1)-1), len(all))
	to := min(from+f.PageSize, len(all))
	if to < len(all) && f.Kind == forge.GitLab {
		w.Header().Set("X-Next-Page", strconv.Itoa(page+1))
	} else if to < len(all) {
		w.Header().Set("Link", `<https://elsewhere.example.com/>; rel="next"`)
	}
	f.answer(w, http.StatusOK, append([]any{}, all[from:to]...))
}

// create opens a pull request: one at most for a branch.
func (f *Forge) create(w http.ResponseWriter, repository string, fields map[string]any) {
	text := func(name string) string { s, _ := fields[name].(string); return s }
	p := &Pull{Repository: repository, Branch: text("head") + text("source_branch"),
		Base: text("base") + text("target_branch")}
	for _, other := range f.pulls {
		if other.Repository == repository && other.Branch == p.Branch && !other.Fork && other.State == forge.Open {
			f.answer(w, http.StatusConflict, map[string]any{"message": []string{"Another open one already exists"}})
			return
		}
	}
	f.edit(f.add(p), fields)
	f.answer(w, http.StatusCreated, f.shown(p))
}

// prefixes begin the titles of drafts, where the title makes one.
var prefixes = map[forge.Kind]string{forge.GitLab: "Draft: ", forge.Gitea: "WIP: "}

// edit changes a pull request by the fields that are there.
func (f *Forge) edit(p *Pull, fields map[string]any) {
	for name, value := range fields {
		text := fmt.Sprint(value)
		switch name {
		case "title":
			if p.Title = text; prefixes[f.Kind] != "" {
				p.Draft = strings.HasPrefix(text, prefixes[f.Kind])
			}
		case "body", "description":
			p.Body = text
		case "draft": // on GitHub, when it is opened
			p.Draft = value == true && f.Kind == forge.GitHub
		case "state", "state_event":
			p.State = forge.Closed
		case "add_labels":
			p.Labels = append(p.Labels, strings.Split(text, ",")...)
		case "reviewer_ids":
			p.Reviewers = texts(value)
		}
	}
}

// shown returns a pull request as the API has it.
func (f *Forge) shown(p *Pull) any {
	from := p.Repository
	if p.Fork {
		from = "stranger/fork"
	}
	if f.Kind == forge.GitLab {
		state := string(p.State)
		if p.State == forge.Open {
			state = "opened"
		}
		var reviewers []any
		for _, id := range p.Reviewers {
			n, _ := strconv.Atoi(id)
			reviewers = append(reviewers, map[string]any{"id": n})
		}
		return map[string]any{"iid": p.Number, "title": p.Title, "description": p.Body, "state": state, "draft": p.Draft,
			"source_branch": p.Branch, "target_branch": p.Base, "source_project_id": len(from),
			"target_project_id": len(p.Repository), "reviewers": reviewers}
	}
	state, ref, label := "open", p.Branch, "acme:"+p.Branch
	var merged any
	if p.State != forge.Open {
		state = "closed"
	}
	if p.State == forge.Merged {
		merged = "2026-01-02T03:04:05Z"
	}
	if f.Kind == forge.Gitea {
		if label = p.Branch; merged != nil {
			ref = fmt.Sprintf("refs/pull/%d/head", p.Number)
		}
	}
	return map[string]any{"number": p.Number, "node_id": fmt.Sprintf("PR_%d", p.Number), "title": p.Title, "body": p.Body,
		"state": state, "draft": p.Draft, "merged_at": merged,
		"head": map[string]any{"label": label, "ref": ref, "repo": map[string]any{"full_name": from}},
		"base": map[string]any{"label": p.Base, "ref": p.Base, "repo": map[string]any{"full_name": p.Repository}}}
}

// comments lists the comments on a pull request, or adds one.
func (f *Forge) comments(w http.ResponseWriter, r *http.Request, p *Pull, fields map[string]any) {
	if r.Method != http.MethodGet {
		f.last++
		p.Comments = append(p.Comments, Comment{f.last, Account, fmt.Sprint(fields["body"])})
		f.answer(w, http.StatusCreated, map[string]any{"id": f.last})
		return
	}
	var all []any
	for _, c := range p.Comments {
		all = append(all, map[string]any{"id": c.ID, "body": c.Text, "user": person(c.By), "author": person(c.By)})
	}
	f.page(w, r, all)
}

// recomment changes a comment.
func (f *Forge) recomment(w http.ResponseWriter, id string, fields map[string]any) {
	for _, p := range f.pulls {
		for i := range p.Comments {
			if strconv.Itoa(p.Comments[i].ID) == id {
				p.Comments[i].Text = fmt.Sprint(fields["body"])
			}
		}
	}
	f.answer(w, http.StatusOK, map[string]any{})
}

func person(name string) any { return map[string]any{"login": name, "username": name} }

// texts returns the texts, or the numbers, of a list.
func texts(list any) (all []string) {
	some, _ := list.([]any)
	for _, one := range some {
		all = append(all, fmt.Sprint(one))
	}
	return all
}

func (f *Forge) answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // to a client that may be gone
}
