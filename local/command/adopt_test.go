// SPDX-License-Identifier: Apache-2.0

package command

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/local/fleet/fleettest"
)

// TestAdopt gives a copy an upstream, and has a variant take it over.
func TestAdopt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "# no variant yet\n")
	own := strings.Replace(fleettest.Settings("small"), "zone: none", "zone: mine", 1)
	w.Push("main", "Copy by hand", map[string]string{"edge/web/settings.yaml": own,
		"edge/web/Kptfile": "# ours\napiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n"})
	dir := filepath.Join(w.People.Dir, "edge", "web")
	adopt := func(code int, args ...string) string {
		return w.run(code, append([]string{"adopt"}, args...)...)
	}
	for want, args := range map[string][]string{
		"name the package that it is a copy of by --upstream, or a set by --set":                                     {dir},
		"--set takes no directory and no --upstream: its variants say which they are":                                {dir, "--set", "webs"},
		"there is no PackageVariantSet \"nope\" in the namespace \"default\"":                                        {"--set", "nope"},
		"\"web\" does not name an upstream: write REPOSITORY/PACKAGE, or REPOSITORY/PACKAGE@vN for a revision of it": {dir, "--upstream", "web"},
		"the fleet has no Repository other, which --upstream names: it has blueprints (/blueprints/ of ":             {dir, "--upstream", "other/web"},
		"is in no git repository with a remote: name the directory of a package in a clone":                          {t.TempDir(), "--upstream", "blueprints/web"},
		"nope: no such file or directory: name the directory of a package in a clone":                                {filepath.Join(dir, "nope"), "--upstream", "blueprints/web"},
		"and in none of the Repositories of the fleet: it has blueprints (/blueprints/ of ":                          {filepath.Join(w.People.Dir, "fleet"), "--upstream", "blueprints/web"},
		"edge is the directory /edge of ":                                                                            {filepath.Dir(dir), "--upstream", "blueprints/web"},
		"there is no terminal to ask on":                                                                             {dir, "--upstream", "blueprints/web"},
	} {
		if got := adopt(exitError, args...); !strings.Contains(got, want) {
			t.Errorf("%v: %s", args, got)
		}
	}
	got := adopt(exitDone, dir, "--upstream", "blueprints/web", "--yes")
	for _, want := range []string{"edge.web.main is nearest to blueprints.web.v1, which has 7 of its 8 values\n", "\n+  zone: mine\n",
		"\npushed the branch drafts/edge/web/adopt-v1: merge it into main, and a PackageVariant with adoptionPolicy: adoptExisting takes the package over\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in %s", want, got)
		}
	}
	w.Merge("drafts/edge/web/adopt-v1")
	w.Push("main", "Version 2, and a variant", map[string]string{"blueprints/web/settings.yaml": fleettest.Settings("large"),
		"fleet/web.yaml": fleettest.Web + "  adoptionPolicy: adoptExisting\n"}, "HEAD:refs/tags/blueprints/web/v2")
	w.run(exitDone, "sync", w.dir())
	w.Equal("refs", []string{"heads/drafts/edge/web/packagevariant-1", "heads/package-variants", "tags/edge/web/v1"}, w.Refs())
	w.Equal("both changes", strings.Replace(own, "small", "large", 1), w.Remote.Git("show", "drafts/edge/web/packagevariant-1:edge/web/settings.yaml"))
}

// TestAdoptSet gives all copies of a set their upstreams in one go.
func TestAdoptSet(t *testing.T) {
	t.Parallel()
	const set = "apiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\nmetadata: {name: webs}\nspec:\n" +
		"  upstream: {repo: blueprints, package: web, revision: latest}\n  targets:\n" +
		"  - repositories: [{name: edge, packageNames: [one, two]}]\n    template: {adoptionPolicy: adoptExisting}\n"
	w := newWorld(t, "# no set yet\n")
	files := map[string]string{"fleet/web.yaml": set}
	for _, name := range []string{"one", "two"} {
		files["edge/"+name+"/settings.yaml"] = strings.Replace(fleettest.Settings("small"), "none", name, 1)
		files["edge/"+name+"/Kptfile"] = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: " + name + "\n"
		files["edge/"+name+"/package-context.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kptfile.kpt.dev\n  annotations:\n" +
			"    config.kubernetes.io/local-config: \"true\"\ndata:\n  name: " + name + "\n  package-path: " + name + "\n"
	}
	w.Push("main", "Copies, and a set", files)
	w.run(exitError, "sync", w.dir())
	got := w.run(exitDone, "adopt", "--set", "webs", "--yes")
	for _, name := range []string{"one", "two"} {
		if want := "pushed the branch drafts/edge/" + name + "/adopt-v1: merge it into main"; !strings.Contains(got, want) {
			t.Errorf("there is no %q in %s", want, got)
		}
		w.Merge("drafts/edge/" + name + "/adopt-v1")
	}
	w.Equal("standing", []string{"edge/one UpToDate v2 blueprints/web v1", "edge/two UpToDate v2 blueprints/web v1"},
		w.standing(exitDone)[:2])
	w.Equal("again", "error: each of the 2 packages of set webs says what it is a copy of, or has no Kptfile: write one; if the set is new, run "+
		"variants sync first\n", w.run(exitError, "adopt", "--set", "webs", "--yes"))
}
