// SPDX-License-Identifier: Apache-2.0

package forge

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/package-variants/package-variants/local/fleet"
	"github.com/package-variants/package-variants/local/fleet/fleettest"
	"github.com/package-variants/package-variants/local/forge"
)

// world is a fleet on a Gitea.
type world struct {
	*fleettest.World
	gitea *gitea
	// address is that of the git repository, without the token, which git gets by its configuration.
	address string
	// by says which drafts are shown by one branch.
	by *fleet.ReviewBy
}

// newWorld returns a fleet whose first push makes the repository.
func newWorld(t *testing.T, manifests string) *world {
	t.Helper()
	g := startGitea(t)
	w := &world{World: fleettest.New(t, manifests), gitea: g, address: g.url + "/ada/fleet.git"}
	n, _ := strconv.Atoi(os.Getenv("GIT_CONFIG_COUNT")) // as the tests of git have set it
	t.Setenv("GIT_CONFIG_COUNT", strconv.Itoa(n+1))
	t.Setenv(fmt.Sprintf("GIT_CONFIG_KEY_%d", n), "http."+g.url+"/.extraHeader")
	t.Setenv(fmt.Sprintf("GIT_CONFIG_VALUE_%d", n), "Authorization: Basic "+
		base64.StdEncoding.EncodeToString([]byte("ada:"+g.token)))
	g.api(http.MethodPost, "user/repos", map[string]any{"name": "fleet", "default_branch": "main"}, nil)
	g.api(http.MethodPut, "repos/ada/fleet/collaborators/berta", map[string]any{"permission": "write"}, nil)
	g.api(http.MethodPost, "repos/ada/fleet/labels", map[string]any{"name": "fleet", "color": "#00aabb"}, nil)
	w.People.Git("remote", "set-url", "origin", w.address)
	w.People.Commit("Name the address", map[string]string{
		"fleet/repositories.yaml": strings.ReplaceAll(fleettest.Repositories, "ADDRESS", w.address)})
	w.People.Git("push", "-q", "origin", "HEAD:refs/heads/main", "HEAD:refs/tags/blueprints/web/v1")
	return w
}

// sync syncs, and expects what is said of pull requests and of packages, but for those that were closed: Gitea closes them
// in the background when their branch goes, and so sometimes before the sync.
func (w *world) sync(what string, want ...string) {
	w.Helper()
	w.People.Update()
	report, err := fleet.Sync(w.Context(), fleet.Options{Dir: filepath.Join(w.People.Dir, "fleet"), Cache: w.Cache, Reviews: w.by,
		PullRequests: &fleet.PullRequests{MaxOpen: 30, Labels: []string{"fleet"}, Reviewers: []string{"berta"}, Env: w.env}})
	if err != nil {
		w.Fatal(err)
	}
	var said []string
	for i := range report.PullRequests {
		if report.PullRequests[i].Did == forge.Ended {
			continue
		}
		said = append(said, strings.Replace(report.PullRequests[i].String(), w.address, "FLEET", 1))
	}
	for _, p := range report.Packages {
		said = append(said, p.Package+": "+p.Text)
	}
	said = append(append(said, report.Refused...), report.Failures...)
	w.Equal(what, want, said)
}

func (w *world) env(name string) string {
	return map[string]string{"GITEA_TOKEN": w.gitea.token, "GITHUB_ACTIONS": "true", "GITEA_ACTIONS": "true",
		"GITHUB_SERVER_URL": w.gitea.url, "GITHUB_REPOSITORY": "ada/fleet", "GITHUB_REF": "refs/pull/1/head"}[name]
}

// pull is a pull request as a person sees it.
type pull struct {
	Number       int
	Title, Body  string
	State        string
	Draft        bool
	Merged       bool
	Head         struct{ Ref string }
	Labels       []struct{ Name string }
	Reviewers    []struct{ Login string } `json:"requested_reviewers"`
	Updated      string                   `json:"updated_at"`
	CommentCount int                      `json:"comments"`
}

// see returns a pull request.
func (w *world) see(number int) (p pull) {
	w.Helper()
	w.gitea.api(http.MethodGet, fmt.Sprintf("repos/ada/fleet/pulls/%d", number), nil, &p)
	return p
}

// isClosed waits until a pull request is closed.
func (w *world) isClosed(number int) {
	w.Helper()
	for deadline := time.Now().Add(time.Minute); w.see(number).State != "closed"; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.Fatalf("%d is open", number)
		}
	}
}

// merge has a person merge a pull request, and the forge remove its branch, once the forge knows that it can be merged.
func (w *world) merge(number int, how string) {
	w.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
		status := w.gitea.api(http.MethodPost, fmt.Sprintf("repos/ada/fleet/pulls/%d/merge", number),
			map[string]any{"Do": how, "delete_branch_after_merge": true}, nil, http.StatusOK, http.StatusMethodNotAllowed)
		if status == http.StatusOK {
			return
		}
		if status != http.StatusMethodNotAllowed || time.Now().After(deadline) {
			w.Fatalf("merging %d: %d", number, status)
		}
	}
}

// refs returns the branches and tags of packages.
func (w *world) refs() (all []string) {
	w.Helper()
	for line := range strings.Lines(w.People.Git("ls-remote", "-q", "--heads", "--tags", "--refs", "origin")) {
		_, name, _ := strings.Cut(strings.TrimSpace(line), "\trefs/")
		if !strings.Contains(name, "blueprints") && name != "heads/main" && name != "heads/package-variants" {
			all = append(all, name)
		}
	}
	return all
}

// TestGitea is the life of a fleet on a real forge.
func TestGitea(t *testing.T) {
	const other = "---\napiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: other}\nspec:\n" +
		"  upstream: {repo: blueprints, package: web, revision: latest}\n  downstream: {repo: edge, package: other}\n" +
		"  deletionPolicy: delete\n"
	w := newWorld(t, fleettest.Web+other)
	const first, second = "edge/other: clone of blueprints.web.v1", "edge/web: clone of blueprints.web.v1"
	w.sync("first", "pull request 1 of FLEET was opened: "+first, "pull request 2 of FLEET was opened: "+second,
		"edge/other: packagevariant-1 drafted", "edge/web: packagevariant-1 drafted")
	before, refs := []pull{w.see(1), w.see(2)}, w.refs()
	w.Equal("asked for", "[{fleet}] [{berta}] false", fmt.Sprint(before[0].Labels, before[0].Reviewers, before[0].Draft))
	w.sync("nothing to do")
	w.Equal("nothing changed", []pull{before[0], before[1]}, []pull{w.see(1), w.see(2)})
	w.Equal("refs", refs, w.refs())

	w.gitea.api(http.MethodPatch, "repos/ada/fleet/pulls/2", map[string]any{"title": "Mine", "body": "Read this.\n\n" +
		before[1].Body + "\n\nAnd that."}, nil)
	w.Push("main", "Version 2, with a gate", map[string]string{"blueprints/web/settings.yaml": fleettest.Settings("large"),
		"blueprints/web/Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n" +
			"info:\n  readinessGates:\n  - conditionType: checked\n"}, "HEAD:refs/tags/blueprints/web/v2")
	w.sync("version 2", "pull request 1 of FLEET was updated: edge/other: clone of blueprints.web.v2",
		"pull request 2 of FLEET was updated: Mine", "edge/other: packagevariant-1 changed", "edge/web: packagevariant-1 changed")
	is := w.see(2)
	w.Equal("a person's title, and a draft", []any{"WIP: Mine", true}, []any{is.Title, is.Draft})
	w.Equal("a person's text", []bool{true, true}, []bool{strings.HasPrefix(is.Body, "Read this.\n"),
		strings.HasSuffix(strings.TrimSpace(is.Body), "\nAnd that.")})
	w.sync("again")

	w.Push("main", "Version 3, without", map[string]string{"blueprints/web/Kptfile": "apiVersion: kpt.dev/v1\n" +
		"kind: Kptfile\nmetadata:\n  name: web\n"}, "HEAD:refs/tags/blueprints/web/v3")
	w.sync("version 3", "pull request 1 of FLEET was updated: edge/other: clone of blueprints.web.v3",
		"pull request 2 of FLEET was updated: Mine", "edge/other: packagevariant-1 changed", "edge/web: packagevariant-1 changed")
	w.merge(1, "squash")
	w.gitea.api(http.MethodPatch, "repos/ada/fleet/pulls/2", map[string]any{"state": "closed"}, nil)
	w.sync("merged, and closed", "edge/other: v1 published (packagevariant-1 was merged)")
	is = w.see(1)
	w.Equal("what the forge has of a branch that is gone", []any{true, "refs/pull/1/head"}, []any{is.Merged, is.Head.Ref})
	w.Equal("refs", []string{"heads/drafts/edge/web/packagevariant-1", "tags/edge/other/v1"}, w.refs())
	w.sync("not again")
	w.Push("main", "Version 4", map[string]string{"blueprints/web/settings.yaml": fleettest.Settings("huge")},
		"HEAD:refs/tags/blueprints/web/v4")
	w.sync("for something else", "pull request 3 of FLEET was opened: edge/other: upgrade to blueprints.web.v4",
		"pull request 4 of FLEET was opened: edge/web: clone of blueprints.web.v4",
		"edge/other: packagevariant-2 drafted", "edge/web: packagevariant-1 changed")

	w.Push("main", "Remove it", map[string]string{"fleet/web.yaml": fleettest.Web})
	at := func(branch string) string {
		return "edge/other: the branch " + branch + " removed, which was at " +
			strings.TrimSpace(w.People.Git("rev-parse", "origin/"+branch))
	}
	w.sync("removed", "pull request 5 of FLEET was opened: edge/other: removal", at("drafts/edge/other/packagevariant-2"))
	w.Push("main", "Ask for it again", map[string]string{"fleet/web.yaml": fleettest.Web + other})
	w.sync("again", "pull request 6 of FLEET was opened: edge/other: upgrade to blueprints.web.v4",
		"edge/other: packagevariant-2 drafted; "+strings.TrimPrefix(at("removals/edge/other"), "edge/other: "))
	w.isClosed(3)
	w.isClosed(5)
	w.Push("main", "Remove it again", map[string]string{"fleet/web.yaml": fleettest.Web})
	w.sync("removed again", "pull request 7 of FLEET was opened: edge/other: removal", at("drafts/edge/other/packagevariant-2"))
	w.merge(7, "merge")
	w.sync("gone")
	w.Equal("refs", []string{"heads/drafts/edge/web/packagevariant-1", "tags/edge/other/v1"}, w.refs())
	w.comment(t)
}

// comment keeps one comment.
func (w *world) comment(t *testing.T) {
	t.Helper()
	job, err := forge.JobOf(w.env)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"One", "Two"} {
		if err := job.Comment(t.Context(), "fleet", text); err != nil {
			t.Fatal(err)
		}
	}
	var comments []struct{ Body string }
	w.gitea.api(http.MethodGet, "repos/ada/fleet/issues/1/comments", nil, &comments)
	if len(comments) != 1 || !strings.HasPrefix(comments[0].Body, "Two\n") {
		t.Errorf("%v", comments)
	}
}

// TestGiteaReview has drafts be reviewed together on a real forge: their own pull requests end, and merging the one of the
// review publishes them.
func TestGiteaReview(t *testing.T) {
	w := newWorld(t, fleettest.WebSet)
	w.Push("main", "Another site", map[string]string{"fleet/fra.yaml": "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\n" +
		"metadata: {name: fra, labels: {tier: edge}}\nspec: {type: git, git: {repo: " + w.address + ", branch: main, directory: fra}}\n"})
	w.sync("each for itself", "pull request 1 of FLEET was opened: edge/web: clone of blueprints.web.v1",
		"pull request 2 of FLEET was opened: fra/web: clone of blueprints.web.v1",
		"edge/web: packagevariant-1 drafted", "fra/web: packagevariant-1 drafted")
	w.by = &fleet.ReviewBy{}
	w.sync("together", "pull request 3 of FLEET was opened: web v1, wave all: 2 packages")
	w.isClosed(1)
	w.isClosed(2)
	w.sync("nothing to do")
	w.merge(3, "squash")
	w.sync("merged", "edge/web: v1 published (packagevariant-1 was merged)", "fra/web: v1 published (packagevariant-1 was merged)")
	w.Equal("refs", []string{"tags/edge/web/v1", "tags/fra/web/v1"}, w.refs())
	w.Push("main", "Version 2", map[string]string{"blueprints/web/settings.yaml": fleettest.Settings("large")},
		"HEAD:refs/tags/blueprints/web/v2")
	w.sync("version 2", "pull request 4 of FLEET was opened: web v1 → v2, wave all: 2 packages",
		"edge/web: packagevariant-2 drafted", "fra/web: packagevariant-2 drafted")
	w.gitea.api(http.MethodPatch, "repos/ada/fleet/pulls/4", map[string]any{"state": "closed"}, nil)
	w.sync("closed")
	w.Equal("nothing is rejected", 3, len(w.refs())-2)
}
