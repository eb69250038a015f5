// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
)

// secondVersion publishes version 2 of the blueprint.
func (w *world) secondVersion() {
	w.Helper()
	w.Push("main", "Version 2", map[string]string{"blueprints/web/settings.yaml": settings("large")},
		"HEAD:refs/tags/blueprints/web/v2")
}

// published returns a world in which the variant web is published.
func published(t *testing.T, manifests string) *world {
	t.Helper()
	w := newWorld(t, manifests)
	w.sync()
	w.Merge(strings.TrimPrefix(draft1, "heads/"))
	w.Equal("published", []string{"web: UpToDate v1"}, lines(w.sync()))
	return w
}

// conflicting returns a world in which a person and version 2 of the blueprint have changed the same value.
func conflicting(t *testing.T, manifests string) *world {
	t.Helper()
	w := published(t, manifests)
	w.Push("main", "Keep it tiny", map[string]string{"edge/web/settings.yaml": strings.Replace(
		w.Remote.Git("show", "main:edge/web/settings.yaml"), "size: small", "size: tiny", 1)})
	w.secondVersion()
	return w
}

// TestMergedAndTakenBack has a person merge an upgrade and take that back before the next sync, which knows the draft: it
// is not made again until something else is asked for, whether its branch is still there or not.
func TestMergedAndTakenBack(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *world){
		"its branch stays": func(*world) {},
		"its branch goes":  func(w *world) { w.Remote.Git("update-ref", "-d", "refs/"+draft2) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := published(t, web)
			w.secondVersion()
			w.sync()
			w.Merge(strings.TrimPrefix(draft2, "heads/"))
			w.People.Git("revert", "--no-edit", "-m", "1", "HEAD")
			w.People.Git("push", "-q", "origin", "HEAD:refs/heads/main")
			end(w)
			w.Equal("taken back", []string{"web: Rejected v1"}, lines(w.sync()))
			w.Equal("refs", []string{"heads/package-variants", "tags/edge/web/v1"}, w.Refs())
			w.idle()
			w.Push("main", "Version 3", map[string]string{"blueprints/web/settings.yaml": settings("huge")},
				"HEAD:refs/tags/blueprints/web/v3")
			w.Equal("asked for anew", []string{"web: UpToDate v1 edge.web.packagevariant-3"}, lines(w.sync()))
		})
	}
}

// TestRestored has a forge restore the branch of a draft that was merged and published: it goes again, and nothing else
// happens, although there is a hotfix since.
func TestRestored(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web)
	w.sync()
	was := w.Remote.Refs()["refs/"+draft1]
	w.Merge(strings.TrimPrefix(draft1, "heads/"))
	w.sync()
	w.Push("main", "A hotfix", map[string]string{"edge/web/settings.yaml": settings("tiny")})
	w.Equal("hotfix", []string{"web: UpToDate v2"}, lines(w.sync()))
	w.Remote.Git("update-ref", "refs/"+draft1, was)
	w.Equal("restored", []string{"web: UpToDate v2"}, lines(w.sync()))
	w.Equal("refs", []string{"heads/package-variants", "tags/edge/web/v1", "tags/edge/web/v2"}, w.Refs())
	w.idle()
}

// TestInjected changes one of two objects that are injected: only the package with its values gets a draft.
func TestInjected(t *testing.T) {
	t.Parallel()
	object := func(name, zone string) string {
		return "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + "}\ndata: {zone: " + zone + "}\n"
	}
	of := func(name string) string {
		return strings.NewReplacer("name: web", "name: "+name, "edge, package: web", "edge, package: "+name).Replace(web) +
			"  injectors: [{name: " + name + "}]\n"
	}
	w := newWorld(t, of("a")+"---"+of("b")+object("a", "one")+object("b", "two"))
	w.Push("main", "Mark a point", map[string]string{"blueprints/web/settings.yaml": strings.Replace(settings("small"),
		"  name: settings\n", "  name: settings\n  annotations: {kpt.dev/config-injection: required}\n", 1)},
		"HEAD:refs/tags/blueprints/web/v2")
	w.Equal("drafts", []string{"a: UpToDate  edge.a.packagevariant-1", "b: UpToDate  edge.b.packagevariant-1"}, lines(w.sync()))
	w.Merge("drafts/edge/a/packagevariant-1")
	w.Merge("drafts/edge/b/packagevariant-1")
	w.sync()
	w.Push("main", "Move a", map[string]string{"fleet/web.yaml": of("a") + "---" + of("b") + object("a", "three") + object("b", "two")})
	w.Equal("moved", []string{"a: UpToDate v1 edge.a.packagevariant-2", "b: UpToDate v1"}, lines(w.sync()))
	if text := w.Remote.Git("show", "drafts/edge/a/packagevariant-2:edge/a/settings.yaml"); !strings.Contains(text, "zone: three") {
		t.Error(text)
	}
	w.idle()
}

// TestDependsOn has one variant wait for another to be published.
func TestDependsOn(t *testing.T) {
	t.Parallel()
	other := strings.NewReplacer("name: web", "name: other", "edge, package: web", "edge, package: other").Replace(web)
	w := newWorld(t, web+"  dependsOn: [{name: other}]\n---"+other)
	w.Equal("waits", []string{"other: UpToDate  edge.other.packagevariant-1", "web: DependencyNotReady"}, lines(w.sync()))
	w.Merge("drafts/edge/other/packagevariant-1")
	w.Equal("goes on", []string{"other: UpToDate v1", "web: UpToDate  edge.web.packagevariant-1"}, lines(w.sync()))
	w.idle()
}

// TestShallow syncs from a clone that has the last commit only, as a job of a forge does.
func TestShallow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web)
	w.sync()
	w.Push("main", "Ask for something else", map[string]string{"fleet/web.yaml": strings.Replace(web, "north", "south", 1)})
	job := filepath.Join(t.TempDir(), "job")
	w.People.Git("clone", "-q", "--depth=1", w.Remote.Address(), job)
	report, err := Sync(t.Context(), Options{Dir: filepath.Join(job, "fleet"), Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	w.Equal("synced", []string{"web: UpToDate  edge.web.packagevariant-1"}, lines(report))
	if text := w.Remote.Git("show", "drafts/edge/web/packagevariant-1:edge/web/package-context.yaml"); !strings.Contains(text, "south") {
		t.Error(text)
	}
}

// TestNotAtomic has a server without atomic pushes: a publication takes several.
func TestNotAtomic(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web+"  approvalPolicy: Automatic\n")
	w.Remote.Git("config", "receive.advertiseAtomic", "false")
	w.Equal("published", []string{"web: UpToDate v1"}, lines(w.sync()))
	w.Equal("refs", []string{"heads/package-variants", "tags/edge/web/v1"}, w.Refs())
	w.idle()
}

// TestComesBack removes a manifest, and restores it before the removal is merged: its branch goes, and the package stays
// as it is.
func TestComesBack(t *testing.T) {
	t.Parallel()
	w := published(t, web+"  deletionPolicy: delete\n")
	w.Push("main", "Remove the variant", map[string]string{"fleet/web.yaml": "# none\n"})
	w.sync()
	w.Equal("to be removed", []string{"heads/package-variants", "heads/removals/edge/web", "tags/edge/web/v1"}, w.Refs())
	w.Push("main", "Bring it back", map[string]string{"fleet/web.yaml": web + "  deletionPolicy: delete\n"})
	w.Equal("back", []string{"web: UpToDate v1"}, lines(w.sync()))
	w.Equal("refs", []string{"heads/package-variants", "tags/edge/web/v1"}, w.Refs())
	w.idle()
}

// TestSetRemoves has a set want four packages less: that is more than three at once, and so it needs a sign.
func TestSetRemoves(t *testing.T) {
	t.Parallel()
	set := func(names string, more string) string {
		return `
apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {name: webs}
spec:
  upstream: {repo: blueprints, package: web, revision: latest}
` + more + `  targets:
  - repositories: [{name: edge, packageNames: [` + names + `]}]
`
	}
	w := newWorld(t, set("a, b, c, d, e", ""))
	w.sync()
	w.Push("main", "Want less", map[string]string{"fleet/web.yaml": set("a", "")})
	report := w.sync()
	w.Equal("packages", 5, len(report.Variants))
	w.Equal("set", "TooManyDeletions", report.Sets[0].Reason)
	limit := []string{"default/webs has no spec.maxDeletions, which is then what --max-removals says: say it with a larger " +
		"number to have them deleted once"}
	w.Equal("note", limit, report.Notes)
	w.Equal("note of a plan", limit, w.plan(w.options()).Notes)
	w.idle()
	w.Push("main", "Mean it", map[string]string{"fleet/web.yaml": set("a", "  maxDeletions: 4\n")})
	w.Equal("packages", 1, len(w.sync().Variants))
	w.idle()
}

// TestNoCredentials has a server ask for credentials that nobody has: nothing waits for a prompt, the failure names the
// Repository, and the others' work goes on.
func TestNoCredentials(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(server.Close)
	asking := strings.NewReplacer("name: edge,", "name: asking,", "ADDRESS", server.URL+"/sites.git").Replace(
		repositories[strings.LastIndex(repositories, "---"):])
	w := newWorld(t, web+asking+strings.ReplaceAll(another("other"), "repo: edge", "repo: asking"))
	report := w.sync()
	w.Equal("beside", "web: UpToDate  edge.web.packagevariant-1", lines(report)[1])
	if failed := strings.Join(report.Failures, "\n"); !strings.Contains(failed, "could not read Username") ||
		!strings.Contains(failed, server.URL) {
		t.Error(failed)
	}
}

// TestTwoFleets has two fleets in one repository: neither sees, removes or publishes what is the other's.
func TestTwoFleets(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web)
	other := strings.NewReplacer("ADDRESS", w.Remote.Address()).Replace(repositories)
	w.Push("main", "Begin another fleet", map[string]string{"others/repositories.yaml": other, "others/other.yaml": another("other")})
	second := func() *Report {
		t.Helper()
		o := w.options()
		o.Dir = filepath.Join(w.People.Dir, "others")
		report, err := Sync(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	w.Equal("first", []string{"web: UpToDate  edge.web.packagevariant-1"}, lines(w.sync()))
	w.Equal("second", []string{"other: UpToDate  edge.other.packagevariant-1"}, lines(second()))
	w.Merge("drafts/edge/web/packagevariant-1")
	w.Merge("drafts/edge/other/packagevariant-1")
	w.Equal("second", []string{"other: UpToDate v1"}, lines(second()))
	w.Equal("refs", []string{draft1, "heads/package-variants", "tags/edge/other/v1"}, w.Refs())
	w.Equal("first", []string{"web: UpToDate v1"}, lines(w.sync()))
	w.Equal("refs", []string{"heads/package-variants", "tags/edge/other/v1", "tags/edge/web/v1"}, w.Refs())
	w.idle()
}

// TestOverlap names a directory that has another fleet in it, or is in one: nothing is done, since each would have the
// other's packages. A fleet that is not there any more is in nobody's way.
func TestOverlap(t *testing.T) {
	t.Parallel()
	whole := func(w *world) Options {
		o := w.options()
		o.Dir = w.People.Dir
		return o
	}
	refused := func(w *world, o Options, want string) {
		t.Helper()
		before := w.Refs()
		_, err := Sync(t.Context(), o)
		if _, opened := Open(t.Context(), o); fmt.Sprint(opened) != fmt.Sprint(err) {
			t.Errorf("opened: %v", opened)
		}
		w.Equal("refused", want, strings.ReplaceAll(w.said(fmt.Sprint(err)), w.People.Dir, "DIR"))
		w.Equal("refs", before, w.Refs())
	}
	const how = ", as the argument or by --dir; if that is not to be a fleet, remove "
	const of = " from the branch package-variants of ADDRESS, which forgets what was recorded of it"
	w := newWorld(t, web)
	w.sync()
	refused(w, whole(w), "DIR/fleet is a fleet of its own, which has manifests of DIR: name DIR/fleet instead"+how+
		"fleet/.fleet"+of)
	o := whole(w)
	w.People.Git("mv", "fleet", "moved")
	if f, err := Open(t.Context(), o); err != nil {
		t.Error(err)
	} else if err := f.Close(); err != nil {
		t.Error(err)
	}

	w = newWorld(t, web)
	if _, err := Sync(t.Context(), whole(w)); err != nil {
		t.Fatal(err)
	}
	refused(w, w.options(), "DIR is a fleet of its own, which has manifests of DIR/fleet: name DIR instead"+how+
		".fleet"+of)
}

// TestRemovedByHand has a person remove the directory of a package, with a draft of it and without one: it is not made
// again, and comes back when it is restored.
func TestRemovedByHand(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		draft   func(w *world)
		removed string
	}{
		"a draft":  {func(w *world) { w.secondVersion(); w.sync() }, "web: LeftToPeople v1 edge.web.packagevariant-2"},
		"no draft": {func(*world) {}, "web: LeftToPeople v1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := published(t, web)
			tt.draft(w)
			before := lines(w.sync())
			w.People.Update()
			w.People.Git("rm", "-rq", "edge/web")
			w.People.Push("Remove it", nil, "HEAD:refs/heads/main")
			report := w.sync()
			w.Equal("removed", []string{tt.removed}, lines(report))
			w.Equal("what to do", "edge/web is not on the branch main of ADDRESS any more, and is not made again: to have it back, "+
				"git checkout edge/web/v1 -- edge/web, and commit that; if it is to stay away, take the variant out of the manifests",
				w.said(report.Variants[0].Message))
			w.idle()
			w.People.Update()
			w.People.Git("revert", "--no-edit", "HEAD")
			w.People.Git("push", "-q", "origin", "HEAD:refs/heads/main")
			w.Equal("restored", before, lines(w.sync()))
			w.idle()
		})
	}
}

// TestBeside has a person commit to a draft of a variant with approvalPolicy Automatic outside of its package: nothing of
// that is published without a person.
func TestBeside(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web)
	w.sync()
	w.Push(strings.TrimPrefix(draft1, "heads/"), "Change something else", map[string]string{"blueprints/web/settings.yaml": settings("evil")})
	w.Push("main", "Publish by policy", map[string]string{"fleet/web.yaml": web + "  approvalPolicy: Automatic\n"})
	main := w.Remote.Refs()["refs/heads/main"]
	w.Equal("left to a person", []string{"web: UpToDate  edge.web.packagevariant-1"}, lines(w.sync()))
	w.Equal("main", main, w.Remote.Refs()["refs/heads/main"])
	w.idle()
	w.Merge(strings.TrimPrefix(draft1, "heads/"))
	w.Equal("merged", []string{"web: UpToDate v1"}, lines(w.sync()))
}

// TestProtected has a server refuse to have drafts merged by the sync: each waits for its forge, or until the server
// takes what each sync tries again.
func TestProtected(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *world){
		"the forge merges":    func(w *world) { w.Merge(strings.TrimPrefix(draft1, "heads/")) },
		"the refusal is over": func(*world) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, web+"  approvalPolicy: Automatic\n")
			w.Remote.Hook("update", `[ $1 != refs/heads/main ] || { echo "protected branch"; exit 1; }`)
			report := w.sync()
			w.Equal("left to the forge", []string{"web: UpToDate  edge.web.packagevariant-1"}, lines(report))
			if report.Variants[0].PullRequest == nil || !strings.Contains(report.Variants[0].Message, "protected branch") {
				t.Errorf("%+v", report.Variants[0])
			}
			w.idle()
			w.Equal("refused again", report.Variants, w.sync().Variants)
			w.Remote.Hook("update", "exit 0")
			end(w)
			w.Equal("merged", []string{"web: UpToDate v1"}, lines(w.sync()))
			w.Equal("refs", []string{"heads/package-variants", "tags/edge/web/v1"}, w.Refs())
			w.idle()
		})
	}
}

// TestTwoVersionsRemoved removes the manifest of a package that was published twice.
func TestTwoVersionsRemoved(t *testing.T) {
	t.Parallel()
	w := published(t, web+"  deletionPolicy: delete\n")
	w.Push("main", "A hotfix", map[string]string{"edge/web/settings.yaml": settings("tiny")})
	w.Equal("hotfix", []string{"web: UpToDate v2"}, lines(w.sync()))
	w.Push("main", "Remove the variant", map[string]string{"fleet/web.yaml": "# none\n"})
	w.Equal("gone", []string(nil), lines(w.sync()))
	w.Equal("refs", []string{"heads/package-variants", "heads/removals/edge/web", "tags/edge/web/v1", "tags/edge/web/v2"}, w.Refs())
	w.idle()
	w.Merge("removals/edge/web")
	w.sync()
	w.Equal("refs", []string{"heads/package-variants", "tags/edge/web/v1", "tags/edge/web/v2"}, w.Refs())
	w.idle()
}

// TestMergedAsBefore has a person squash a draft as it was when the sync has just moved it to another version, and the
// forge delete its branch: what was merged is published, and a new draft has the other version.
func TestMergedAsBefore(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		published, edited bool
		want              string
	}{
		"a first draft that a person edited": {false, true, "edge/web: v1 published (packagevariant-1 was merged); packagevariant-2 drafted"},
		"an upgrade":                         {true, false, "edge/web: v2 published (packagevariant-2 was merged); packagevariant-3 drafted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, draft := newWorld(t, web), draft1
			w.sync()
			if tt.published {
				draft = draft2
				w.mergeAll()
				w.sync()
				w.secondVersion()
				w.sync()
			}
			branch := strings.TrimPrefix(draft, "heads/")
			if tt.edited {
				w.Push(branch, "Edit", map[string]string{"edge/web/more.yaml": "kind: More\napiVersion: v1\nmetadata: {name: more}\n"})
			}
			w.Push("main", "Version 3", map[string]string{"blueprints/web/settings.yaml": settings("huge")},
				"HEAD:refs/tags/blueprints/web/v3")
			w.People.Git("checkout", "-q", "origin/"+branch, "--", "edge/web")
			w.People.Push("Squash", nil, "HEAD:refs/heads/squash")
			w.Remote.Hook("post-receive", `while read old new ref; do if [ $ref = refs/`+draft+` ]; then
git update-ref refs/heads/main refs/heads/squash; git update-ref -d refs/heads/squash; git update-ref -d refs/`+draft+`; fi; done`)
			report, err := Sync(t.Context(), w.options())
			if err != nil {
				t.Fatal(err)
			}
			w.Remote.Hook("post-receive", "true")
			w.Equal("happened", []string{tt.want}, happened(report))
			w.Equal("what it waits for", v1alpha1.ReasonManualApproval, report.Variants[0].Waits)
			w.idle()
		})
	}
}
