// SPDX-License-Identifier: Apache-2.0

package examples

import (
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// step is a step of a job of GitHub Actions.
type step struct {
	Name, Run string
}

// workflow returns the text of the workflow of the example fleet-in-git, and the steps of its job.
func workflow(t *testing.T) (string, []step) {
	t.Helper()
	var w struct {
		Jobs map[string]struct{ Steps []step }
	}
	text := read(t, filepath.Join(root, "examples", "fleet-in-git", ".github", "workflows", "plan.yaml"))
	if err := yaml.Unmarshal([]byte(text), &w); err != nil {
		t.Fatal(err)
	}
	return text, w.Jobs["plan"].Steps
}

// pull makes the example a git repository, in which HEAD is a pull request that removes a Repository and what a command
// changes, as actions/checkout leaves it. It runs the step that plans as the runner does, and returns its outputs.
func pull(t *testing.T, s *shell, change string) string {
	t.Helper()
	s.run(t, `export PATH="$PWD/bin:$PATH" GITHUB_STEP_SUMMARY="$HOME/summary.md" GITHUB_OUTPUT="$HOME/output"`)
	s.run(t, `cp -r examples/fleet-in-git ~ && cd ~/fleet-in-git`)
	s.run(t, `git() { command git -c user.name=t -c user.email=t@example.com "$@"; }`)
	s.run(t, `git init -q && git add -A && git commit -qm main`)
	s.run(t, change+` && git add -A && git commit -qm change`)
	_, steps := workflow(t)
	for _, step := range steps {
		if step.Name == "Plan" {
			s.run(t, "bash -e <<'END'\n"+step.Run+"END")
			return s.run(t, `cat "$GITHUB_OUTPUT"`)
		}
	}
	t.Fatalf("the workflow has no step that plans: %+v", steps)
	return ""
}

// expectComment fails the test unless the comment begins with a line and holds texts, and the summary is the same.
func expectComment(t *testing.T, s *shell, first string, texts ...string) {
	t.Helper()
	plan := s.run(t, "cat plan.md")
	if got, _, _ := strings.Cut(plan, "\n"); got != first {
		t.Errorf("the comment begins with %q, want %q", got, first)
	}
	for _, text := range texts {
		if !strings.Contains(plan, text) {
			t.Errorf("there is no %q in the comment:\n%s", text, plan)
		}
	}
	if got := s.run(t, `cat "$GITHUB_STEP_SUMMARY"`); got != plan {
		t.Errorf("the summary is:\n%s", got)
	}
	if got := s.run(t, "head -c 15 plan.html"); got != "<!DOCTYPE html>" {
		t.Errorf("the page begins with %s", got)
	}
}

// TestWorkflow runs what the workflow of the example fleet-in-git runs on a pull request that removes a manifest,
// except for what asks GitHub, and checks that the plan becomes the comment.
func TestWorkflow(t *testing.T) {
	t.Parallel()
	s := startShell(t, "fleet-in-git")
	if got := pull(t, s, "git rm -q fleet/set.yaml"); got != "rc=1\n" {
		t.Errorf("the outputs are %q", got)
	}
	expectComment(t, s, "### Plan: 6 delete.", "\nOver the snapshot snapshot, namespace shop, planned at ",
		"#### Look at these first\n", "| **delete** | shop-ber-shop-8ay5md4rf1 | ber/shop |", "treated as deleted: PackageVariantSet shop")
}

// TestWorkflowFails checks that the comment of a plan that fails says so, is posted all the same, and that the job
// fails after that.
func TestWorkflowFails(t *testing.T) {
	t.Parallel()
	s := startShell(t, "fleet-in-git")
	if got := pull(t, s, "sed -i 's/revision: 2/revison: 2/' fleet/set.yaml"); got != "rc=2\n" {
		t.Errorf("the outputs are %q", got)
	}
	expectComment(t, s, "### There is no plan: it failed", `cannot read fleet/set.yaml, line 9: a PackageVariantSet has no field "revison"`)
	text, _ := workflow(t)
	at := -1
	for _, part := range []string{"path: plan.html", "--body-file plan.md", `test "$RC" -le 1`} {
		if next := strings.Index(text, part); next <= at {
			t.Errorf("the workflow does not have %q where it belongs", part)
		} else {
			at = next
		}
	}
}

// TestWorkflowKilled checks that a plugin that is killed leaves a comment, too: an empty one cannot be posted, so the
// comment of an earlier plan would stay.
func TestWorkflowKilled(t *testing.T) {
	t.Parallel()
	s := startShell(t, "fleet-in-git")
	const killed = `mkdir ~/killed && printf '#!/bin/sh\nkill -9 $$\n' > ~/killed/kubectl-variants && ` +
		`chmod +x ~/killed/kubectl-variants && PATH="$HOME/killed:$PATH" && git rm -q fleet/set.yaml`
	if got := pull(t, s, killed); got != "rc=137\n" {
		t.Errorf("the outputs are %q", got)
	}
	const want = "### There is no plan: the plugin ended with exit code 137\n"
	if got := s.run(t, "cat plan.md"); got != want {
		t.Errorf("the comment is %q, want %q", got, want)
	}
}
