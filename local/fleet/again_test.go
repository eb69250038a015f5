// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"strings"
	"testing"
)

// hotfixed is a fleet with a package that a person changed on its branch, and that is published.
func hotfixed(t *testing.T, manifests string) *world {
	t.Helper()
	w := newWorld(t, manifests)
	w.sync()
	w.hotfix("north")
	w.sync()
	w.idle()
	return w
}

// hotfix has a person change the published package on its branch.
func (w *world) hotfix(zone string) {
	w.Helper()
	w.People.Update()
	w.People.Checkout("main")
	w.Push("main", "Hotfix", map[string]string{
		"edge/web/settings.yaml": strings.Replace(w.Remote.Git("show", "main:edge/web/settings.yaml"), "zone: none", "zone: "+zone, 1)})
}

// keeps checks that the branch has a hotfix.
func (w *world) keeps(what, zone string) {
	w.Helper()
	if text := w.Remote.Git("show", "main:edge/web/settings.yaml"); !strings.Contains(text, "zone: "+zone) {
		w.Errorf("%s: the hotfix is gone:\n%s", what, text)
	}
}

// TestSelectedAgain has a Repository lose the label by which a set selects it, and get it back before the removal of its
// package is merged: the package stays as people left it, with what they changed while it waited.
func TestSelectedAgain(t *testing.T) {
	t.Parallel()
	set := strings.Replace(webSet, "template: {", "template: {approvalPolicy: Automatic, ", 1)
	w := hotfixed(t, strings.Replace(set, "spec:", "spec:\n  allowEmpty: true", 1))
	w.relabel("tier: egde")
	w.Equal("deselected", []string(nil), lines(w.sync()))
	w.Equal("to be removed", true, w.Remote.Refs()["refs/heads/removals/edge/web"] != "")
	w.hotfix("north")
	w.People.Update()
	w.People.Checkout("main")
	w.Push("main", "Another hotfix", map[string]string{"edge/web/NOTES": "keep\n"})
	w.relabel("tier: edge")
	report := w.sync()
	w.Equal("back", "UpToDate v3", report.Variants[0].Reason+" "+report.Variants[0].Revision)
	w.Equal("refs", []string{"heads/package-variants", "tags/edge/web/v1", "tags/edge/web/v2", "tags/edge/web/v3"}, w.Refs())
	w.keeps("back", "north")
	w.idle()
}

// relabel gives the Repository edge a label.
func (w *world) relabel(label string) {
	w.Helper()
	w.Push("main", "Relabel", map[string]string{"fleet/repositories.yaml": strings.ReplaceAll(
		strings.Replace(repositories, "tier: edge", label, 1), "ADDRESS", w.Remote.Address())})
}

// TestRenamed renames a variant of which a package is published, in one commit. Whichever of the names is first: with
// adoptExisting the new one takes the package over, and else it leaves it alone until the removal is merged.
func TestRenamed(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"aaa", "zzz"} {
		for _, deletion := range []string{"delete", "orphan"} {
			t.Run(name+" "+deletion, func(t *testing.T) {
				t.Parallel()
				manifest := web + "  approvalPolicy: Automatic\n  deletionPolicy: " + deletion + "\n"
				renamed := strings.Replace(manifest, "{name: web}", "{name: "+name+"}", 1)
				w := hotfixed(t, manifest)
				w.Push("main", "Rename", map[string]string{"fleet/web.yaml": renamed})
				w.Equal("renamed", name+": DownstreamExists", lines(w.sync())[0])
				w.keeps("renamed", "north")
				w.idle()
				w.Push("main", "Adopt", map[string]string{"fleet/web.yaml": renamed + "  adoptionPolicy: adoptExisting\n"})
				w.Equal("adopted", []string{name + ": UpToDate v2"}, lines(w.sync()))
				w.Equal("refs", []string{"heads/package-variants", "tags/edge/web/v1", "tags/edge/web/v2"}, w.Refs())
				w.keeps("adopted", "north")
				w.idle()
			})
			t.Run(name+" "+deletion+" at once", func(t *testing.T) {
				t.Parallel()
				manifest := web + "  approvalPolicy: Automatic\n  adoptionPolicy: adoptExisting\n  deletionPolicy: " + deletion + "\n"
				w := hotfixed(t, manifest)
				w.Push("main", "Rename", map[string]string{"fleet/web.yaml": strings.Replace(manifest, "{name: web}", "{name: "+name+"}", 1)})
				w.Equal("renamed", []string{name + ": UpToDate v2"}, lines(w.sync()))
				w.keeps("renamed", "north")
				w.idle()
			})
		}
	}
}

// TestRenamedWithRepositories gives Repositories other names, by which the variants of a set get others, while upgrades
// are open. Whichever of the names are first: nothing asks for the removal of what the new ones adopt.
func TestRenamedWithRepositories(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"aaa-", "zzz-"} {
		t.Run(prefix, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, webSet)
			named := func(prefix string) map[string]string {
				blueprints, edge, _ := strings.Cut(strings.ReplaceAll(repositories, "ADDRESS", w.Remote.Address()), "---")
				for _, name := range []string{"edge", "fra", "lon"} {
					blueprints += "---" + strings.NewReplacer("name: edge", "name: "+prefix+name, "y: edge", "y: "+name).Replace(edge)
				}
				return map[string]string{"fleet/repositories.yaml": blueprints}
			}
			w.Push("main", "Three", named(""))
			w.sync()
			for _, name := range []string{"edge", "fra", "lon"} {
				w.Merge("drafts/" + name + "/web/packagevariant-1")
			}
			w.secondVersion()
			w.sync()
			before := w.Refs()
			files := named(prefix)
			files["fleet/web.yaml"] = strings.Replace(webSet, "{downstream:", "{adoptionPolicy: adoptExisting, downstream:", 1)
			w.Push("main", "Rename", files)
			report := w.sync()
			w.Equal("refs", before, w.Refs())
			w.Equal("notes", []string(nil), report.Notes)
			for i, name := range []string{"edge", "fra", "lon"} {
				w.Equal("draft", prefix+name+".web.packagevariant-2", report.Variants[i].Draft)
			}
			w.idle()
		})
	}
}

// TestMadeAnew removes a package, and asks for it again once the removal is merged: it is made anew, for a person to
// publish, in a Repository for deployments and in another.
func TestMadeAnew(t *testing.T) {
	t.Parallel()
	for _, deployment := range []string{"true", "false"} {
		t.Run("deployment "+deployment, func(t *testing.T) {
			t.Parallel()
			manifest := strings.Replace(web, "  packageContext: {data: {region: north}}\n", "", 1) +
				"  approvalPolicy: Automatic\n  deletionPolicy: delete\n"
			w := newWorld(t, manifest)
			w.Push("main", "Deployment", map[string]string{"fleet/repositories.yaml": strings.ReplaceAll(
				strings.Replace(repositories, "deployment: true", "deployment: "+deployment, 1), "ADDRESS", w.Remote.Address())})
			w.Equal("published", []string{"web: UpToDate v1"}, lines(w.sync()))
			w.Push("main", "Remove", map[string]string{"fleet/web.yaml": "# none\n"})
			w.Equal("removed", 1, len(w.sync().Removals))
			w.Merge("removals/edge/web")
			w.sync()
			w.Push("main", "Bring it back", map[string]string{"fleet/web.yaml": manifest})
			report := w.sync()
			w.Equal("made anew", []string{"web: UpToDate  edge.web.packagevariant-1"}, lines(report))
			w.Equal("why it waits", "edge.web.packagevariant-1 waits for a person, because edge/web was published before and "+
				"removed from the branch: merge it if the package is to come back", report.Variants[0].Message)
			w.idle()
		})
	}
}
