// SPDX-License-Identifier: Apache-2.0

// Package forge opens, updates and closes pull requests on the forge that has the git repositories of a fleet: GitHub,
// GitLab (where they are merge requests), or Gitea, and Forgejo, which is like it. What a forge answers is somebody
// else's text: it is bounded, decides about nothing but the pull requests that it describes, and is never shown as it
// is.
package forge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git"
)

// Kind is what a forge runs.
type Kind string

// The kinds. Forgejo is Gitea.
const (
	GitHub Kind = "github"
	GitLab Kind = "gitlab"
	Gitea  Kind = "gitea"
)

// apis are where the API begins below the root of a server.
var apis = map[Kind]string{GitHub: "/api/v3", GitLab: "/api/v4", Gitea: "/api/v1"}

// hosts are those whose kind is known.
var hosts = map[string]Kind{"github.com": GitHub, "gitlab.com": GitLab, "gitea.com": Gitea, "codeberg.org": Gitea}

// tokens are the environment variables that have the token for a kind: the first one that is set.
var tokens = map[Kind][]string{GitHub: {"GITHUB_TOKEN", "GH_TOKEN"}, GitLab: {"GITLAB_TOKEN"},
	Gitea: {"GITEA_TOKEN", "FORGEJO_TOKEN"}}

// Env returns the value of an environment variable, as os.Getenv does.
type Env func(name string) string

// Forge is the server of a fleet's own git repository. It and its token are for git repositories on the same host only.
type Forge struct {
	kind Kind
	// root is where its pages begin, api its API.
	root, api *url.URL
	// git is the address of the fleet's own git repository.
	git    revision.Address
	token  string
	client *http.Client
	// sleep waits before a call is repeated.
	sleep func(context.Context, time.Duration) error
}

// Find returns the forge that has the git repository with the address of a fleet. The setting says what it is, as
// KIND or KIND=URL, where the URL is that of its start page; "" to find out by host, by the job that runs, or by asking
// the host, which does not get the token. The token is in the environment.
func Find(ctx context.Context, address, setting string, env Env) (*Forge, error) {
	a, err := revision.ParseAddress(address)
	if err != nil || a.IsLocal() || a.Host == "" {
		return nil, fmt.Errorf("%s is on no forge", git.Shown(address))
	}
	kind, page, _ := strings.Cut(setting, "=")
	root := &url.URL{Scheme: "https", Host: a.Host}
	isWeb := a.Scheme == "http" || a.Scheme == "https"
	if isWeb {
		root.Scheme, root.Host = a.Scheme, hostPort(&a)
	}
	ofJob, start := jobs(env)
	if start != nil && (start.Host == root.Host || !isWeb && start.Hostname() == strings.Trim(a.Host, "[]")) {
		kind, root = cmp.Or(kind, string(ofJob)), start
	}
	if page != "" {
		if root, err = parseRoot(page); err != nil {
			return nil, fmt.Errorf("--forge: %w", err)
		}
	}
	f := newForge(cmp.Or(Kind(kind), hosts[a.Host]), root, a)
	if f.kind == "" {
		if err := f.probe(ctx); err != nil {
			return nil, err
		}
	}
	return f, f.authorize(env)
}

// CheckSetting returns why a setting cannot be given to Find.
func CheckSetting(setting string) error {
	kind, page, hasPage := strings.Cut(setting, "=")
	if _, known := apis[Kind(kind)]; setting != "" && !known {
		return fmt.Errorf("--forge %q is none of github, gitlab and gitea, with =URL if its pages are elsewhere than the "+
			"git repositories", setting)
	}
	if !hasPage {
		return nil
	}
	if _, err := parseRoot(page); err != nil {
		return fmt.Errorf("--forge: %w", err)
	}
	return nil
}

// parseRoot parses the URL of a forge's start page. The error does not have it.
func parseRoot(page string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(page, "/"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return nil, errors.New("the URL of a forge is that of its start page, such as https://git.example.com")
	}
	return u, nil
}

// newForge returns a forge without a token.
func newForge(kind Kind, root *url.URL, git revision.Address) *Forge {
	f := &Forge{root: root, git: git, client: newClient(), sleep: sleep}
	f.is(kind)
	return f
}

// is sets what the forge is.
func (f *Forge) is(kind Kind) {
	f.kind = kind
	if f.api = f.root.JoinPath(apis[kind]); kind == GitHub && f.root.Host == "github.com" {
		f.api = &url.URL{Scheme: "https", Host: "api.github.com"}
	}
}

// hostPort returns the host of an address with its port, if it has one.
func hostPort(a *revision.Address) string {
	if a.Port != "" {
		return a.Host + ":" + a.Port
	}
	return a.Host
}

// authorize takes the token from the environment.
func (f *Forge) authorize(env Env) error {
	names := tokens[f.kind]
	if ofJob, start := jobs(env); f.kind == Gitea && ofJob == Gitea && start.Host == f.root.Host {
		names = append(slices.Clone(names), "GITHUB_TOKEN") // as actions of Gitea have it
	}
	for _, name := range names {
		if f.token = strings.TrimSpace(env(name)); f.token != "" {
			return nil
		}
	}
	return fmt.Errorf("there is no token for %s: set %s", f.root.Host, names[0])
}

// jobs returns the kind of the forge whose job this is, and its start page; nil if it is none.
func jobs(env Env) (Kind, *url.URL) {
	of, page := GitLab, env("CI_SERVER_URL")
	if env("GITHUB_ACTIONS") == "true" {
		if of, page = GitHub, env("GITHUB_SERVER_URL"); env("GITEA_ACTIONS") == "true" || env("FORGEJO_ACTIONS") == "true" {
			of = Gitea
		}
	}
	start, err := parseRoot(page)
	if err != nil {
		return "", nil
	}
	return of, start
}

// probe asks the host what it is, without a token.
func (f *Forge) probe(ctx context.Context) error {
	for _, ask := range []struct {
		kind Kind
		path string
		// refuses is whether it may answer that one has to log in.
		refuses bool
	}{{Gitea, "/version", false}, {GitLab, "/version", true}, {GitHub, "/meta", true}} {
		f.is(ask.kind)
		answer, err := f.send(ctx, http.MethodGet, f.api.JoinPath(ask.path), nil)
		if err != nil {
			return err
		}
		isJSON := strings.HasPrefix(answer.header.Get("Content-Type"), "application/json")
		if isJSON && (answer.status == http.StatusOK || ask.refuses && answer.status == http.StatusUnauthorized) {
			return nil
		}
	}
	return fmt.Errorf("%s does not say which forge it is: name it by --forge", f.root.Host)
}

// Repository is a git repository on a forge.
type Repository struct {
	*Forge
	// path is what the forge calls it, such as acme/fleet.
	path string
	// ended are the pull requests that are not open, once they were read where only all can be.
	ended []PullRequest
}

// Repository returns the git repository with an address. The error says that it is elsewhere.
func (f *Forge) Repository(address string) (*Repository, error) {
	a, err := revision.ParseAddress(address)
	if err != nil || a.IsLocal() || a.Host != f.git.Host || a.Scheme == f.git.Scheme && a.Port != f.git.Port {
		return nil, fmt.Errorf("%s is not on %s, which has the fleet's own git repository, and for which the token is",
			git.Shown(address), hostPort(&f.git))
	}
	path := strings.TrimPrefix(a.Path, strings.TrimPrefix(f.root.Path+"/", "/"))
	parts := strings.Split(path, "/")
	if len(parts) < 2 || f.kind != GitLab && len(parts) != 2 || slices.ContainsFunc(parts, unfit) {
		return nil, fmt.Errorf("%s is no repository of %s: its path is not OWNER/NAME", git.Shown(address), f.kind)
	}
	return &Repository{Forge: f, path: path}, nil
}

// unfit reports whether a part of a path may lead elsewhere.
func unfit(part string) bool {
	return strings.Trim(part, ".") == "" || strings.ContainsAny(part, "%?#\\")
}

// at returns a URL of the API below the repository.
func (r *Repository) at(format string, args ...any) *url.URL {
	if r.kind == GitLab {
		return r.api.JoinPath("projects", url.PathEscape(r.path), fmt.Sprintf(format, args...))
	}
	return r.api.JoinPath("repos", r.path, fmt.Sprintf(format, args...))
}
