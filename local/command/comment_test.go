// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/local/fleet/fleettest"
	"github.com/package-variants/package-variants/local/forge"
	"github.com/package-variants/package-variants/local/forge/forgetest"
	"github.com/package-variants/package-variants/local/programs"
)

// TestComment has the job of a pull request plan what it would change: the comment is the plan, or why there is none.
// Something to do is no failure of the job.
func TestComment(t *testing.T) {
	w := &world{fleettest.New(t, fleettest.Web)}
	on := forgetest.New(t, forge.Gitea)
	on.Add(forgetest.Pull{Repository: "acme/fleet"})
	for name, value := range map[string]string{"GITHUB_ACTIONS": "true", "GITEA_ACTIONS": "true", "GITHUB_SERVER_URL": on.URL,
		"GITHUB_REPOSITORY": "acme/fleet", "GITHUB_REF": "refs/pull/1/head", "GITEA_TOKEN": forgetest.Token} {
		t.Setenv(name, value)
	}
	plan := func(code int, want string, args ...string) {
		t.Helper()
		var out, said bytes.Buffer
		args = append([]string{"plan", "--comment", w.dir(), "--cache", w.Cache}, args...)
		if got := Run(t.Context(), args, programs.Streams{Out: &out, Err: &said}); got != code {
			t.Errorf("exit code %d, want %d: %s%s", got, code, out.String(), said.String())
		}
		comments := on.Pulls()[0].Comments
		if len(comments) != 1 || !strings.HasPrefix(comments[0].Text, want) {
			t.Errorf("comments %v, want one that begins with %q", comments, want)
		}
	}
	plan(exitDone, "### Plan: 1 create.\n")
	w.run(exitDone, "sync", w.dir())
	plan(exitDone, "### Plan: 1 unchanged.\n", "-o", "json")
	on.Writes()
	plan(exitDone, "### Plan: 1 unchanged.\n")
	if writes := on.Writes(); len(writes) > 1 { // the time of the plan
		t.Error(writes)
	}
	w.Push("main", "Misspell", map[string]string{"fleet/web.yaml": strings.Replace(fleettest.Web, "revision:", "revison:", 1)})
	plan(exitError, "### Plan: 1 failure, 1 unchanged.")
	w.Push("main", "Break", map[string]string{"fleet/web.yaml": "a: b: c\n"})
	plan(exitError, "### There is no plan")
	on.Refuse = func(string, string) (int, string) { return 403, "no" }
	plan(exitError, "### There is no plan")
	t.Setenv("GITHUB_REF", "refs/heads/main")
	var said bytes.Buffer
	if Run(t.Context(), []string{"plan", "--comment", w.dir()}, programs.Streams{Out: &said, Err: &said}) != exitError ||
		said.String() != "error: this is no job of a pull request on GitHub, GitLab or Gitea, which --comment is for\n" {
		t.Error(said.String())
	}
}
