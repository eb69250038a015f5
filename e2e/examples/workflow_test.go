// SPDX-License-Identifier: Apache-2.0

package examples

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/package-variants/package-variants/e2e/examples/walkthrough"
)

// inGit is the example of a fleet with a forge.
const inGit = "fleet-in-git"

// fleet is a shell in a clone of the example's fleet, whose jobs a forge runs.
type fleet struct {
	*testing.T
	*shell
	// job returns the scripts of a job, in order, each for a shell of its own.
	job func(t *testing.T, name string) []string
}

// startFleet sets the example up as its README says, with programs that stand in for those of a forge.
func startFleet(t *testing.T, job func(t *testing.T, name string) []string) *fleet {
	t.Helper()
	f := &fleet{t, startShell(t, inGit), job}
	programs, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range find(parse(t, filepath.Join(root, "examples", inGit, "README.md")), setUp).Parts {
		if part.Lang == walkthrough.Commands {
			f.runAll(t, part.List())
		}
	}
	f.run(t, `export PATH="`+programs+`:$PATH" FORGE="$HOME/asked-of-the-forge" GITHUB_STEP_SUMMARY="$HOME/summary.md" `+
		`GITHUB_OUTPUT="$HOME/output" GITHUB_REPOSITORY=acme/fleet CI_PROJECT_PATH=acme/fleet CI_PROJECT_ID=1 `+
		`CI_MERGE_REQUEST_IID=7 && mkdir "$FORGE"`)
	return f
}

// onGitHub returns the steps of the workflow with the name, but those that install something.
func onGitHub(t *testing.T, name string) (scripts []string) {
	t.Helper()
	var w struct {
		Jobs map[string]struct {
			Steps []struct {
				Name, Run string
				Env       map[string]string
			}
		}
	}
	parseYAML(t, &w, ".github", "workflows", name+".yaml")
	values := strings.NewReplacer("${{ github.event.number }}", "7", "${{ github.token }}", "token",
		"${{ steps.plan.outputs.rc }}", `$(sed -n s/^rc=//p "$GITHUB_OUTPUT")`)
	for _, step := range w.Jobs[name].Steps {
		if step.Run == "" || strings.HasPrefix(step.Name, "Install") {
			continue
		}
		var env string
		for key, value := range step.Env {
			env += key + `="` + values.Replace(value) + `" `
		}
		scripts = append(scripts, env+"bash -e <<'END'\n"+values.Replace(step.Run)+"\nEND")
	}
	return scripts
}

// onGitLab returns the script of a job.
func onGitLab(t *testing.T, name string) []string {
	t.Helper()
	jobs := map[string]any{}
	parseYAML(t, &jobs, ".gitlab-ci.yml")
	script := "bash -eo pipefail <<'END'\n"
	for _, part := range jobs[name].(map[string]any)["script"].([]any) {
		script += part.(string) + "\n"
	}
	return []string{script + "END"}
}

// parseYAML parses a file of the example.
func parseYAML(t *testing.T, into any, file ...string) {
	t.Helper()
	text := read(t, filepath.Join(append([]string{root, "examples", inGit}, file...)...))
	if err := yaml.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}

// runJob runs a job, whose last script fails if fails is true, and expects what it has asked of the forge.
func (f *fleet) runJob(name string, fails bool, want ...string) {
	f.Helper()
	f.run(f.T, `: > "$FORGE/asked" && : > "$GITHUB_OUTPUT"`)
	scripts := f.job(f.T, name)
	if len(scripts) == 0 {
		f.Fatalf("there is no job %s", name)
	}
	for i, script := range scripts {
		if r, err := f.shell.Run(script); (err != nil) != (fails && i == len(scripts)-1) {
			f.Fatalf("%s: %v\n%s", name, err, r.Output)
		}
	}
	if diff := cmp.Diff(strings.Join(want, "\n"), strings.TrimSpace(f.run(f.T, `cat "$FORGE/asked"`))); diff != "" {
		f.Errorf("%s asks the forge for something else (-want +got):\n%s", name, diff)
	}
}

// expectBody expects the text that the forge got last to begin with a line and to have texts.
func (f *fleet) expectBody(first string, texts ...string) {
	f.Helper()
	body := f.run(f.T, `cat "$FORGE/body"`)
	if got, _, _ := strings.Cut(body, "\n"); got != first {
		f.Errorf("the text begins with %q, want %q", got, first)
	}
	for _, text := range texts {
		if !strings.Contains(body, text) {
			f.Errorf("there is no %q in the text:\n%s", text, body)
		}
	}
}

// expectFollowed expects that what Flux and Argo CD follow in the example is there.
func (f *fleet) expectFollowed() {
	f.Helper()
	var source, kustomization, application struct {
		Spec struct {
			URL, Path string
			Ref       struct{ Branch string }
			Source    struct{ RepoURL, TargetRevision, Path string }
		}
	}
	flux := strings.Split(read(f.T, filepath.Join(root, "examples", inGit, "follow", "flux.yaml")), "---\n")
	for text, into := range map[string]any{flux[0]: &source, flux[1]: &kustomization,
		read(f.T, filepath.Join(root, "examples", inGit, "follow", "argo-cd.yaml")): &application} {
		if err := yaml.Unmarshal([]byte(text), into); err != nil {
			f.Fatal(err)
		}
	}
	argo := application.Spec.Source
	for _, s := range [][3]string{{source.Spec.URL, source.Spec.Ref.Branch, kustomization.Spec.Path},
		{argo.RepoURL, argo.TargetRevision, argo.Path}} {
		f.run(f.T, fmt.Sprintf("rm -rf ~/followed && git clone -q --branch %s %s ~/followed 2>&1 && ls ~/followed/%s/Kptfile",
			s[1], s[0], s[2]))
	}
}

// upgrade publishes version 2 of the blueprint.
const upgrade = `(cd ~/blueprints && sed -i s/:1.4/:1.5/ web/deployment.yaml && git commit -qam v2 && git tag web/v2 && ` +
	`git push -q origin main web/v2)`

// TestSyncOnGitHub runs the workflow: the first run opens pull requests, one after an upgrade updates them, those of
// drafts that are merged or rejected are closed, and a package that is to go gets one. What people have opened stays.
func TestSyncOnGitHub(t *testing.T) {
	t.Parallel()
	f := startFleet(t, onGitHub)
	const of, draft = " --repo https://git.example.com/acme/fleet.git", "drafts/sites/%s/web/packagevariant-1"
	open := func(site string) string {
		return fmt.Sprintf("pr create"+of+" --head "+draft+" --base main --title %[1]s/web: clone of blueprints.web.v1 "+
			"--body-file -", site)
	}
	end := func(number int) string {
		return fmt.Sprintf("pr close %d"+of+" --comment No variant asks for this branch any more.", number)
	}
	f.run(t, `gh pr create`+of+` --head drafts/sites/other/web/v1 --title 'Of a person' </dev/null`)
	f.runJob("sync", false, open("fra"), open("nyc"))
	f.expectBody("Draft of the PackageVariant `web-nyc-web-9thqw2mht2`. Merging it publishes it; deleting its branch rejects it.",
		"\n\n<!-- variants sync fleet of acme/fleet -->")
	f.runJob("sync", false)
	f.run(t, upgrade)
	f.runJob("sync", false, "pr edit 2"+of+" --title fra/web: clone of blueprints.web.v2 --body-file -",
		"pr edit 3"+of+" --title nyc/web: clone of blueprints.web.v2 --body-file -")
	f.run(t, "git fetch -q && git merge -q --no-edit origin/drafts/sites/fra/web/packagevariant-1 && "+
		"git push -q origin main :drafts/sites/nyc/web/packagevariant-1")
	f.runJob("sync", false, end(2), end(3))
	f.runJob("sync", false)
	f.expectFollowed()
	f.run(t, `sed -i 's/role: edge, region: eu/region: eu/' fleet/repositories.yaml && git commit -qam 'Close the shop' && `+
		`git push -q origin main`)
	f.runJob("sync", false, "pr create"+of+" --head removals/sites/fra/web --base main --title fra/web: removal --body-file -")
}

// TestSyncOnGitLab does the same on GitLab, with a git repository for each site.
func TestSyncOnGitLab(t *testing.T) {
	t.Parallel()
	f := startFleet(t, onGitLab)
	write := func(method, site string, number int, fields string) string {
		return fmt.Sprintf("%s projects/acme%%2Fsite-%s/merge_requests/%d {%s}", method, site, number, fields)
	}
	const draft = `"source_branch":"drafts/web/packagevariant-1","target_branch":"main",`
	f.run(t, `cp one-repository-each/repositories.yaml fleet && git commit -qam 'Move the sites' && git push -q origin main`)
	f.run(t, `for site in fra nyc; do git init -q --bare -b main ~/forge/acme/site-$site.git; done`)
	f.runJob("sync", false, write("POST", "fra", 0, draft+`"title":"fra/web: clone of blueprints.web.v1"`),
		write("POST", "nyc", 0, draft+`"title":"nyc/web: clone of blueprints.web.v1"`))
	f.expectBody("Draft of the PackageVariant `web-nyc-web-9thqw2mht2`. Merging it publishes it; deleting its branch rejects it.",
		"\n\n<!-- variants sync fleet of acme/fleet -->")
	f.runJob("sync", false)
	f.run(t, upgrade)
	f.runJob("sync", false, write("PUT", "fra", 1, `"title":"fra/web: clone of blueprints.web.v2"`),
		write("PUT", "nyc", 1, `"title":"nyc/web: clone of blueprints.web.v2"`))
	f.run(t, `git clone -q https://git.example.com/acme/site-fra.git ~/fra && git -C ~/fra merge -q --no-edit `+
		`origin/drafts/web/packagevariant-1 && git -C ~/fra push -q origin main`)
	f.run(t, `git push -q https://git.example.com/acme/site-nyc.git :drafts/web/packagevariant-1`)
	f.runJob("sync", false, write("PUT", "fra", 1, `"state_event":"close"`), write("PUT", "nyc", 1, `"state_event":"close"`))
	f.runJob("sync", false)
}

// TestSyncFails checks that a sync that fails closes no pull request, and that its job fails.
func TestSyncFails(t *testing.T) {
	t.Parallel()
	for name, job := range map[string]func(t *testing.T, name string) []string{"GitHub": onGitHub, "GitLab": onGitLab} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := startFleet(t, job)
			f.run(t, `variants sync fleet -o json > report.json && forge/`+strings.ToLower(name)+`.sh fleet report.json`)
			f.run(t, "sed -i 's/revision:/revison:/' fleet/set.yaml && git commit -qam wrong && git push -q origin main")
			f.runJob("sync", true)
		})
	}
}

// TestPlans runs the jobs that plan on a pull request: the plan becomes the comment, if it fails, too, or if it is killed,
// as an empty comment cannot be posted, and the comment of an earlier plan would stay. The job fails after that.
func TestPlans(t *testing.T) {
	t.Parallel()
	const killed = `mkdir ~/killed && printf '#!/bin/sh\nkill -9 $$\n' > ~/killed/variants && chmod +x ~/killed/variants && ` +
		`PATH="$HOME/killed:$PATH"`
	const github = "pr comment 7 --edit-last --create-if-none --body-file plan.md"
	for name, forge := range map[string]struct {
		job  func(t *testing.T, name string) []string
		asks []string
	}{
		"GitHub": {onGitHub, []string{github, github, github}},
		"GitLab": {onGitLab, []string{"POST projects/1/merge_requests/7/notes/0 {}", "PUT projects/1/merge_requests/7/notes/1 {}",
			"PUT projects/1/merge_requests/7/notes/1 {}"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := startFleet(t, forge.job)
			for i, plan := range []struct {
				change, first string
				texts         []string
			}{
				{"(echo --- && cat london.yaml) >> fleet/repositories.yaml && git commit -qam London", "### Plan: 3 create.",
					[]string{"| **create** | `web-lon-web-tmkmhdtf99` | `lon/web` | `blueprints.web.v1` |", "\n+   region: eu\n"}},
				{"sed -i s/revision:/revison:/ fleet/set.yaml && git commit -qam wrong", "### Plan: 1 failure.",
					[]string{"revison"}},
				{killed, "### There is no plan: variants ended with exit code 137", nil},
			} {
				f.run(t, plan.change)
				f.runJob("plan", i > 0, forge.asks[i])
				f.expectBody(plan.first, plan.texts...)
			}
		})
	}
}
