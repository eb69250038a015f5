// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/local/fleet/fleettest"
	"github.com/package-variants/package-variants/local/programs"
)

// world is a fleet for which commands are run.
type world struct{ *fleettest.World }

// another returns the manifest of a variant like web.
func another(name string) string {
	return "---" + strings.NewReplacer("name: web", "name: "+name, "edge, package: web", "edge, package: "+name).
		Replace(fleettest.Web)
}

// newWorld returns a fleet that was synced once.
func newWorld(t *testing.T, manifests string) *world {
	t.Helper()
	w := &world{fleettest.New(t, manifests)}
	w.run(exitDone, "sync", w.dir())
	return w
}

func (w *world) dir() string { return filepath.Join(w.People.Dir, "fleet") }

// run runs a command for the fleet as it is on main, and returns what it printed, with what it said of errors last.
func (w *world) run(code int, args ...string) string {
	w.Helper()
	w.People.Update()
	args = append(args, "--cache", w.Cache)
	if !slices.Contains([]string{"sync", "status", "plan"}, args[0]) {
		args = append(args, "--dir", w.dir())
	}
	var out, said bytes.Buffer
	if got := Run(w.Context(), args, programs.Streams{Out: &out, Err: &said}); got != code {
		w.Errorf("%v: exit code %d, want %d\n%s%s", args, got, code, out.String(), said.String())
	}
	return strings.ReplaceAll(out.String()+said.String(), w.Remote.Dir, "REMOTE")
}

// standing returns what the report of a sync says of the variants, without their messages.
func (w *world) standing(code int) (all []string) {
	w.Helper()
	for line := range strings.Lines(w.run(code, "sync", w.dir())) {
		if fields := strings.Fields(line); fields[0] != "PACKAGE" && len(fields) > 4 && !strings.HasSuffix(fields[0], ":") {
			all = append(all, strings.Join(fields[:5], " "))
		}
	}
	return all
}

const draft1 = "edge.web.packagevariant-1"

const shown1 = "web: " + draft1 + " (Draft), made by clone of blueprints.web.v1\n" +
	"  files:      3 added, 0 changed, 0 removed\n  conflicts:  0\n" +
	"  conditions: Ready=True (UpToDate), ConfigInjected=True (NoInjectionPoints)\n"

// TestApprove publishes a draft by its name, and another one that a person edited by its variant.
func TestApprove(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fleettest.Web+another("other"))
	w.Equal("not asked", shown1+"error: there is no terminal to ask on: look at what would be done, and do it with --yes\n",
		w.run(exitError, "approve", draft1))
	w.Equal("nothing was pushed", []string{"heads/drafts/edge/other/packagevariant-1", "heads/drafts/edge/web/packagevariant-1",
		"heads/package-variants"}, w.Refs())
	w.Equal("approved", shown1+draft1+" approved\n", w.run(exitDone, "approve", draft1, "web", "--yes"))
	w.Push("drafts/edge/other/packagevariant-1", "Enlarge", map[string]string{"edge/other/settings.yaml": fleettest.Settings("huge")})
	w.run(exitDone, "approve", "other", "-y")
	w.Equal("refs", []string{"heads/package-variants", "tags/edge/other/v1", "tags/edge/web/v1"}, w.Refs())
	w.Equal("the edit", fleettest.Settings("huge"), w.Remote.Git("show", "main:edge/other/settings.yaml"))
	w.Equal("synced", []string{"edge/other UpToDate v1 blueprints/web v1", "edge/web UpToDate v1 blueprints/web v1"}, w.standing(exitDone))
	before := w.Remote.Refs()
	w.standing(exitDone)
	w.Equal("at rest", before, w.Remote.Refs())
	w.Equal("no draft", "web: no draft; "+draft1+" is published\n", w.run(exitDone, "approve", "web", "--yes"))
}

// TestApproveSeveral publishes two drafts of one git repository at once.
func TestApproveSeveral(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fleettest.Web+another("other"))
	w.run(exitDone, "approve", "web", "other", "--yes")
	w.Equal("refs", []string{"heads/package-variants", "tags/edge/other/v1", "tags/edge/web/v1"}, w.Refs())
	w.Equal("synced", []string{"edge/other UpToDate v1 blueprints/web v1", "edge/web UpToDate v1 blueprints/web v1"}, w.standing(exitDone))
}

// TestNoDraft names what cannot be approved.
func TestNoDraft(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fleettest.Web)
	w.People.Git("push", "-q", "origin", "HEAD:refs/heads/drafts/edge/foreign/v1")
	w.Push("drafts/edge/foreign/v1", "Begin", map[string]string{"edge/foreign/Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: foreign\n"})
	w.run(exitDone, "approve", "edge/web", "--yes")
	for name, want := range map[string]string{
		"wep":             "there is no PackageVariant \"wep\" in the namespace \"default\": did you mean \"web\"?",
		"something":       "there is no PackageVariant \"something\" in the namespace \"default\", which has web",
		"n/web":           "there is no Package \"n/web\" in the namespace \"default\", which has edge/web",
		draft1:            draft1 + " is published already: name a draft, or its variant web",
		"edge.foreign.v1": "edge.foreign.v1 is no draft of this fleet, because none of its variants owns it: merge or remove the branch drafts/edge/foreign/v1 in git",
	} {
		w.Equal(name, "error: "+want+"\n", w.run(exitError, "reject", name, "--yes"))
	}
}

// TestNotApproved has drafts that are not what their variants ask for, or not mergeable.
func TestNotApproved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fleettest.Web)
	refused := func(what, want string, flags ...string) {
		t.Helper()
		before := w.Remote.Refs()
		got := w.run(exitError, append([]string{"approve", "web", "--yes"}, flags...)...)
		if _, reason, _ := strings.Cut(got, "  refused:    "); reason != want+"\nerror: 1 package revision not approved, for the reasons above\n" {
			t.Errorf("%s: %s", what, got)
		}
		w.Equal("refs", before, w.Remote.Refs())
	}
	w.Push("main", "Ask for something else", map[string]string{"fleet/web.yaml": strings.Replace(fleettest.Web, "north", "south", 1)})
	refused("another spec", draft1+" may not be what web asks for: variants sync has not looked at its generation 2 yet: run variants sync")
	w.run(exitDone, "sync", w.dir())
	w.Push("main", "Version 2", map[string]string{"blueprints/web/settings.yaml": fleettest.Settings("large")},
		"HEAD:refs/tags/blueprints/web/v2")
	refused("another upstream", draft1+" was made from blueprints.web.v1, and web asks for blueprints.web.v2: run variants sync, or see why it is not Ready")
	w.run(exitDone, "sync", w.dir())
	w.run(exitDone, "approve", "web", "--yes")
	w.run(exitDone, "sync", w.dir())
	w.Push("main", "Hotfix, and version 3", map[string]string{"edge/web/settings.yaml": fleettest.Settings("mine"),
		"blueprints/web/settings.yaml": fleettest.Settings("huge")}, "HEAD:refs/tags/blueprints/web/v3")
	w.run(exitDone, "sync", w.dir())
	name := fmt.Sprintf("edge.web.%s", strings.TrimPrefix(w.Refs()[0], "heads/drafts/edge/web/"))
	refused("conflicts", name+" has values that the upstream and the package both changed: look at them by variants diff web --dir "+
		w.dir()+", and allow them by --allow-conflicts")
	w.Push("main", "Another hotfix", map[string]string{"edge/web/more.yaml": fleettest.Settings("more")})
	refused("overtaken", name+" began with another edge/web than the one that is published now: the next sync merges that into "+
		"the draft, or says that a person has to; look at it again then", "--allow-conflicts")
	w.run(exitDone, "sync", w.dir())
	w.run(exitDone, "approve", name, "--yes", "--allow-conflicts")
}

// TestProtected has a branch that only the forge may change, and a server that takes refs one by one.
func TestProtected(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fleettest.Web)
	w.Remote.Git("config", "receive.advertiseAtomic", "false")
	w.Remote.Hook("update", `case $1 in refs/heads/main) echo "only by a pull request"; exit 1;; esac`)
	before := w.Remote.Refs()
	got := w.run(exitError, "approve", "web", "--yes")
	w.Equal("protected", shown1+"error: "+draft1+" is not approved: the git repository file://REMOTE refuses refs/heads/main: "+
		"[remote rejected] (hook declined): only by a pull request: if only the forge may merge, let it merge the branch drafts/edge/web/packagevariant-1\n", got)
	w.Equal("refs", before, w.Remote.Refs())
	w.Remote.Git("config", "receive.advertiseAtomic", "true")
	w.Remote.Hook("update", `case $1 in refs/tags/*) echo "no tags"; exit 1;; esac`)
	w.Equal("no tags", shown1+"error: "+draft1+" is not approved: the git repository file://REMOTE refuses refs/tags/edge/web/v1: "+
		"[remote rejected] (hook declined): no tags\n", w.run(exitError, "approve", "web", "--yes"))
	w.Remote.Git("config", "receive.advertiseAtomic", "false")
	w.Remote.Hook("update", "exit 0")
	w.run(exitDone, "approve", "web", "--yes")
	w.Equal("one by one", []string{"heads/package-variants", "tags/edge/web/v1"}, w.Refs())
}

// TestReject removes the branch of a draft, which the next sync sees.
func TestReject(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fleettest.Web)
	at := w.Remote.Refs()["refs/heads/drafts/edge/web/packagevariant-1"]
	w.Equal("rejected", shown1+draft1+" rejected: its branch drafts/edge/web/packagevariant-1 was at "+at+"\n", w.run(exitDone, "reject", "web", "--yes"))
	w.Equal("refs", []string{"heads/package-variants"}, w.Refs())
	w.Equal("synced", []string{"edge/web Rejected - blueprints/web v1"}, w.standing(exitDone))
}

// TestApproveSet publishes the drafts of a wave of which nobody has to decide more, and says how the wave is approved.
func TestApproveSet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fleettest.WebSet+"  rollout: {waves: [{name: first, selector: {matchLabels: {tier: edge}}, after: "+
		"{approval: true}}]}\n---\n")
	more := ""
	for _, name := range []string{"fra", "nyc"} {
		more += "---\napiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata: {name: " + name + ", labels: {tier: edge}}\n" +
			"spec: {type: git, git: {repo: " + w.Remote.Address() + ", branch: main, directory: " + name + "}}\n"
	}
	w.Push("main", "More", map[string]string{"fleet/more.yaml": more})
	w.run(exitDone, "sync", w.dir())
	w.Push("drafts/nyc/web/packagevariant-1", "A value", map[string]string{"nyc/web/settings.yaml": fleettest.Settings("huge")})
	w.run(exitDone, "sync", w.dir())
	got := w.run(exitDone, "approve", "--set", "webs", "--wave", "first", "--yes")
	got = regexp.MustCompile("webs-nyc-web-[a-z0-9]+").ReplaceAllString(got, "webs-nyc-web-ID")
	if _, more, _ := strings.Cut(got, "package-path: web\n"); !strings.HasPrefix(got, "2 packages, 3 changes\n") ||
		more != `webs-nyc-web-ID: its draft is to be looked at for itself: variants approve webs-nyc-web-ID --dir `+w.dir()+`
edge.web.packagevariant-1 approved
fra.web.packagevariant-1 approved
To approve the wave, annotate the set in its manifest: config.porch.kpt.dev/approve-wave: first@blueprints.web.v1
` {
		t.Errorf("%s", got)
	}
	for args, want := range map[string]string{
		"--set webs --wave frist": `the PackageVariantSet webs has no wave "frist", but rest, first`,
		"--set web":               `there is no PackageVariantSet "web" in the namespace "default": did you mean "webs"?`,
		"--set webs edge/web":     "--set takes no packages or drafts, and --wave is for --set",
		"--wave first edge/web":   "--set takes no packages or drafts, and --wave is for --set"} {
		w.Equal(args, "error: "+want+"\n", w.run(exitError, append([]string{"approve", "--yes"}, strings.Fields(args)...)...))
	}
	w.Equal("reviews", "error: --reviews: \"waves\" is not a way to put drafts together: it is wave, or wave,label:NAME\n",
		w.run(exitError, "sync", w.dir(), "--reviews", "waves"))
}
