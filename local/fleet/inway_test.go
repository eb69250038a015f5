// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"strings"
	"testing"
)

// inTheWay is what a sync says of a directory without a Kptfile where a package is to be.
const inTheWay = "PackageVariant default/web: edge/web is on the branch main, and has no Kptfile, so it is no package: " +
	"move it away; or add a Kptfile, give it its upstream by variants adopt, and set spec.adoptionPolicy to adoptExisting"

// TestInTheWay has a person push a directory without a Kptfile where a package is to be: nothing is written, whatever the
// policies, until it is moved away.
func TestInTheWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web+"  approvalPolicy: Automatic\n  adoptionPolicy: adoptExisting\n")
	w.Push("main", "Keep notes", map[string]string{"edge/web/NOTES": "keep\n"})
	for range 2 {
		w.Equal("in the way", []string{"web: DownstreamExists", inTheWay}, lines(w.sync()))
		w.Equal("the plan", inTheWay, "PackageVariant default/web: "+w.plan(w.options()).Variants[0].Condition.Message)
		w.Equal("refs", []string{"heads/package-variants"}, w.Refs())
	}
	w.People.Update()
	w.People.Git("mv", "edge/web/NOTES", "edge/NOTES")
	w.People.Push("Move it away", nil, "HEAD:refs/heads/main")
	w.Equal("moved away", []string{"web: UpToDate v1"}, lines(w.sync()))
}

// TestInTheWayOfDraft has the directory pushed beside a draft, with a file that it has, too, or with others only. Nobody
// but a person publishes the draft.
func TestInTheWayOfDraft(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{"same file": "edge/web/settings.yaml", "another file": "edge/web/NOTES"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, web)
			w.sync()
			w.Push("main", "Push a directory", map[string]string{file: "keep\n",
				"fleet/web.yaml": web + "  approvalPolicy: Automatic\n"})
			main := w.Remote.Refs()["refs/heads/main"]
			report := w.sync()
			w.Equal("waits", []string{"web: UpToDate  edge.web.packagevariant-1"}, lines(report))
			w.Equal("why", "edge.web.packagevariant-1 waits for a person, because edge/web is on the branch, and was not "+
				"published: look at both, and merge it", report.Variants[0].Message)
			w.Equal("main", main, w.Remote.Refs()["refs/heads/main"])
			w.idle()
		})
	}
}

// TestInTheWayAdopted makes a directory a package, says from what it was made, and has the variant take it over.
func TestInTheWayAdopted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web)
	w.Push("main", "Copy by hand", map[string]string{"edge/web/settings.yaml": settings("small")})
	w.Equal("in the way", []string{"web: DownstreamExists", inTheWay}, lines(w.sync()))
	w.Push("main", "Add a Kptfile", map[string]string{"edge/web/package-context.yaml": packageContext, "edge/web/Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n" +
		"upstreamLock:\n  type: git\n  git:\n    repo: " + w.Remote.Address() + "\n    directory: blueprints/web\n" +
		"    ref: blueprints/web/v1\n    commit: " + strings.TrimSpace(w.Remote.Git("rev-parse", "blueprints/web/v1^{commit}")) + "\n"})
	w.Equal("on the branch only", "web: DownstreamExists", lines(w.sync())[0])
	w.Push("main", "Take it over", map[string]string{"fleet/web.yaml": web + "  adoptionPolicy: adoptExisting\n"})
	w.Equal("taken over", []string{"web: UpToDate v1 edge.web.packagevariant-1"}, lines(w.sync()))
	w.idle()
}

// TestNoKptfile has a blueprint without a Kptfile, and then a draft of which a person deletes it.
func TestNoKptfile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, strings.Replace(web, "package: web, revision: latest", "package: bare, revision: v1", 1))
	w.Push("main", "Write a blueprint", map[string]string{"blueprints/bare/settings.yaml": settings("small")},
		"HEAD:refs/tags/blueprints/bare/v1")
	w.Equal("the blueprint", []string{"web: PackageRefused", "PackageVariant default/web: blueprints.bare.v1 is not worked on: the " +
		"tag blueprints/bare/v1 is at a commit whose directory blueprints/bare has no Kptfile, so it is no package: publish a " +
		"commit that has one by the tag blueprints/bare/v2, or put the tag back if it was moved"}, lines(w.sync()))
	w.Push("main", "Take another", map[string]string{"fleet/web.yaml": web})
	w.Equal("another", []string{"web: UpToDate  edge.web.packagevariant-1"}, lines(w.sync()))
	branch := strings.TrimPrefix(draft1, "heads/")
	w.People.Update()
	w.People.Checkout(branch)
	w.People.Git("rm", "-q", "edge/web/Kptfile")
	w.People.Push("Delete it", nil, "HEAD:refs/heads/"+branch)
	w.Equal("the draft", []string{"web: PackageRefused  edge.web.packagevariant-1", "PackageVariant default/web: " +
		"edge.web.packagevariant-1 is not worked on: the directory edge/web has no Kptfile there, so it is no package: add one, as kpt pkg init does"},
		lines(w.sync()))
	w.idle()
}

// TestNoFiles has a person delete the package in the draft of an upgrade: neither approving nor waiting helps.
func TestNoFiles(t *testing.T) {
	t.Parallel()
	w := published(t, web)
	w.secondVersion()
	w.sync()
	branch := strings.TrimPrefix(draft2, "heads/")
	w.People.Update()
	w.People.Checkout(branch)
	w.People.Git("rm", "-rq", "edge/web")
	w.People.Push("Delete all", nil, "HEAD:refs/heads/"+branch)
	w.Equal("no files", []string{"web: PackageRefused v1 edge.web.packagevariant-2", "PackageVariant default/web: " +
		"edge.web.packagevariant-2 is not worked on: its branch " + branch + " has no edge/web: restore the directory there, or " +
		"delete the branch, which rejects the draft"}, lines(w.sync()))
	w.idle()
	w.Remote.Git("update-ref", "-d", "refs/"+draft2)
	w.Equal("rejected", []string{"web: Rejected v1"}, lines(w.sync()))
}

// TestNoBranch has a Repository name a branch that is not there: it is made only if the manifest says so.
func TestNoBranch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web)
	manifests := strings.ReplaceAll(repositories, "ADDRESS", w.Remote.Address())
	wrong := strings.Replace(manifests, "branch: main, directory: edge", "branch: mian, directory: edge", 1)
	w.Push("main", "Write it wrong", map[string]string{"fleet/repositories.yaml": wrong})
	w.Equal("wrong", []string{"web: RepositoryNotReady", "PackageVariant default/web: Repository edge: " + w.Remote.Address() +
		" has no branch mian: correct spec.git.branch, or set spec.git.createBranch to true"}, lines(w.sync()))
	w.Equal("refs", []string{"heads/package-variants"}, w.Refs())
	w.Push("main", "Mean it", map[string]string{"fleet/repositories.yaml": strings.Replace(wrong, "branch: mian,",
		"branch: mian, createBranch: true,", 1)})
	w.Equal("meant", []string{"web: UpToDate  edge.web.packagevariant-1"}, lines(w.sync()))
	w.Equal("refs", []string{draft1, "heads/mian", "heads/package-variants"}, w.Refs())
}

// TestRepositoryGone removes the manifest of a Repository whose package a set has published: the package stays, as a note
// says once.
func TestRepositoryGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, strings.Replace(webSet, "  targets:\n", "  allowEmpty: true\n  targets:\n", 1))
	w.sync()
	w.Merge(strings.TrimPrefix(draft1, "heads/"))
	name := w.sync().Variants[0].Name
	all := strings.ReplaceAll(repositories, "ADDRESS", w.Remote.Address())
	w.Push("main", "Remove the site", map[string]string{"fleet/repositories.yaml": all[:strings.LastIndex(all, "---")]})
	want := []string{"the packages of the Repository default/edge, which is in no manifest any more, stay as they are, with their " +
		"drafts (web): a Repository for the same directory and branch has them again, whatever its name; if they are to go, restore " +
		"the manifest, and sync; take its label or the variants' manifests away, and sync; merge the removals; and only then remove " +
		"the Repository's manifest"}
	w.Equal("the plan", want, w.plan(w.options()).Notes)
	w.Equal("the sync", want, w.sync().Notes)
	w.Equal("the next one", []string(nil), w.sync().Notes)
	w.Equal("refs", []string{"heads/package-variants", "tags/edge/web/v1"}, w.Refs())
	w.idle()
	w.Push("main", "Restore it", map[string]string{"fleet/repositories.yaml": all})
	w.Equal("restored", []string{name + ": UpToDate v1"}, lines(w.sync()))
	w.Push("main", "Take its label away", map[string]string{"fleet/repositories.yaml": strings.Replace(all, "tier: edge", "tier: none", 1)})
	w.Equal("waits", 1, len(w.sync().Removals))
}
