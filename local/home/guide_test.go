// SPDX-License-Identifier: Apache-2.0

package home

import (
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/local/git/gittest"
)

// webKptfile is the file that makes a directory a package.
const webKptfile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n"

// TestMissing asks for upstreams that are not there: it is told where they were looked for, what is there, and which
// commands publish them.
func TestMissing(t *testing.T) {
	t.Parallel()
	files := map[string]string{"web/Kptfile": webKptfile}
	pushes := func(files map[string]string, refs ...string) func(*gittest.Clone) {
		return func(c *gittest.Clone) { c.Push("Write", files, append([]string{"HEAD:refs/heads/main"}, refs...)...) }
	}
	changed := func(refs ...string) func(*gittest.Clone) {
		return func(c *gittest.Clone) {
			pushes(files, "HEAD:refs/tags/web/v1", "HEAD:refs/tags/web/v3")(c)
			pushes(map[string]string{"web/more.yaml": "a: b\n"}, refs...)(c)
		}
	}
	const (
		of      = "there is no PackageRevision of blueprints/web "
		at      = "ADDRESS has on its branch main "
		correct = "; correct spec.upstream, or "
		enough  = " (if you have that tag, the push is enough)"
	)
	number := func(n int) variant.Upstream { return variant.Upstream{Revision: variant.RevisionNumber(n)} }
	latest := variant.Upstream{Revision: variant.Revision{Str: "latest"}}
	for name, tt := range map[string]struct {
		do   func(*gittest.Clone)
		asks variant.Upstream
		want string
	}{
		"the git repository is empty": {func(*gittest.Clone) {}, latest, of + "that is published: ADDRESS is empty" + correct +
			"push the package there as web, and publish it: git push origin HEAD:main; git tag web/v1 HEAD; git push origin " +
			"web/v1"},
		"the branch is not there": {func(c *gittest.Clone) { c.Push("Write", files, "HEAD:refs/heads/trunk") }, latest, of +
			"that is published: ADDRESS has no branch main, which the Repository blueprints names, but trunk" + correct +
			"the branch in the manifest of that Repository"},
		"nothing is there": {pushes(map[string]string{"README": "a\n"}), latest, of + "that is published: " + at +
			"no directory web, and no tag web/v<number>" + correct + "push it there, and publish it: git tag web/v1 " +
			"origin/main; git push origin web/v1"},
		"it is elsewhere": {pushes(map[string]string{"apps/web/Kptfile": webKptfile, "wep/Kptfile": webKptfile, "db/Kptfile": webKptfile}), latest,
			of + "that is published: " + at + "no directory web (but apps/web, wep), and no tag web/v<number>" + correct +
				"push it there, and publish it: git tag web/v1 origin/main; git push origin web/v1"},
		"it has no Kptfile": {pushes(map[string]string{"web/a.yaml": "a: b\n"}), latest, of + "that is published: " + at +
			"a directory web without a Kptfile, and no tag web/v<number>" + correct + "add a Kptfile there, as kpt pkg init " +
			"does, and publish it: git tag web/v1 origin/main; git push origin web/v1"},
		"it is a link": {func(c *gittest.Clone) {
			c.Commit("Write", map[string]string{"shared/web/Kptfile": webKptfile})
			add(c, nil, map[string]string{"web": "shared/web"})
			c.Git("push", "-q", "origin", "HEAD:refs/heads/main")
		}, latest, of + "that is published: " + at + "web as a symbolic link to shared/web, which is the package to name, " +
			"and no tag web/v<number>; correct spec.upstream"},
		"it is a submodule": {func(c *gittest.Clone) {
			c.Commit("Write", map[string]string{"README": "a\n"})
			c.Git("update-index", "--add", "--cacheinfo", "160000,"+strings.TrimSpace(c.Git("rev-parse", "HEAD"))+",web")
			c.Git("commit", "-q", "-m", "Submodule")
			c.Git("push", "-q", "origin", "HEAD:refs/heads/main")
		}, latest, of + "that is published: " + at + "web as a submodule, and no tag web/v<number>" + correct +
			"commit the files of the package themselves, and publish it: git tag web/v1 origin/main; git push origin web/v1"},
		"it has no tag": {pushes(files), latest, of + "that is published: " + at + "the package web, and no tag " +
			"web/v<number>" + correct + "publish it: git tag web/v1 origin/main; git push origin web/v1" + enough},
		"the next tag is that of a file": {func(c *gittest.Clone) {
			pushes(files)(c)
			c.Git("push", "-q", "origin", strings.TrimSpace(c.Git("rev-parse", "HEAD:web/Kptfile"))+":refs/tags/web/v1")
		}, latest, of + "that is published: " + at + "the package web, and no tag web/v<number>" + correct +
			"publish it: git tag web/v2 origin/main; git push origin web/v2" + enough},
		"it has nearly the right tags": {pushes(files, "HEAD:refs/tags/web-v4", "HEAD:refs/tags/web/3",
			"HEAD:refs/tags/web/v4.0", "HEAD:refs/tags/V2", "HEAD:refs/tags/web-admin-v9"), latest, of + "that is published: " +
			at + "the package web, and no tag web/v<number>; what is called web/v4.0, web-v4, web/3 is no such tag" + correct +
			"publish it: git tag web/v4 web/v4.0; git push origin web/v4" + enough},
		"the tag has no name": {pushes(files, "HEAD:refs/tags/v1.2.0", "HEAD:refs/tags/v1.10.0"), latest, of +
			"that is published: " + at + "the package web, and no tag web/v<number>; what is called v1.10.0, v1.2.0 is no " +
			"such tag" + correct + "publish it: git tag web/v1 v1.10.0; git push origin web/v1" + enough},
		"a number has nearly the right tag": {changed("HEAD:refs/tags/web-v4", "HEAD:refs/tags/web-v5"), number(4), of +
			"with revision 4: " + at + "the package web, and no tag web/v4 (the newest is v3, and the branch has changed " +
			"since); what is called web-v4 is no such tag" + correct + "publish it: git tag web/v4 web-v4; git push origin " +
			"web/v4" + enough},
		"a number has no tag, and something to publish": {changed(), number(4), of + "with revision 4: " + at +
			"the package web, and no tag web/v4 (the newest is v3, and the branch has changed since)" + correct +
			"publish it: git tag web/v4 origin/main; git push origin web/v4" + enough},
		"a workspace that is a version": {changed(), variant.Upstream{WorkspaceName: "v4"}, of + "with workspace v4: " + at +
			"the package web, and no tag web/v4 (the newest is v3, and the branch has changed since)" + correct +
			"publish it: git tag web/v4 origin/main; git push origin web/v4" + enough},
		"a number, and all is published": {pushes(files, "HEAD:refs/tags/web/v1"), number(2), of + "with revision 2: " + at +
			"the package web, and no tag web/v2 (the newest is v1, and the branch has the same); correct spec.upstream"},
		"it was removed from where it is deployed": {func(c *gittest.Clone) {
			changed()(c)
			c.Git("rm", "-rq", "web")
			pushes(map[string]string{"README": "a\n"})(c)
		}, latest, of + "that is published: " + at + "no directory web, without which its tags do not count" + correct +
			"have it back: git checkout web/v3 -- web, and commit that"},
		"the branch is asked for": {pushes(map[string]string{"README": "a\n"}), variant.Upstream{WorkspaceName: "main"}, of +
			"with workspace main: " + at + "no directory web" + correct + "push it there"},
		"a tag of people": {pushes(files), variant.Upstream{Revision: variant.Revision{Str: "stable"}}, of +
			`that is published and has the label tag.config.porch.kpt.dev/stable: "true": publish it, or correct spec.upstream`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			tt.do(w.people("blueprints"))
			if err := w.home.Fetch(t.Context()); err != nil {
				t.Fatal(err)
			}
			tt.asks.Repo, tt.asks.Package = "blueprints", "web"
			m, err := w.home.Missing(t.Context(), namespace, &tt.asks)
			if err != nil {
				t.Fatal(err)
			}
			got := m.Of(&tt.asks, "", "spec.upstream", "main")
			wantEqual(t, tt.want, strings.ReplaceAll(got, w.remotes["blueprints"].Address(), "ADDRESS"))
		})
	}
}

func TestNearTags(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		"web-v4": "web", "web/4": "web", "web/v4.0": "web", "web@v4": "web", "Web_V4": "web", "web/v/4": "web",
		"bp-web-4": "bp/web", "v4": "", "4.0.1": "", "release/web/v4": "release/web", "web-2-v4": "web/2",
		"web": "none", "webv4": "none", "web-v4-rc1": "none", "web-20261128": "none", "v": "none",
	} {
		got := "none"
		for about := range nearTags([]string{tag}) {
			got = about
		}
		if got != want {
			t.Errorf("%s: about %q, want %q", tag, got, want)
		}
	}
}
