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
	"github.com/package-variants/package-variants/local/forge"
	"github.com/package-variants/package-variants/local/forge/forgetest"
)

// inGit is the example of a fleet with a forge.
const inGit = "fleet-in-git"

// fleet is a shell in a clone of the example's fleet, whose jobs a forge runs.
type fleet struct {
	*testing.T
	*shell
	forge *forgetest.Forge
	// job returns the scripts of a job, in order, each for a shell of its own.
	job func(t *testing.T, name string) []string
}

// startFleet sets the example up as its README says, but git looks for https://git.example.com on a forge.
func startFleet(t *testing.T, kind forge.Kind) *fleet {
	t.Helper()
	f := &fleet{t, startShell(t, inGit), forgetest.New(t, kind), map[forge.Kind]func(*testing.T, string) []string{
		forge.GitHub: onGitHub, forge.GitLab: onGitLab}[kind]}
	for _, part := range find(parse(t, filepath.Join(root, "examples", inGit, "README.md")), setUp).Parts {
		if part.Lang == walkthrough.Commands {
			f.runAll(t, part.List())
		}
	}
	f.forge.ServeGit(t, strings.TrimSpace(f.run(t, "echo ~/forge")))
	f.run(t, "export GIT_CONFIG_KEY_0=url."+f.forge.URL+"/.insteadOf")
	if kind == forge.GitHub {
		f.run(t, "export GITHUB_ACTIONS=true GITHUB_SERVER_URL="+f.forge.URL+" GITHUB_REPOSITORY=acme/fleet "+
			"GITHUB_REF=refs/pull/1/merge GITHUB_TOKEN="+forgetest.Token)
	} else {
		f.run(t, "export CI_SERVER_URL="+f.forge.URL+" CI_PROJECT_PATH=acme/fleet CI_MERGE_REQUEST_IID=1 GITLAB_TOKEN="+
			forgetest.Token)
	}
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
	values := strings.NewReplacer("${{ github.token }}", forgetest.Token)
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

// runJob runs a job, whose last script fails if fails is true, and expects the pull requests after it, without those of
// people.
func (f *fleet) runJob(name string, fails bool, want ...string) {
	f.Helper()
	scripts := f.job(f.T, name)
	if len(scripts) == 0 {
		f.Fatalf("there is no job %s", name)
	}
	for i, script := range scripts {
		if r, err := f.shell.Run(script); (err != nil) != (fails && i == len(scripts)-1) {
			f.Fatalf("%s: %v\n%s", name, err, r.Output)
		}
	}
	var got []string
	for _, p := range f.forge.Pulls() {
		if strings.Contains(p.Body, "variants sync") {
			got = append(got, fmt.Sprintf("%s %s -> %s: %s", p.State, p.Branch, p.Base, p.Title))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		f.Errorf("%s: other pull requests (-want +got):\n%s", name, diff)
	}
}

// expectComment expects the one comment on the pull request of a job to begin with a line and to have texts.
func (f *fleet) expectComment(first string, texts ...string) {
	f.Helper()
	comments := f.forge.Pulls()[0].Comments
	if len(comments) != 1 {
		f.Fatalf("there are %d comments", len(comments))
	}
	body := comments[0].Text
	if got, _, _ := strings.Cut(body, "\n"); got != first {
		f.Errorf("the comment begins with %q, want %q", got, first)
	}
	for _, text := range texts {
		if !strings.Contains(body, text) {
			f.Errorf("there is no %q in the comment:\n%s", text, body)
		}
	}
}

// upgrade publishes version 2 of the blueprint.
const upgrade = `(cd ~/blueprints && sed -i s/:1.4/:1.5/ web/deployment.yaml && git commit -qam v2 && git tag web/v2 && ` +
	`git push -q origin main web/v2)`

// TestSyncOnGitHub runs the workflow: the first run opens pull requests, one after an upgrade updates them, those of
// drafts that are rejected are closed, and a package that is to go gets one. What people have opened stays.
func TestSyncOnGitHub(t *testing.T) {
	t.Parallel()
	f := startFleet(t, forge.GitHub)
	of := func(site, state, version string) string {
		return fmt.Sprintf("%s drafts/sites/%s/web/packagevariant-1 -> main: %[2]s/web: clone of blueprints.web.%[3]s", state, site, version)
	}
	f.forge.Add(forgetest.Pull{Repository: "acme/fleet", Branch: "drafts/sites/other/web/v1", Base: "main", Title: "Of a person"})
	f.runJob("sync", false, of("fra", "open", "v1"), of("nyc", "open", "v1"))
	f.forge.Writes()
	f.runJob("sync", false, of("fra", "open", "v1"), of("nyc", "open", "v1"))
	if writes := f.forge.Writes(); writes != nil {
		t.Errorf("a second sync writes %q", writes)
	}
	f.run(t, upgrade)
	f.runJob("sync", false, of("fra", "open", "v2"), of("nyc", "open", "v2"))
	f.run(t, "git fetch -q && git merge -q --no-edit origin/drafts/sites/fra/web/packagevariant-1 && "+
		"git push -q origin main :drafts/sites/nyc/web/packagevariant-1")
	f.forge.Change(2, func(p *forgetest.Pull) { p.State = forge.Merged })
	f.runJob("sync", false, of("fra", "merged", "v2"), of("nyc", "closed", "v2"))
	f.run(t, `sed -i 's/role: edge, region: eu/region: eu/' fleet/repositories.yaml && git commit -qam 'Close the shop' && `+
		`git push -q origin main`)
	f.runJob("sync", false, of("fra", "merged", "v2"), of("nyc", "closed", "v2"), "open removals/sites/fra/web -> main: fra/web: removal")
}

// TestSyncOnGitLab does the same on GitLab, with a git repository for each site.
func TestSyncOnGitLab(t *testing.T) {
	t.Parallel()
	f := startFleet(t, forge.GitLab)
	of := func(site, state, version string) string {
		return fmt.Sprintf("%s drafts/web/packagevariant-1 -> main: %s/web: clone of blueprints.web.%s", state, site, version)
	}
	f.run(t, `cp one-repository-each/repositories.yaml fleet && git commit -qam 'Move the sites' && git push -q origin main`)
	f.run(t, `for site in fra nyc; do git init -q --bare -b main ~/forge/acme/site-$site.git; done`)
	f.runJob("sync", false, of("fra", "open", "v1"), of("nyc", "open", "v1"))
	f.run(t, upgrade)
	f.runJob("sync", false, of("fra", "open", "v2"), of("nyc", "open", "v2"))
	f.run(t, `git clone -q https://git.example.com/acme/site-fra.git ~/fra && git -C ~/fra merge -q --no-edit `+
		`origin/drafts/web/packagevariant-1 && git -C ~/fra push -q origin main`)
	f.run(t, `git push -q https://git.example.com/acme/site-nyc.git :drafts/web/packagevariant-1`)
	f.runJob("sync", false, of("fra", "closed", "v2"), of("nyc", "closed", "v2"))
}

// TestSyncFails checks that a sync that fails closes no pull request, and that its job fails.
func TestSyncFails(t *testing.T) {
	t.Parallel()
	f := startFleet(t, forge.GitHub)
	of := func(site string) string {
		return fmt.Sprintf("open drafts/sites/%s/web/packagevariant-1 -> main: %[1]s/web: clone of blueprints.web.v1", site)
	}
	f.runJob("sync", false, of("fra"), of("nyc"))
	f.run(t, "sed -i 's/revision:/revison:/' fleet/set.yaml && git commit -qam wrong && git push -q origin main")
	f.runJob("sync", true, of("fra"), of("nyc"))
}

// TestPlans runs the jobs that plan on a pull request: the plan becomes the comment, also if it fails; then the job
// does, too.
func TestPlans(t *testing.T) {
	t.Parallel()
	for _, kind := range []forge.Kind{forge.GitHub, forge.GitLab} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			f := startFleet(t, kind)
			f.forge.Add(forgetest.Pull{Repository: "acme/fleet", Branch: "london"})
			for i, plan := range []struct {
				change, first string
				texts         []string
			}{
				{"(echo --- && cat london.yaml) >> fleet/repositories.yaml && git commit -qam London", "### Plan: 3 create.",
					[]string{"| **create** | `web-lon-web-tmkmhdtf99` | `lon/web` | `blueprints.web.v1` |", "\n+   region: eu\n"}},
				{"sed -i s/revision:/revison:/ fleet/set.yaml && git commit -qam wrong", "### Plan: 1 failure.",
					[]string{"revison"}},
			} {
				f.run(t, plan.change)
				f.runJob("plan", i > 0)
				f.expectComment(plan.first, plan.texts...)
			}
		})
	}
}
