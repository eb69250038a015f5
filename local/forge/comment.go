// SPDX-License-Identifier: Apache-2.0

package forge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/package-variants/package-variants/engine/markdown"
	"github.com/package-variants/package-variants/engine/revision"
)

// Job is the pull request for which a job of a forge runs.
type Job struct {
	*Repository
	number int
}

// pullRef is the ref that actions of GitHub and Gitea check out for a pull request.
var pullRef = regexp.MustCompile(`^refs/pull/([0-9]+)/`)

// JobOf returns the pull request whose job this is, by what GitHub Actions, GitLab CI and Gitea Actions set in the
// environment, with the token that is there. The error says what is missing.
func JobOf(env Env) (*Job, error) {
	kind, start := jobs(env)
	path, number := env("GITHUB_REPOSITORY"), ""
	if at := pullRef.FindStringSubmatch(env("GITHUB_REF")); at != nil {
		number = at[1]
	}
	if kind == GitLab {
		path, number = cmp.Or(env("CI_MERGE_REQUEST_PROJECT_PATH"), env("CI_PROJECT_PATH")), env("CI_MERGE_REQUEST_IID")
	}
	n, err := strconv.Atoi(number)
	if start == nil || path == "" || err != nil || n < 1 {
		return nil, errors.New("this is no job of a pull request on GitHub, GitLab or Gitea, which --comment is for")
	}
	address := start.JoinPath(path).String()
	a, err := revision.ParseAddress(address)
	if err != nil {
		return nil, err
	}
	f := newForge(kind, start, a)
	r, err := f.Repository(address)
	if err != nil {
		return nil, err
	}
	return &Job{r, n}, f.authorize(env)
}

// comment is a comment on a pull request; GitLab calls whose it is author, the others user.
type comment struct {
	ID     int    `json:"id"`
	Body   string `json:"body"`
	User   person `json:"user"`
	Author person `json:"author"`
}

type person struct {
	Login    string `json:"login"`
	Username string `json:"username"`
}

func (p person) name() string { return cmp.Or(p.Login, p.Username) }

// Comment makes a text, which is Markdown, the one comment that is kept on the pull request about a subject. Only a
// comment of the token's own account is taken for it: anybody may write what looks like one.
func (j *Job) Comment(ctx context.Context, subject, text string) error {
	mark := "<!-- variants plan " + digest(subject) + " -->"
	text = markdown.Cut(text, maxBody) + "\n" + mark + "\n"
	comments, err := list[comment](ctx, j.Forge, j.comments(j.number), map[string][]string{})
	if err != nil {
		return err
	}
	me := ""
	for i := range comments {
		c := &comments[i]
		if !strings.Contains(c.Body, mark) {
			continue
		}
		if me == "" {
			if me, err = j.account(ctx); err != nil {
				return err
			}
		}
		if by := cmp.Or(c.User.name(), c.Author.name()); by != me && by != me+"[bot]" { // as an app is called, and no user
			continue
		}
		if plain(c.Body) == plain(text) {
			return nil
		}
		return j.rewrite(ctx, c.ID, text)
	}
	return j.say(ctx, j.number, text)
}

// rewrite replaces the text of a comment.
func (j *Job) rewrite(ctx context.Context, id int, text string) error {
	method, at := http.MethodPatch, j.at("issues/comments/%d", id)
	if j.kind == GitLab {
		method, at = http.MethodPut, j.comments(j.number).JoinPath(strconv.Itoa(id))
	}
	_, err := j.call(ctx, method, at, map[string]any{"body": text}, nil)
	return err
}

// account returns the name of the account that has the token. GitHub tells it to the tokens of jobs in GraphQL only.
func (j *Job) account(ctx context.Context) (string, error) {
	var me person
	if j.kind == GitHub {
		var data struct {
			Viewer person `json:"viewer"`
		}
		err := j.ask(ctx, "{viewer {login}}", nil, &data)
		return data.Viewer.Login, named(err, data.Viewer)
	}
	_, err := j.call(ctx, http.MethodGet, j.api.JoinPath("user"), nil, &me)
	return me.name(), named(err, me)
}

// named returns an error, also if an account has no name.
func named(err error, p person) error {
	if err == nil && p.name() == "" {
		err = fmt.Errorf("the forge does not say whose the token is")
	}
	return err
}
