// SPDX-License-Identifier: Apache-2.0

package adopt

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/memory"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const settings = `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  size: small
  color: red
  zone: none
`

const plainKptfile = "# ours\napiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web # a copy\n"

const otherNames = "name the package that it is a copy of by --upstream, and give its resources the names that they have there"

// world has three revisions of a blueprint, and a copy.
func world(t *testing.T, copied map[string]string) *memory.World {
	t.Helper()
	w := memory.New(memory.Options{Git: true})
	for name, deployment := range map[string]bool{"blueprints": false, "edge": true} {
		w.Objects.Add(&objects.Repository{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Repository: revision.Repository{Ready: true,
			Address: "https://git.example.com/" + name + ".git", Branch: "main", Deployment: deployment}})
	}
	add := func(repo, workspace string, number int, files map[string]string) {
		of := revision.Package{Repo: repo, Name: "web"}
		w.Packages.Add(revision.Revision{Namespace: "default", Name: of.NameOf(workspace), Package: of, Workspace: workspace,
			Number: number, Lifecycle: revision.Published, Version: strings.Repeat("a", 39) + workspace[1:],
			Commit: strings.Repeat("a", 39) + workspace[1:]}, files)
	}
	for number, size := range []string{"small", "medium", "large"} {
		workspace := []string{"v1", "v2", "v3"}[number]
		add("blueprints", workspace, number+1, map[string]string{"Kptfile": plainKptfile,
			"settings.yaml": strings.Replace(settings, "small", size, 1)})
	}
	if copied != nil {
		add("edge", "v1", 1, copied)
	}
	return w
}

var copyOfWeb = Copy{Namespace: "default", Package: revision.Package{Repo: "edge", Name: "web"},
	Upstream: revision.Package{Repo: "blueprints", Name: "web"}, Deployment: true,
	Repository: revision.Repository{Address: "https://git.example.com/blueprints.git"}}

// TestDraft has a copy get the upstream that it is nearest to, and nothing else but a package context.
func TestDraft(t *testing.T) {
	t.Parallel()
	w := world(t, map[string]string{"Kptfile": plainKptfile,
		"all.json": `{"kind": "ConfigMap", "data": {"zone": "north", "color": "red", "size": "medium"},
		"metadata": {"name": "settings"}, "apiVersion": "v1"}`})
	found, err := Find(t.Context(), w.Packages, &copyOfWeb)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("edge.web.v1 is nearest to blueprints.web.v2, which has 5 of its 6 values", found.String()); diff != "" {
		t.Error(diff)
	}
	made, err := found.Draft(t.Context(), w.Packages)
	if err != nil || made.Name != "edge.web.adopt-v2" || len(made.Owners) > 0 {
		t.Fatal(made, err)
	}
	content, err := w.Packages.Read(t.Context(), "default", made.Name)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"all.json": found.Copy.Files["all.json"], "Kptfile": plainKptfile + `upstream:
  type: git
  git:
    repo: https://git.example.com/blueprints.git
    directory: web
    ref: web/v2
upstreamLock:
  type: git
  git:
    repo: https://git.example.com/blueprints.git
    directory: web
    ref: web/v2
    commit: ` + strings.Repeat("a", 39) + "2\n"}
	if context := content.Files["package-context.yaml"]; !strings.Contains(context, "  package-path: web\n") {
		t.Error(context)
	}
	delete(content.Files, "package-context.yaml")
	if diff := cmp.Diff(want, content.Files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if _, err := found.Draft(t.Context(), w.Packages); err == nil {
		t.Error("it is made twice")
	}
}

// TestRefused has copies of which nothing can be said.
func TestRefused(t *testing.T) {
	t.Parallel()
	copied := map[string]string{"Kptfile": plainKptfile, "settings.yaml": settings}
	locked := map[string]string{"settings.yaml": settings, "Kptfile": plainKptfile +
		"upstreamLock: {type: git, git: {repo: r, directory: web, ref: web/v1, commit: c}}\n"}
	other := map[string]string{"Kptfile": plainKptfile, "a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  a: b\n"}
	for name, tt := range map[string]struct {
		files  map[string]string
		change func(*Copy)
		want   string
	}{
		"nearest":             {copied, func(*Copy) {}, ""},
		"named":               {copied, func(c *Copy) { c.Number = 3 }, ""},
		"no copy":             {nil, func(*Copy) {}, "the package edge/web has no published revision: publish it first"},
		"not on the branch":   {nil, func(c *Copy) { c.OnBranch = true }, "the package edge/web is not on the branch of its Repository, with a Kptfile: add one if it has none, push it, and run adopt again"},
		"no package":          {map[string]string{"settings.yaml": settings}, func(*Copy) {}, "edge.web.v1 has no Kptfile, so it is no package: write one, as kpt pkg init does"},
		"itself":              {copied, func(c *Copy) { c.Upstream = c.Package }, "edge/web is no copy of itself: name another package by --upstream"},
		"no upstream":         {copied, func(c *Copy) { c.Upstream.Name = "db" }, "there is no published revision of blueprints/db: publish it, or name another upstream"},
		"no such revision":    {copied, func(c *Copy) { c.Number = 4 }, "blueprints/web has no published revision v4: its latest is v3"},
		"nothing alike":       {other, func(*Copy) {}, "edge.web.v1 shares no value of a resource of the same kind and name with any published revision of blueprints/web: " + otherNames},
		"nothing alike in it": {other, func(c *Copy) { c.Number = 2 }, "edge.web.v1 shares no value of a resource of the same kind and name with blueprints/web v2: " + otherNames},
		"has one": {locked, func(*Copy) {}, "edge.web.v1 says already from what it was made, web/v1 at c of r: a PackageVariant with " +
			"adoptionPolicy: adoptExisting takes it over as it is"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, got := copyOfWeb, ""
			tt.change(&c)
			if _, err := Find(t.Context(), world(t, tt.files).Packages, &c); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestAsNear has a copy that is as near to two revisions, and lacks a resource: both are said.
func TestAsNear(t *testing.T) {
	t.Parallel()
	w := world(t, map[string]string{"Kptfile": plainKptfile, "settings.yaml": strings.Replace(settings, "small", "\"huge\" # mine", 1) +
		"---\napiVersion: v1\nkind: Secret\nmetadata: {name: own}\n"})
	found, err := Find(t.Context(), w.Packages, &copyOfWeb)
	if err != nil {
		t.Fatal(err)
	}
	want := "edge.web.v1 is nearest to blueprints.web.v3, which has 5 of its 9 values\nit is as near to blueprints.web.v1, " +
		"blueprints.web.v2: name the right one by @vN"
	if diff := cmp.Diff(want, found.String()); diff != "" {
		t.Error(diff)
	}
}

// TestOtherNames has copies whose resources have other names than upstream: those that have the name of the environment
// are noted in the Kptfile, and a doubtful one is said.
func TestOtherNames(t *testing.T) {
	t.Parallel()
	as := func(name string) string { return strings.Replace(settings, "name: settings", "name: "+name, 1) }
	const nearest = "edge.web.v1 is nearest to blueprints.web.v1, which has 5 of its 6 values"
	for name, tt := range map[string]struct{ files, said, noted string }{
		"the environment": {as("settings-edge"), nearest + "\nits ConfigMap settings-edge is the upstream's ConfigMap settings",
			"  annotations:\n    config.porch.kpt.dev/upstream-identifiers: |\n      |ConfigMap|default|settings-edge: |ConfigMap|default|settings\n"},
		"another name": {settings + "---\n" + strings.Replace(as("mine"), "ConfigMap", "Secret", 1), "edge.web.v1 is nearest to " +
			"blueprints.web.v1, which has 6 of its 12 values", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, c := world(t, map[string]string{"Kptfile": plainKptfile, "settings.yaml": tt.files}), copyOfWeb
			c.In(map[string]revision.Repository{"edge": {Directory: "/"}, "blueprints": {}})
			found, err := Find(t.Context(), w.Packages, &c)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.said, found.String()); diff != "" {
				t.Error(diff)
			}
			made, err := found.Draft(t.Context(), w.Packages)
			if err != nil {
				t.Fatal(err)
			}
			content, err := w.Packages.Read(t.Context(), "default", made.Name)
			if err != nil {
				t.Fatal(err)
			}
			file, _, _ := strings.Cut(content.Files["Kptfile"], "upstream:\n")
			if diff := cmp.Diff(plainKptfile+tt.noted, file); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestDoubtful has a copy with a resource that may be one of the upstream's: it is said, and not noted.
func TestDoubtful(t *testing.T) {
	t.Parallel()
	l := Likeness{copy: revision.Revision{Name: "edge.web.v1"}, upstream: revision.Revision{Name: "blueprints.web.v1"}, Same: 1, Values: 2}
	l.Lacks = []merging.Lack{{Identifier: "|ConfigMap|default|settings", File: "a.yaml"}}
	l.Doubtful = []merging.Pair{{Here: "|ConfigMap|default|mine", Upstream: "|ConfigMap|default|settings"}}
	want := "edge.web.v1 is nearest to blueprints.web.v1, which has 1 of its 2 values\n" +
		"it has no ConfigMap settings in a.yaml: that counts as removed in the copy\n" +
		"its ConfigMap mine may be the upstream's ConfigMap settings: if it is, add the line " +
		"\"|ConfigMap|default|mine: |ConfigMap|default|settings\" to the annotation " +
		"config.porch.kpt.dev/upstream-identifiers of the draft's Kptfile"
	if diff := cmp.Diff(want, l.String()); diff != "" {
		t.Error(diff)
	}
}

// TestIn has the names of environments come from Repositories and directories.
func TestIn(t *testing.T) {
	t.Parallel()
	c := Copy{Package: revision.Package{Repo: "eu", Name: "prod/web"}}
	c.In(map[string]revision.Repository{"eu": {Directory: "/environments/eu/"}, "us": {Directory: "us"}})
	want := merging.Names{Own: []string{"environments", "eu", "eu", "prod", "web"}, Known: []string{"us", "us"}}
	if diff := cmp.Diff(want, c.Environments); diff != "" {
		t.Error(diff)
	}
}

// TestParseUpstream reads what --upstream may be.
func TestParseUpstream(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"blueprints/web": "blueprints/web 0", "blueprints/a/web@v2": "blueprints/a/web 2",
		"blueprints/web@3": "blueprints/web 3", "web": "", "/web": "", "blueprints/": "", "blueprints/web@": "", "blueprints/web@v0": "",
		"blueprints/web@latest": ""} {
		of, number, err := ParseUpstream(text)
		if got := of.String(); want == "" != (err != nil) || err == nil && got+" "+string(rune('0'+number)) != want {
			t.Errorf("%s: %s %d %v", text, got, number, err)
		}
	}
}
