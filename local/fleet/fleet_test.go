// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/local/git/gittest"
)

// world is one git repository with a fleet and all of its packages, and a person who works in a clone of it.
type world struct {
	*testing.T
	remote *gittest.Remote
	people *gittest.Clone
	cache  string
}

const repositories = `
apiVersion: config.porch.kpt.dev/v1alpha1
kind: Repository
metadata: {name: blueprints}
spec: {type: git, git: {repo: ADDRESS, branch: main, directory: blueprints}}
---
apiVersion: config.porch.kpt.dev/v1alpha1
kind: Repository
metadata: {name: edge, labels: {tier: edge}}
spec: {type: git, deployment: true, git: {repo: ADDRESS, branch: main, directory: edge}}
`

// web is a variant of the blueprint web. What it says of itself is added.
const web = `
apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: {name: web}
spec:
  upstream: {repo: blueprints, package: web, revision: latest}
  downstream: {repo: edge, package: web}
  packageContext: {data: {region: north}}
`

const webSet = `
apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {name: webs}
spec:
  upstream: {repo: blueprints, package: web, revision: latest}
  targets:
  - objectSelector: {apiVersion: config.porch.kpt.dev/v1alpha1, kind: Repository, matchLabels: {tier: edge}}
    template: {downstream: {package: web}}
`

func settings(size string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  size: " + size + "\n  a: a\n  b: b\n  c: c\n" +
		"  zone: none\n"
}

// newWorld returns a world with manifests and version 1 of the blueprint.
func newWorld(t *testing.T, manifests string) *world {
	t.Helper()
	w := &world{T: t, remote: gittest.NewRemote(t, "world"), cache: t.TempDir()}
	w.people = w.remote.Clone()
	w.people.Commit("Begin", map[string]string{
		"fleet/repositories.yaml": strings.ReplaceAll(repositories, "ADDRESS", w.remote.Address()), "fleet/web.yaml": manifests,
		"blueprints/web/Kptfile":       "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n",
		"blueprints/web/settings.yaml": settings("small"),
	})
	w.people.Git("push", "-q", "origin", "HEAD:refs/heads/main", "HEAD:refs/tags/blueprints/web/v1")
	return w
}

// push has a person commit files to a branch.
func (w *world) push(branch, message string, files map[string]string, more ...string) {
	w.Helper()
	w.people.Update()
	w.people.Checkout(branch)
	w.people.Push(message, files, append([]string{"HEAD:refs/heads/" + branch}, more...)...)
	w.people.Update()
}

// merge has a person merge a branch.
func (w *world) merge(branch string) {
	w.Helper()
	w.people.Update()
	w.people.Merge(branch)
	w.people.Git("push", "-q", "origin", "HEAD:refs/heads/main")
}

// options are those of a sync of the fleet as it is on main.
func (w *world) options() Options {
	w.Helper()
	w.people.Update()
	return Options{Dir: filepath.Join(w.people.Dir, "fleet"), Cache: w.cache}
}

// sync syncs, and returns what came of it.
func (w *world) sync() *Report {
	w.Helper()
	report, err := Sync(w.Context(), w.options())
	if err != nil {
		w.Fatal(err)
	}
	return report
}

// lines returns what a report says of variants, and what failed.
func lines(r *Report) (all []string) {
	for _, l := range r.Variants {
		all = append(all, strings.TrimRight(fmt.Sprintf("%s: %s %s %s", l.Name, l.Reason, l.Revision, l.Draft), " "))
	}
	return append(all, r.Failures...)
}

// refs returns the refs of packages and of the state.
func (w *world) refs() (all []string) {
	w.Helper()
	for _, ref := range w.remote.Names() {
		if name := strings.TrimPrefix(ref, "refs/"); !strings.Contains(name, "blueprints") && name != "heads/main" {
			all = append(all, name)
		}
	}
	return all
}

// commits returns how many commits the branch with the state has.
func (w *world) commits() string {
	w.Helper()
	return strings.TrimSpace(w.remote.Git("rev-list", "--count", "package-variants"))
}

func (w *world) equal(what string, want, got any) {
	w.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		w.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// idle has a sync find nothing to do.
func (w *world) idle() {
	w.Helper()
	before := w.remote.Refs()
	w.sync()
	if diff := cmp.Diff(before, w.remote.Refs()); diff != "" {
		w.Errorf("a sync with nothing to do has changed refs (-before +after):\n%s\n%s", diff,
			w.remote.Git("log", "-1", "-p", "--format=%s", "package-variants"))
	}
}

const draft1, draft2 = "heads/drafts/edge/web/packagevariant-1", "heads/drafts/edge/web/packagevariant-2"

// TestLife is the life of a package: a draft, a merge, an upgrade beside what a person changed, and another merge.
func TestLife(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web)
	report := w.sync()
	w.equal("first sync", []string{"web: UpToDate  edge.web.packagevariant-1"}, lines(report))
	w.equal("refs", []string{draft1, "heads/package-variants"}, w.refs())
	w.equal("commits", "2", w.commits())
	w.idle()
	w.push(strings.TrimPrefix(draft1, "heads/"), "Enlarge", map[string]string{"edge/web/settings.yaml": strings.Replace(settings("small"),
		"zone: none", "zone: north", 1)})
	edited := w.remote.Refs()["refs/"+draft1]
	w.sync()
	w.equal("a draft that a person edited", edited, w.remote.Refs()["refs/"+draft1])
	w.merge(strings.TrimPrefix(draft1, "heads/"))
	w.equal("merged", []string{"web: UpToDate v1"}, lines(w.sync()))
	w.equal("refs", []string{"heads/package-variants", "tags/edge/web/v1"}, w.refs())
	w.idle()
	w.push("main", "Version 2", map[string]string{"blueprints/web/settings.yaml": settings("large")},
		"HEAD:refs/tags/blueprints/web/v2")
	w.equal("upgrade", []string{"web: UpToDate v1 edge.web.packagevariant-2"}, lines(w.sync()))
	w.equal("both changes", strings.Replace(settings("large"), "zone: none", "zone: north", 1),
		w.remote.Git("show", strings.TrimPrefix(draft2, "heads/")+":edge/web/settings.yaml"))
	w.idle()
}

// TestConflict has both sides change a value: the draft has the upstream's, and the report names it until the draft is
// merged.
func TestConflict(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web)
	w.sync()
	w.merge(strings.TrimPrefix(draft1, "heads/"))
	w.sync()
	w.push("main", "Keep it tiny", map[string]string{"edge/web/settings.yaml": strings.Replace(
		w.remote.Git("show", "main:edge/web/settings.yaml"), "size: small", "size: tiny", 1)})
	w.push("main", "Version 2", map[string]string{"blueprints/web/settings.yaml": settings("large")},
		"HEAD:refs/tags/blueprints/web/v2")
	report := w.sync()
	w.equal("upgrade", []string{"web: UpToDate v2 edge.web.packagevariant-2"}, lines(report))
	w.equal("conflicts", `with blueprints.web.v2, both sides changed data.size of ConfigMap "settings" in settings.yaml `+
		`(here "tiny", upstream "large"; the draft has the upstream's)`, report.Variants[0].Conflicts)
	w.merge(strings.TrimPrefix(draft2, "heads/"))
	report = w.sync()
	w.equal("merged", []string{"web: UpToDate v3"}, lines(report))
	w.equal("conflicts", "", report.Variants[0].Conflicts)
}

// TestAutomatic publishes at once what nobody has to review, and waits where a person changed it.
func TestAutomatic(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web+"  approvalPolicy: Automatic\n")
	w.equal("published", []string{"web: UpToDate v1"}, lines(w.sync()))
	w.equal("refs", []string{"heads/package-variants", "tags/edge/web/v1"}, w.refs())
	w.idle()
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
	w.remote.Git("update-ref", "-d", "refs/"+draft1)
	w.equal("rejected", []string{"web: Rejected"}, lines(w.sync()))
	w.idle()
	w.push("main", "Ask for something else", map[string]string{"fleet/web.yaml": strings.Replace(web, "north", "south", 1)})
	w.equal("asked for anew", []string{"web: UpToDate  edge.web.packagevariant-2"}, lines(w.sync()))
	w.idle()
}

// TestReverted has a person take an upgrade back: it is not made again until something else is asked for.
func TestReverted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web+"  approvalPolicy: Automatic\n")
	w.sync()
	w.push("main", "Version 2", map[string]string{"blueprints/web/settings.yaml": settings("large")},
		"HEAD:refs/tags/blueprints/web/v2")
	w.equal("upgraded", []string{"web: UpToDate v2"}, lines(w.sync()))
	w.people.Update()
	w.people.Git("checkout", "-q", "edge/web/v1", "--", "edge/web")
	w.people.Push("Go back", nil, "HEAD:refs/heads/main")
	w.equal("reverted", []string{"web: Rejected v3"}, lines(w.sync()))
	w.idle()
	w.push("main", "Version 3", map[string]string{"blueprints/web/settings.yaml": settings("huge")},
		"HEAD:refs/tags/blueprints/web/v3")
	w.equal("asked for anew", []string{"web: UpToDate v4"}, lines(w.sync()))
}

// TestRefused has a server refuse the draft of one variant of two.
func TestRefused(t *testing.T) {
	t.Parallel()
	other := strings.NewReplacer("name: web", "name: other", "edge, package: web", "edge, package: other").Replace(web)
	w := newWorld(t, web+"---"+other)
	w.remote.Hook("update", `case $1 in refs/heads/drafts/*/other/*) echo "not yet"; exit 1;; esac`)
	report := w.sync()
	w.equal("refused", []string{"other: PushRefused", "web: UpToDate  edge.web.packagevariant-1"}, lines(report)[:2])
	if !strings.Contains(strings.Join(report.Failures, ""), "not yet") {
		t.Error(report.Failures)
	}
	w.idle()
	w.remote.Hook("update", "exit 0")
	w.equal("accepted", []string{"other: UpToDate  edge.other.packagevariant-1", "web: UpToDate  edge.web.packagevariant-1"},
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
				w.remote.Hook("update", script)
				if _, err := Sync(w.Context(), w.options()); err == nil || !strings.Contains(err.Error(), "cannot record the state") {
					t.Fatal(err)
				}
				w.remote.Hook("update", "exit 0")
				w.equal("finished", want, lines(w.sync()))
				w.idle()
			})
		}
	}
}
