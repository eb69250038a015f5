// SPDX-License-Identifier: Apache-2.0

package command

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/local/git/gittest"
)

// values returns a directory of a chart's values for an environment.
func values(name, replicas string) map[string]string {
	return gittest.Files("shop/values/"+name, map[string]string{
		"values.yaml": "# of the shop\nreplicas: " + replicas + "\nimage:\n  tag: \"1.4\" # as released\nhosts: [shop." + name + ".example.com]\n"})
}

// TestInitBlueprint has copies of a blueprint that is there, and was published: values of a chart, of which each value
// that is not a site's own follows.
func TestInitBlueprint(t *testing.T) {
	t.Parallel()
	p := newPeople(t, together(values("dev", "1"), values("prod", "4"), map[string]string{
		"charts/shop/values.yaml": "# of the shop\nreplicas: 1\nimage:\n  tag: \"1.4\" # as released\nhosts: [shop.example.com]\n"}))
	p.clone.Git("tag", "charts/shop/v3")
	printed := p.variants(exitDone, "init", p.dir, "--from", "shop/values/*", "--blueprint", "charts/shop", "--fleet", "fleets/shop")
	p.equal("printed", `shop: 2 environments, dev, prod
wrote 5 files in fleets/shop, charts/shop and, as Kptfile, in the copies
next:
  cd CLONE
  git add fleets/shop charts/shop 'shop/values/*/Kptfile'
  git commit -m 'Begin a fleet'
  git tag charts/shop/v4
  git push origin main charts/shop/v4
  variants plan fleets/shop
  variants sync fleets/shop
`, printed)
	p.follow(printed)
	p.clone.Push("Version 5", map[string]string{"charts/shop/values.yaml": "# of the shop\nreplicas: 2\nimage:\n  tag: \"1.5\" # as released\nhosts: [shop.example.com]\n"},
		"HEAD:refs/heads/main", "HEAD:refs/tags/charts/shop/v5")
	p.variants(exitDone, "sync", filepath.Join(p.dir, "fleets/shop"))
	const tag = "-  tag: \"1.4\" # as released\n+  tag: \"1.5\" # as released\n"
	p.equal("dev", "--- shop/values/dev/values.yaml\n-replicas: 1\n+replicas: 2\n"+tag, p.draft("shop/values/dev"))
	p.equal("prod", "--- shop/values/prod/values.yaml\n"+tag, p.draft("shop/values/prod"))
}

// TestInitLinks has symbolic links in copies, which stay their own.
func TestInitLinks(t *testing.T) {
	t.Parallel()
	p := newPeople(t, together(values("dev", "1"), values("prod", "1")))
	p.link("shop/values/prod/link.yaml", "values.yaml")
	printed := p.variants(exitDone, "init", p.dir, "--from", "shop/values/*")
	if want := "\n  left out: link.yaml, which is a symbolic link, stays in prod\nwrote 6 files in fleet, blueprints/shop and"; !strings.Contains(printed, want) {
		t.Errorf("there is no %q in %s", want, printed)
	}
	p.follow(printed)
	v2 := strings.ReplaceAll(values("dev", "1")["shop/values/dev/values.yaml"], "1.4", "1.5")
	p.clone.Push("Version 2", map[string]string{"blueprints/shop/values.yaml": v2}, "HEAD:refs/heads/main", "HEAD:refs/tags/blueprints/shop/v2")
	p.variants(exitDone, "sync", filepath.Join(p.dir, "fleet"))
	p.equal("draft", "--- shop/values/prod/values.yaml\n-  tag: \"1.4\" # as released\n+  tag: \"1.5\" # as released\n", p.draft("shop/values/prod"))
}

// TestInitRefused has what no fleet is made of. Nothing is written then.
func TestInitRefused(t *testing.T) {
	t.Parallel()
	const from = "shop/values/*"
	kptfile := func(more string) map[string]string {
		return map[string]string{"shop/values/prod/Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: prod}\n" + more}
	}
	for name, tt := range map[string]struct {
		files, beside map[string]string
		remote, link  string
		args          []string
		want          string
	}{
		"nothing": {args: []string{"--from", "shop/*/prod/*"}, want: "--from shop/*/prod/* matches no directory with copies"},
		"no star": {args: []string{"--from", "shop/values/prod"}, want: "--from \"shop/values/prod\": write the directories of copies below this one, in quotes, with a * where"},
		"no quotes": {args: []string{"--from", "shop/values/dev", "shop/values/prod"}, want: "error: init takes one directory, and not CLONE, " +
			"shop/values/prod: quote the pattern of --from, such as --from 'environments/*/web', or the shell replaces it by what it matches\n"},
		"elsewhere":    {args: []string{"--from", from, "--fleet", "../x"}, want: "--fleet \"../x\": write a directory below "},
		"itself":       {args: []string{"--from", from, "--blueprints", "."}, want: "--blueprints \".\": write a directory below "},
		"two packages": {args: []string{"--from", "*/*/*", "--blueprint", "a"}, want: "--blueprint is for one package, and --from matches copies of dev, prod: name one of them by --from"},
		"no blueprint": {args: []string{"--from", from, "--blueprint", "charts/shop"}, want: "--blueprint has to be the directory of a package in the commit that is checked out: "},
		"a fleet":      {beside: map[string]string{"fleet/web.yaml": "a: 1\n"}, files: map[string]string{"fleet/shop.yaml": "a: 1\n"}, args: []string{"--from", from}, want: "files are there already: remove fleet/shop.yaml, or name another directory by --fleet or --blueprints\n"},
		"not committed": {beside: together(kptfile(""), map[string]string{"shop/values/dev/Kptfile": "", "fleet/shop.yaml": "", "fleet/repositories.yaml": ""}), args: []string{"--from", from},
			want: "error: files are there already: remove fleet/repositories.yaml, fleet/shop.yaml, or name another directory by --fleet or --blueprints\n" +
				"files are not in the commit that is checked out: commit them first, or remove shop/values/dev/Kptfile, shop/values/prod/Kptfile\n"},
		"not as committed": {files: together(kptfile(""), map[string]string{"shop/values/dev/Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: dev}\n"}), beside: together(kptfile("# mine\n"), map[string]string{"shop/values/dev/Kptfile": "# mine\n"}), args: []string{"--from", from},
			want: "error: files are not as in the commit that is checked out: commit them first, or take the changes back by\n" +
				"git restore --staged --worktree shop/values/dev/Kptfile shop/values/prod/Kptfile\n"},
		"a password": {remote: "https://ada:secret@git.example.com/a.git", args: []string{"--from", from}, want: "the address of the remote of CLONE: "},
		"relative":   {remote: "../apps.git", args: []string{"--from", from}, want: "the address of the remote of CLONE: it is relative: give the remote one that others reach, too"},
		"what git keeps elsewhere": {files: map[string]string{"shop/values/prod/logo.png": "version https://git-lfs.github.com/spec/v1\noid sha256:" +
			strings.Repeat("a", 64) + "\nsize 4\n"}, args: []string{"--from", from}, want: "a sync would change or refuse copies, as the plan shows, so nothing is written: mend them, or name others by --from"},
		"a link that leads out": {link: "../dev/values.yaml", args: []string{"--from", from}, want: "link.yaml is a symbolic link to \"../dev/values.yaml\", which leads out of the package: "},
		"injection":             {files: map[string]string{"shop/values/prod/c.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n  annotations:\n    kpt.dev/config-injection: required\n"}, args: []string{"--from", from}, want: "CHANGE 1  1: shop-values/prod, in Kptfile\n"},
		"other copies": {files: maps.Clone(kptfile("upstreamLock: {type: git, git: {repo: r, directory: web, ref: web/v1, commit: c}}\n")),
			args: []string{"--from", "shop/*/prod"}, want: "there is no copy that does not say already from what it was made"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPeople(t, together(values("dev", "1"), values("prod", "4"), tt.files))
			for file, text := range tt.beside {
				file = filepath.Join(p.dir, file)
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if tt.link != "" {
				p.link("shop/values/prod/link.yaml", tt.link)
			}
			if tt.remote != "" {
				p.clone.Git("remote", "set-url", "origin", tt.remote)
			}
			before := p.clone.Git("status", "--porcelain", "-uall")
			got := p.variants(exitError, append([]string{"init", p.dir}, tt.args...)...)
			if !strings.Contains(got, tt.want) || strings.Contains(got, "secret") {
				t.Error(got)
			}
			p.equal("status", before, p.clone.Git("status", "--porcelain", "-uall"))
		})
	}
	p := newPeople(t, values("dev", "1"))
	if got := p.variants(exitError, "init", t.TempDir(), "--from", from); !strings.Contains(got, "is in no git repository with a remote: run this in a clone") {
		t.Error(got)
	}
}
