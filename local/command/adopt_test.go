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
		"required flag(s) \"upstream\" not set": {dir},
		"\"web\" does not name an upstream: write REPOSITORY/PACKAGE, or REPOSITORY/PACKAGE@vN for a revision of it": {dir, "--upstream", "web"},
		"the fleet has no Repository other, which --upstream names: it has blueprints (/blueprints/ of ":             {dir, "--upstream", "other/web"},
		"is in no git repository with a remote: name the directory of a package in a clone":                          {t.TempDir(), "--upstream", "blueprints/web"},
		"nope: no such file or directory: name the directory of a package in a clone":                                {filepath.Join(dir, "nope"), "--upstream", "blueprints/web"},
		"and in none of the Repositories of the fleet: it has blueprints (/blueprints/ of ":                          {filepath.Join(w.People.Dir, "fleet"), "--upstream", "blueprints/web"},
		"edge is the directory /edge of ": {filepath.Dir(dir), "--upstream", "blueprints/web"},
		"there is no terminal to ask on":  {dir, "--upstream", "blueprints/web"},
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
