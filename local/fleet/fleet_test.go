// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/local/fleet/fleettest"
	"github.com/package-variants/package-variants/local/home"
)

// world is a fleet that is synced.
type world struct {
	*fleettest.World
	// by says which of its drafts are shown by one branch.
	by *ReviewBy
}

const repositories, web, webSet = fleettest.Repositories, fleettest.Web, fleettest.WebSet

func settings(size string) string { return fleettest.Settings(size) }

func newWorld(t *testing.T, manifests string) *world {
	t.Helper()
	return &world{World: fleettest.New(t, manifests)}
}

// options are those of a sync of the fleet as it is on main.
func (w *world) options() Options {
	w.Helper()
	w.People.Update()
	return Options{Dir: filepath.Join(w.People.Dir, "fleet"), Cache: w.Cache, Reviews: w.by}
}

// sync syncs, and returns what came of it. A plan foresees it.
func (w *world) sync() *Report {
	w.Helper()
	plan := w.plan(w.options())
	report, err := Sync(w.Context(), w.options())
	if err != nil {
		w.Fatal(err)
	}
	foreseen, came := map[string]string{}, map[string]string{}
	for _, v := range plan.Variants {
		foreseen[v.Name] = v.Condition.Reason
	}
	maps.DeleteFunc(foreseen, func(_, reason string) bool { return reason == "" })
	for _, l := range report.Variants {
		came[l.Name] = l.Reason
		if l.Reason == "" || l.Reason == v1alpha1.ReasonPushRefused || l.Message == ofEarlierSync { // by a server
			delete(came, l.Name)
			delete(foreseen, l.Name)
		}
	}
	w.Equal("what a plan foresees", came, foreseen)
	if failed := plan.Errors(); len(report.Failures) == 0 && len(failed) > 0 {
		w.Errorf("the plan fails, and the sync does not: %v", failed)
	}
	return report
}

// plan plans, which changes nothing.
func (w *world) plan(o Options) (plan *plans.Plan) {
	w.Helper()
	w.unchanged("a plan", func() {
		var err error
		if plan, err = Plan(w.Context(), o, true); err != nil {
			w.Fatal(err)
		}
	})
	return plan
}

// lines returns what a report says of variants, and what failed.
func lines(r *Report) (all []string) {
	for _, l := range r.Variants {
		all = append(all, strings.TrimRight(fmt.Sprintf("%s: %s %s %s", l.Name, l.Reason, l.Revision, l.Draft), " "))
	}
	return append(all, r.Failures...)
}

// happened returns what happened to packages, as a report says it.
func happened(r *Report) (all []string) {
	for _, p := range r.Packages {
		all = append(all, p.Package+": "+p.Text)
	}
	return all
}

// commits returns how many commits the branch with the state has.
func (w *world) commits() string {
	w.Helper()
	return strings.TrimSpace(w.Remote.Git("rev-list", "--count", "package-variants"))
}

// idle has a sync find nothing to do.
func (w *world) idle() {
	w.Helper()
	before := w.Remote.Refs()
	if plan := w.plan(w.options()); plan.Writes() {
		w.Errorf("a plan with nothing to do changes: %+v", plan)
	}
	w.sync()
	if diff := cmp.Diff(before, w.Remote.Refs()); diff != "" {
		w.Errorf("a sync with nothing to do has changed refs (-before +after):\n%s\n%s", diff,
			w.Remote.Git("log", "-1", "-p", "--format=%s", "package-variants"))
	}
}

const draft1, draft2 = "heads/drafts/edge/web/packagevariant-1", "heads/drafts/edge/web/packagevariant-2"

// TestLife is the life of a package: a draft, a merge, an upgrade beside what a person changed, and another merge.
func TestLife(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web)
	report := w.sync()
	w.Equal("first sync", []string{"web: UpToDate  edge.web.packagevariant-1"}, lines(report))
	report.Variants[0].PullRequest.Of = "" // a digest
	w.Equal("pull request", &PullRequest{Branches: home.Branches{Repository: w.Remote.Address(),
		Branch: "drafts/edge/web/packagevariant-1", Base: "main"}, Title: "edge/web: clone of blueprints.web.v1",
		Draft: "edge.web.packagevariant-1",
		Body:  "Draft of the PackageVariant `web`. Merging it publishes it; deleting its branch rejects it.\n\n`edge.web.packagevariant-1 waits for a person to publish it`\n"},
		report.Variants[0].PullRequest)
	w.Equal("refs", []string{draft1, "heads/package-variants"}, w.Refs())
	w.Equal("commits", "2", w.commits())
	w.idle()
	w.Push(strings.TrimPrefix(draft1, "heads/"), "Enlarge", map[string]string{"edge/web/settings.yaml": strings.Replace(settings("small"),
		"zone: none", "zone: north", 1)})
	edited := w.Remote.Refs()["refs/"+draft1]
	w.sync()
	w.Equal("a draft that a person edited", edited, w.Remote.Refs()["refs/"+draft1])
	w.Merge(strings.TrimPrefix(draft1, "heads/"))
	w.Equal("merged", []string{"web: UpToDate v1"}, lines(w.sync()))
	w.Equal("refs", []string{"heads/package-variants", "tags/edge/web/v1"}, w.Refs())
	w.idle()
	w.Push("main", "Version 2", map[string]string{"blueprints/web/settings.yaml": settings("large")},
		"HEAD:refs/tags/blueprints/web/v2")
	w.Equal("upgrade", []string{"web: UpToDate v1 edge.web.packagevariant-2"}, lines(w.sync()))
	w.Equal("both changes", strings.Replace(settings("large"), "zone: none", "zone: north", 1),
		w.Remote.Git("show", strings.TrimPrefix(draft2, "heads/")+":edge/web/settings.yaml"))
	w.idle()
}

// TestConflict has both sides change a value: the package's stays, and the report and the draft's commit name it until the
// draft is merged.
func TestConflict(t *testing.T) {
	t.Parallel()
	w := conflicting(t, web)
	report := w.sync()
	w.Equal("upgrade", []string{"web: UpToDate v2 edge.web.packagevariant-2"}, lines(report))
	w.Equal("conflicts", `with blueprints.web.v2, both sides changed data.size of ConfigMap "settings" in settings.yaml `+
		`(here "tiny", upstream "large"; the merge kept its own)`, report.Variants[0].Conflicted)
	w.Equal("all of them", []v1alpha1.Conflict{{File: "settings.yaml", Resource: `ConfigMap "settings"`, Field: "data.size",
		Original: "small", Local: "tiny", Updated: "large", Taken: "local"}}, report.Variants[0].Conflicts)
	w.Equal("state", v1alpha1.ReasonConflicted, report.Variants[0].shown())
	message, _, _ := strings.Cut(w.Remote.Git("log", "-1", "--format=%B", draft2), "\nkpt:")
	w.Equal("message", `Draft edge/web: upgrade of blueprints.web.v2

Both the upstream and the package changed:
- data.size of ConfigMap "settings" in settings.yaml
`, message)
	w.Merge(strings.TrimPrefix(draft2, "heads/"))
	report = w.sync()
	w.Equal("merged", []string{"web: UpToDate v3"}, lines(report))
	w.Equal("conflicts", "", report.Variants[0].Conflicted)
}

// TestConflictOfTheRevision has later versions of the upstream take back what both sides changed, and change it again:
// only what the one that is asked for changed is named, also if it stops the merge.
func TestConflictOfTheRevision(t *testing.T) {
	t.Parallel()
	w := conflicting(t, web)
	w.sync()
	push := func(version, size string) *Report {
		t.Helper()
		w.Push("main", "Version "+version, map[string]string{"blueprints/web/settings.yaml": settings(size),
			"blueprints/web/NOTES": version + "\n"}, "HEAD:refs/tags/blueprints/web/v"+version)
		return w.sync()
	}
	report := push("3", "small")
	w.Equal("taken back", []string{"web: UpToDate v2 edge.web.packagevariant-2"}, lines(report))
	w.Equal("no conflict", "", report.Variants[0].Conflicted)
	message := w.Remote.Git("log", "-1", "--format=%B", strings.TrimPrefix(draft2, "heads/"))
	w.Equal("its commit", []bool{true, true}, []bool{strings.HasPrefix(message, "Draft edge/web: upgrade of blueprints.web.v3\n"),
		strings.Contains(message, `"newUpstreamRef":{"name":"blueprints.web.v3"}`)})
	w.idle()
	w.Equal("changed again", `with blueprints.web.v4, both sides changed data.size of ConfigMap "settings" in settings.yaml `+
		`(here "tiny", upstream "huge"; the merge kept its own)`, push("4", "huge").Variants[0].Conflicted)
	w.idle()
	w.Push("main", "Stop", map[string]string{"fleet/web.yaml": web + "  upgrade: {onConflict: Stop}\n"})
	w.Push("main", "Version 5", map[string]string{"blueprints/web/settings.yaml": settings("vast")},
		"HEAD:refs/tags/blueprints/web/v5")
	if _, err := w.syncAt(func(*Options) {}); err != nil {
		t.Fatal(err)
	}
	status := w.Remote.Git("show", "package-variants:fleet/.fleet/variants/default/web.json")
	w.Equal("stopped", []bool{true, true}, []bool{strings.Contains(status, `"updated": "huge"`),
		strings.Contains(status, `"pendingMerge": "blueprints.web.v5"`)})
	w.Equal("the draft stays", "4\n", w.Remote.Git("show", strings.TrimPrefix(draft2, "heads/")+":edge/web/NOTES"))
}

// TestAutomatic publishes at once what nobody has to review, and waits where a person changed it.
func TestAutomatic(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web+"  approvalPolicy: Automatic\n")
	w.Equal("published", []string{"web: UpToDate v1"}, lines(w.sync()))
	w.Equal("refs", []string{"heads/package-variants", "tags/edge/web/v1"}, w.Refs())
	w.idle()
}

// TestWhoCommits has drafts, publications and records be by whom git commits as in the directory of the fleet.
func TestWhoCommits(t *testing.T) {
	for name, tt := range map[string]struct {
		env, global, clone, want string
	}{
		"the environment":     {env: "Env", global: "Global", clone: "Clone", want: "Env"},
		"the clone":           {global: "Global", clone: "Clone", want: "Clone"},
		"the user everywhere": {global: "Global", want: "Global"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, web+"  approvalPolicy: Automatic\n"+another("other"))
			options := w.options()
			for _, of := range []string{"GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"} {
				if t.Setenv(of, tt.env); tt.env == "" {
					_ = os.Unsetenv(of) // until Setenv restores it
				}
			}
			global := filepath.Join(t.TempDir(), "config")
			t.Setenv("GIT_CONFIG_GLOBAL", global)
			w.People.Git("config", "--global", "user.name", tt.global)
			if tt.clone != "" {
				w.People.Git("config", "user.name", tt.clone)
			}
			if _, err := Sync(w.Context(), options); err != nil {
				t.Fatal(err)
			}
			for _, ref := range []string{"drafts/edge/other/packagevariant-1", "edge/web/v1", "package-variants"} {
				w.Equal(ref, tt.want+", "+tt.want+"\n", w.Remote.Git("log", "-1", "--format=%an, %cn", ref))
			}
		})
	}
}

// TestSet has a set make its variants, which last in the state, and has it remove them.
func TestSet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, webSet)
	report := w.sync()
	if len(report.Variants) != 1 || report.Variants[0].Draft != "edge.web.packagevariant-1" {
		t.Error(report)
	}
	w.idle()
}

// TestRejected removes the branch of a draft: it comes back when something else is asked for.
func TestRejected(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web)
	w.sync()
	w.Remote.Git("update-ref", "-d", "refs/"+draft1)
	w.Equal("rejected", []string{"web: Rejected"}, lines(w.sync()))
	w.idle()
	w.Push("main", "Ask for something else", map[string]string{"fleet/web.yaml": strings.Replace(web, "north", "south", 1)})
	report := w.sync()
	w.Equal("asked for anew", []string{"web: UpToDate  edge.web.packagevariant-2"}, lines(report))
	w.Equal("what it waits for", v1alpha1.ReasonManualApproval, report.Variants[0].Waits)
	w.idle()
}

// TestReverted has a person take an upgrade back: it is not made again until something else is asked for.
func TestReverted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web+"  approvalPolicy: Automatic\n")
	w.sync()
	w.Push("main", "Version 2", map[string]string{"blueprints/web/settings.yaml": settings("large")},
		"HEAD:refs/tags/blueprints/web/v2")
	w.Equal("upgraded", []string{"web: UpToDate v2"}, lines(w.sync()))
	w.People.Update()
	w.People.Git("checkout", "-q", "edge/web/v1", "--", "edge/web")
	w.People.Push("Go back", nil, "HEAD:refs/heads/main")
	w.Equal("reverted", []string{"web: Rejected v3"}, lines(w.sync()))
	w.idle()
	w.Push("main", "Version 3", map[string]string{"blueprints/web/settings.yaml": settings("huge")},
		"HEAD:refs/tags/blueprints/web/v3")
	w.Equal("asked for anew", []string{"web: UpToDate v4"}, lines(w.sync()))
}

// TestRefused has a server refuse the draft of one variant of two.
func TestRefused(t *testing.T) {
	t.Parallel()
	other := strings.NewReplacer("name: web", "name: other", "edge, package: web", "edge, package: other").Replace(web)
	w := newWorld(t, web+"---"+other)
	w.Remote.Hook("update", `case $1 in refs/heads/drafts/*/other/*) echo "not yet"; exit 1;; esac`)
	report := w.sync()
	w.Equal("refused", []string{"other: PushRefused", "web: UpToDate  edge.web.packagevariant-1"}, lines(report)[:2])
	if !strings.Contains(strings.Join(report.Failures, ""), "not yet") {
		t.Error(report.Failures)
	}
	w.unchanged("a sync that is refused again", func() { w.sync() })
	w.Remote.Hook("update", "exit 0")
	w.Equal("accepted", []string{"other: UpToDate  edge.other.packagevariant-1", "web: UpToDate  edge.web.packagevariant-1"},
		lines(w.sync()))
}

// TestKilled stops a sync after the announcements, and after the pushes: the next one does what is left.
func TestKilled(t *testing.T) {
	t.Parallel()
	const first = `[ $2 = 0000000000000000000000000000000000000000 ]`
	for policy, want := range map[string][]string{"Manual": {"web: UpToDate  edge.web.packagevariant-1"},
		"Automatic": {"web: UpToDate v1"}} {
		for at, script := range map[string]string{
			"announced": `[ $1 = refs/heads/package-variants ] && ` + first,
			"pushed":    `[ $1 != refs/heads/package-variants ] || ` + first,
		} {
			t.Run(policy+" "+at, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, web+"  approvalPolicy: "+policy+"\n")
				w.Push("main", "Version 2", map[string]string{"blueprints/web/chart/a.yaml": "{{ if .a }}\nb: c\n{{ end }}\n",
					"blueprints/web/chart/b.yaml": "{{- if .a }}\nb: c\n"}, "HEAD:refs/tags/blueprints/web/v2")
				w.Remote.Hook("update", script)
				if _, err := Sync(w.Context(), w.options()); err == nil || !strings.Contains(err.Error(), "cannot record the state") {
					t.Fatal(err)
				}
				w.Remote.Hook("update", "exit 0")
				w.Equal("finished", want, lines(w.sync()))
				w.idle()
			})
		}
	}
}
