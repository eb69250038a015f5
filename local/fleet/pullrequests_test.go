// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/local/forge"
	"github.com/package-variants/package-variants/local/forge/forgetest"
)

// forged is a world on a forge.
type forged struct {
	*world
	forge   *forgetest.Forge
	address string
	keep    PullRequests
}

// onForge returns a world on a forge of a kind.
func onForge(t *testing.T, kind forge.Kind, manifests string) *forged {
	t.Helper()
	w := &forged{world: newWorld(t, manifests), forge: forgetest.New(t, kind)}
	root := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(root, "acme"), 0o700),
		os.Symlink(w.Remote.Dir, filepath.Join(root, "acme", "fleet.git"))); err != nil {
		t.Fatal(err)
	}
	w.forge.ServeGit(t, root)
	w.address = w.forge.URL + "/acme/fleet.git"
	w.People.Git("remote", "set-url", "origin", w.address)
	w.Push("main", "Name the address", map[string]string{"fleet/repositories.yaml": strings.ReplaceAll(repositories, "ADDRESS", w.address)})
	w.keep = PullRequests{MaxOpen: 30, Env: w.forge.Env}
	return w
}

// keeps syncs, and expects what is said of pull requests, with how many have the state open.
func (w *forged) keeps(what string, want ...string) *Report {
	w.Helper()
	o := w.options()
	o.PullRequests = &w.keep
	report, err := Sync(w.Context(), o)
	if err != nil {
		w.Fatal(err)
	}
	var said []string
	for i := range report.PullRequests {
		said = append(said, strings.Replace(report.PullRequests[i].String(), w.address, "FLEET", 1))
	}
	w.Equal(what, want, append(said, report.Refused...))
	return report
}

// TestPullRequests has a pull request for each draft and removal: opened once, changed with them, and over with them.
func TestPullRequests(t *testing.T) {
	t.Parallel()
	for _, kind := range []forge.Kind{forge.GitHub, forge.GitLab, forge.Gitea} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			w := onForge(t, kind, web+another("auto")+"  approvalPolicy: Automatic\n  deletionPolicy: delete\n")
			report := w.keeps("first", "pull request 1 of FLEET was opened: edge/web: clone of blueprints.web.v1")
			w.Equal("number", 1, report.Variants[1].PullRequest.Number)
			before := w.Remote.Refs()
			w.forge.Writes()
			w.keeps("nothing to do")
			w.Equal("writes", []string(nil), w.forge.Writes())
			w.Equal("refs", before, w.Remote.Refs())
			w.Push("main", "Ask for nothing automatic", map[string]string{"fleet/web.yaml": web + another("auto") + "  deletionPolicy: delete\n"})
			w.secondVersion()
			w.keeps("another version", "pull request 2 of FLEET was opened: edge/auto: upgrade to blueprints.web.v2",
				"pull request 1 of FLEET was updated: edge/web: clone of blueprints.web.v2")
			w.Merge("drafts/edge/web/packagevariant-1")
			w.Remote.Git("update-ref", "-d", "refs/"+draft1)
			w.forge.Change(1, func(p *forgetest.Pull) { p.State = forge.Merged })
			w.forge.Change(2, func(p *forgetest.Pull) { p.State = forge.Closed })
			report = w.keeps("one merged, one closed by a person")
			w.Equal("published", []string{"auto: UpToDate v1 edge.auto.packagevariant-2", "web: UpToDate v1"}, lines(report))
			w.keeps("not again")
			w.Push("main", "Ask for something else", map[string]string{"fleet/web.yaml": web + strings.Replace(another("auto"),
				"region: north", "region: south", 1) + "  deletionPolicy: delete\n"})
			w.keeps("something else", "pull request 3 of FLEET was opened: edge/auto: upgrade to blueprints.web.v2")
			w.Push("main", "Remove it", map[string]string{"fleet/web.yaml": web})
			report = w.keeps("removed", "pull request 4 of FLEET was opened: edge/auto: removal",
				"pull request 3 of FLEET was closed: edge/auto: upgrade to blueprints.web.v2")
			w.Equal("number", 4, report.Removals[0].PullRequest.Number)
			w.Push("main", "Ask for it again", map[string]string{"fleet/web.yaml": web + another("auto") + "  deletionPolicy: delete\n"})
			w.keeps("asked for again", "pull request 6 of FLEET was opened: edge/auto: upgrade to blueprints.web.v2",
				"pull request 4 of FLEET was closed: edge/auto: removal")
		})
	}
}

// TestGates marks the pull request of a draft with an unmet readiness gate as a draft. One that approvalPolicy publishes
// once the gate is met has none.
func TestGates(t *testing.T) {
	t.Parallel()
	w := onForge(t, forge.GitHub, web+another("auto")+"  approvalPolicy: Automatic\n")
	w.Push("main", "Have a gate", map[string]string{"blueprints/web/Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\n" +
		"metadata:\n  name: web\ninfo:\n  readinessGates:\n  - conditionType: checked\n"}, "HEAD:refs/tags/blueprints/web/v2")
	w.keeps("not met", "pull request 1 of FLEET was opened: edge/web: clone of blueprints.web.v2")
	w.Equal("draft", true, w.forge.Pulls()[0].Draft)
	kptfile := w.Remote.Git("show", draft1+":edge/web/Kptfile")
	w.Push(strings.TrimPrefix(draft1, "heads/"), "Check", map[string]string{"edge/web/Kptfile": kptfile +
		"status:\n  conditions:\n  - type: checked\n    status: \"True\"\n"})
	w.keeps("met", "pull request 1 of FLEET was updated: edge/web: clone of blueprints.web.v2")
	w.Equal("draft", false, w.forge.Pulls()[0].Draft)
}

// TestForgeRefuses has a forge refuse pull requests, and allow them again: drafts are not held up by it.
func TestForgeRefuses(t *testing.T) {
	t.Parallel()
	w := onForge(t, forge.Gitea, web+another("other"))
	w.keep.MaxOpen = 1
	w.forge.Refuse = func(method, _ string) (int, string) {
		return map[string]int{http.MethodPost: http.StatusForbidden}[method], "no\nrights"
	}
	report := w.keeps("refused", "the pull request of drafts/edge/other/packagevariant-1: POST "+w.forge.URL+
		"/api/v1/repos/acme/fleet/pulls: 403 Forbidden: no rights")
	w.Equal("drafts", []string{"other: UpToDate  edge.other.packagevariant-1", "web: UpToDate  edge.web.packagevariant-1"}, lines(report))
	w.Equal("failures", []string(nil), report.Failures)
	w.forge.Refuse = nil
	report = w.keeps("allowed", "pull request 1 of FLEET was opened: edge/other: clone of blueprints.web.v1")
	w.Equal("the rest", []string{w.address + ": 1 more pull requests wait until fewer than 1 are open (--max-open)"}, report.Notes)
	w.keep.Env = func(string) string { return "" }
	w.keeps("no token", "the pull requests: there is no token for "+strings.TrimPrefix(w.forge.URL, "http://")+": set GITEA_TOKEN")
}

// TestWanted has those first that cover others, which have none of their own then.
func TestWanted(t *testing.T) {
	t.Parallel()
	of := func(branch string, covers ...string) *PullRequest {
		p := &PullRequest{Covers: covers}
		p.Branch = branch
		return p
	}
	r := Report{Removals: []Removal{{"default", "a", of("removals/a")}, {"default", "b", of("reviews/b", "drafts/b", "drafts/c")}},
		Variants: []Line{{PullRequest: of("drafts/b")}, {PullRequest: of("drafts/d"), Reason: v1alpha1.ReasonUpToDate}, {}}}
	var got []string
	all, _ := r.wanted()
	for _, p := range all {
		got = append(got, fmt.Sprint(p.Branch))
	}
	if want := "[removals/a reviews/b drafts/d]"; fmt.Sprint(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}
