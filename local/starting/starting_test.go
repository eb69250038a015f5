// SPDX-License-Identifier: Apache-2.0

package starting

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// TestFind has the copies that patterns match, and what is no copy.
func TestFind(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{}
	for _, name := range []string{"environments/dev/web/a.yaml", "environments/prod/web/a.yaml", "environments/prod/db/a.yaml",
		"environments/prod/link/a.yaml", "environments/README.md", "clusters/eu/c1/apps/web/a.yaml", "shop/overlays/east/a.yaml",
		"shop/overlays/west.yaml", "web-/a.yaml", "web-dev/a.yaml", "web-prod/a.yaml", "environments/prod/v1.2/a.yaml", "blueprints/dev/web/a.yaml"} {
		files[name] = &fstest.MapFile{Data: []byte("a: 1\n")}
	}
	files["environments/prod/link/b"] = &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte("a.yaml")}
	files["environments/prod/named/a.yaml"], files["environments/prod/module/m"] = files["web-dev/a.yaml"], &fstest.MapFile{Mode: fs.ModeIrregular}
	files["environments/prod/named/Kptfile"] = &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte("a.yaml")}
	files["environments/prod/.git"], files["environments/prod/empty"] = &fstest.MapFile{Mode: fs.ModeDir}, &fstest.MapFile{Mode: fs.ModeDir}
	const noPackage, noName = "environments/prod/module: environments/prod/module/m is a submodule, which a package may not have", "environments/prod/named: environments/prod/named/Kptfile is a symbolic link, which a package may not have"
	const noFile = "it is a file, and a package is a directory: move what belongs to one environment into a directory of its own"
	const invalid = ": write the directories of copies below this one, in quotes, with a * where the name of the environment is, such as 'environments/*/web', or with the names, such as 'environments/{dev,prod}/web'"
	for pattern, want := range map[string][]string{
		"environments/*/web": {"web: dev in environments/dev web of dev", "web: prod in environments/prod web of prod"},
		"./environments/*/*/": {"db: prod in environments/prod db of prod", "link: prod in environments/prod link of prod with b to a.yaml", "web: dev in environments/dev web of dev", "web: prod in environments/prod web of prod",
			"environments/prod/.git: it is hidden", "environments/prod/empty: it has no files",
			noPackage, noName, "environments/prod/v1.2: a package has no dot in its name"},
		"clusters/*/*/apps/web":       {"apps/web: eu-c1 in clusters/eu/c1 apps/web of eu-c1"},
		"shop/overlays/*":             {"shop: east in shop/overlays east of shop-overlays shared", "shop/overlays/west.yaml: " + noFile},
		"web-*":                       {"web: dev in  web-dev of root shared", "web: prod in  web-prod of root shared"},
		"*/dev/web":                   {"dev/web: environments in environments dev/web of environments"},
		"environments/{prod,dev}/web": {"web: dev in environments/dev web of dev", "web: prod in environments/prod web of prod"},
		"environments/{prod}/{db}":    {"--from \"environments/{prod}/{db}\"" + invalid},
		"environments/{prod,}/db":     {"--from \"environments/{prod,}/db\"" + invalid},
		"environments/{p*,dev}/web":   {"--from \"environments/{p*,dev}/web\"" + invalid},
		"environments/*/{web,db}":     {"--from \"environments/*/{web,db}\"" + invalid},
		"environments/{prod}/db":      {"db: prod in environments/prod db of prod"},
		"environments/{prod,dev}/*": {"db: prod in environments/prod db of prod", "link: prod in environments/prod link of prod with b to a.yaml", "web: dev in environments/dev web of dev", "web: prod in environments/prod web of prod",
			"environments/prod/.git: it is hidden", "environments/prod/empty: it has no files",
			noPackage, noName, "environments/prod/v1.2: a package has no dot in its name"},
		"web-{dev,prod}":            {"web: dev in  web-dev of root shared", "web: prod in  web-prod of root shared"},
		"environments/{qa,dev}/web": {"--from \"environments/{qa,dev}/web\": the commit that is checked out has no directory environments/qa/web"},
		"environments/{qa}/web":     {"--from \"environments/{qa}/web\": the commit that is checked out has no directory environments/qa/web"},
		"nowhere/*":                 {"--from nowhere/* nowhere/* matches no directory with copies in the commit that is checked out"},
		"environments/*.md":         {"--from environments/*.md environments/*.md matches no directory with copies in the commit that is checked out\nenvironments/README.md is no copy: " + noFile},
		"environments/dev/web":      {"--from \"environments/dev/web\"" + invalid},
		"/environments/*":           {"--from \"/environments/*\"" + invalid},
		"../*":                      {"--from \"../*\"" + invalid},
		"e?/*":                      {"--from \"e?/*\"" + invalid},
		"**/web":                    {"--from \"**/web\"" + invalid},
	} {
		of, left, err := Find(files, []string{pattern, pattern}, []string{"blueprints"})
		var got []string
		for name, copies := range of {
			for _, c := range copies {
				line := fmt.Sprintf("%s: %s in %s %s of %s", name, c.Environment, c.In, c.Package, c.Repository)
				for name, to := range c.Links {
					line += " with " + name + " to " + to
				}
				if c.Shared {
					line += " shared"
				}
				got = append(got, line)
			}
		}
		slices.Sort(got)
		for _, l := range left {
			if err == nil {
				got = append(got, l.Path+": "+l.Why)
			}
		}
		if err != nil {
			got = []string{err.Error()}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", pattern, diff)
		}
	}
}

// TestManifests has directories that would be the same Repository, and environments whose names are words of YAML.
func TestManifests(t *testing.T) {
	t.Parallel()
	at := Place{Address: "https://git.example.com/a.git", Branch: "main"}
	c := Copy{In: "environments/Dev", Package: "web", Repository: "dev"}
	one, other, reserved, www := c, c, c, c
	other.In, reserved.Repository = "environments/dev", Blueprints
	one.In, one.Repository = "sites/1", "1"
	www.In, www.Repository, www.Package = "sites/on", "on", "www"
	for want, p := range map[string]Package{
		"environments/Dev and environments/dev would both be the Repository \"dev\": name fewer directories by --from": {Name: "web", Copies: []Copy{c, other}},
		"bp and environments/Dev would both be the Repository \"blueprints\": name fewer directories by --from":        {Name: "web", Copies: []Copy{reserved}},
		"the names of packages are too much alike: name fewer directories by --from":                                   {Name: "repositories", Copies: []Copy{c}},
		"apiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\nmetadata:\n  name: web\nspec:\n  upstream:\n    repo: blueprints\n" +
			"    package: web\n    revision: latest\n  targets:\n  - repositories:\n    - name: '1'\n    - name: 'on'\n      packageNames:\n      - www\n" +
			"    template:\n      adoptionPolicy: adoptExisting\n": {Name: "web", Copies: []Copy{one, www}},
	} {
		b := &Begun{Options: Options{Blueprints: "bp"}, Packages: []Package{p}}
		files, err := b.manifests(at)
		got := files["web.yaml"]
		if err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

// TestWithin has Repositories inside each other.
func TestWithin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		over            map[string]string
		name, pkg, want string
	}{
		{map[string]string{"blueprints": "blueprints", "dev": "environments/dev"}, "dev", "web", "dev web"},
		{map[string]string{"blueprints": "blueprints", "root": ""}, "blueprints", "web", "root blueprints/web"},
		{map[string]string{"blueprints": "web", "web-overlays": "web/overlays"}, "web-overlays", "east", "blueprints overlays/east"},
		{map[string]string{"blueprints": "web", "web-overlays": "web/overlays"}, "blueprints", "base", "blueprints base"},
		{map[string]string{"blueprints": "webs", "dev": "web"}, "blueprints", "base", "blueprints base"},
		{map[string]string{"blueprints": "web", "a": "web"}, "blueprints", "base", "a base"},
		{map[string]string{"blueprints": "", "a": "a", "b": "a/b"}, "b", "c", "blueprints a/b/c"},
	} {
		if repo, at := within(tt.over, tt.name, tt.pkg); repo+" "+at != tt.want {
			t.Errorf("%v: %s %s, want %s", tt, repo, at, tt.want)
		}
	}
}

// TestQuote has texts in manifests be read as what they are.
func TestQuote(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"git@example.com:a/b.git": "git@example.com:a/b.git", "on": "'on'", "1": "'1'",
		"it's": "'it''s'", "a:": "'a:'", "https://[::1]/a": "'https://[::1]/a'"} {
		if got := quote(text); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got, want := Name("EU_West.1 "+strings.Repeat("x", 60)), "eu-west-1-"+strings.Repeat("x", 40); got != want {
		t.Error(got)
	}
}
