// SPDX-License-Identifier: Apache-2.0

package examples

import (
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestWorkflow runs what the workflow of the example fleet-in-git runs on a pull request, but for what asks GitHub, and
// holds that the plan becomes the comment.
func TestWorkflow(t *testing.T) {
	t.Parallel()
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct {
				Name, Run string
				Uses      string
				With      map[string]any
			}
		}
	}
	text := read(t, filepath.Join(root, "examples", "fleet-in-git", ".github", "workflows", "plan.yaml"))
	if err := yaml.Unmarshal([]byte(text), &workflow); err != nil {
		t.Fatal(err)
	}
	s := startShell(t, "fleet-in-git")
	s.run(t, `export PATH="$PWD/bin:$PATH" GITHUB_STEP_SUMMARY="$PWD/summary.md" && cd examples/fleet-in-git`)
	ran := false
	for _, step := range workflow.Jobs["plan"].Steps {
		if step.Name != "Plan" {
			continue
		}
		ran = true
		s.run(t, "bash -e <<'END'\n"+step.Run+"END") // as the runner does
	}
	if !ran {
		t.Fatalf("the workflow has no step that plans: %+v", workflow)
	}
	plan := s.run(t, "cat plan.md")
	if !strings.HasPrefix(plan, "### Plan: 1 delete, 1 create, 3 upgrade, 2 wait; 1 conflict.\n") ||
		!strings.Contains(plan, "```diff\n") {
		t.Errorf("the comment is:\n%s", plan)
	}
	if got := s.run(t, `cat "$GITHUB_STEP_SUMMARY"`); got != plan {
		t.Errorf("the summary is:\n%s", got)
	}
	if got := s.run(t, "head -c 15 plan.html"); got != "<!DOCTYPE html>" {
		t.Errorf("the page begins with %s", got)
	}
	for _, file := range []string{"--body-file plan.md", "path: plan.html"} {
		if !strings.Contains(text, file) {
			t.Errorf("the workflow has no %s", file)
		}
	}
}
