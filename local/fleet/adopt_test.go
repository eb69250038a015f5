// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/local/home"
)

// TestBrownfield has a copy that somebody made by a script, with a value of its own and without any tag, become a variant:
// it gets an upgrade, and keeps its value.
func TestBrownfield(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web+"  adoptionPolicy: adoptExisting\n")
	own := strings.Replace(settings("small"), "zone: none", "zone: mine # north", 1)
	w.Push("main", "Copy by hand", map[string]string{"edge/web/settings.yaml": own, "edge/web/package-context.yaml": packageContext,
		"edge/web/Kptfile": "# ours\napiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n"})
	w.Equal("without an upstream", "web: UpstreamLockMissing v1 edge.web.packagevariant-1", lines(w.sync())[0])
	w.Equal("refs", []string{draft1, "heads/package-variants", "tags/edge/web/v1"}, w.Refs())
	text := w.Remote.Git("show", "main:edge/web/Kptfile") + "upstreamLock:\n  type: git\n  git:\n    repo: " + w.Remote.Address() +
		"\n    directory: blueprints/web\n    ref: blueprints/web/v1\n    commit: " +
		strings.TrimSpace(w.Remote.Git("rev-parse", "blueprints/web/v1^{commit}")) + "\n"
	w.Push("main", "Say from what it was made", map[string]string{"edge/web/Kptfile": text})
	w.Push("main", "Version 2", map[string]string{"blueprints/web/settings.yaml": settings("large")},
		"HEAD:refs/tags/blueprints/web/v2")
	w.Equal("with one", []string{"web: UpToDate v2 edge.web.packagevariant-1"}, lines(w.sync()))
	w.Equal("both changes", strings.Replace(own, "small", "large", 1), w.Remote.Git("show", strings.TrimPrefix(draft1, "heads/")+
		":edge/web/settings.yaml"))
	w.Merge(strings.TrimPrefix(draft1, "heads/"))
	w.Equal("merged", []string{"web: UpToDate v3"}, lines(w.sync()))
	w.idle()
}

const packageContext = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kptfile.kpt.dev\n  annotations:\n" +
	"    config.kubernetes.io/local-config: \"true\"\ndata:\n  name: web\n  package-path: web\n"

// TestPorchBeside has Porch make a draft of a package that a variant owns: the sync says that it is not alone, once.
func TestPorchBeside(t *testing.T) {
	t.Parallel()
	w := published(t, web)
	w.Push("drafts/edge/web/packagevariant-2", "Intermediate commit\n\nkpt:{\"package\":\"edge/web\",\"workspaceName\":"+
		"\"packagevariant-2\",\"task\":{\"type\":\"edit\",\"edit\":{\"sourceRef\":{\"name\":\"edge.web.packagevariant-1\"}}}}",
		map[string]string{"edge/web/settings.yaml": settings("tiny")})
	w.Equal("notes", []string{"edge.web.packagevariant-2 was made by Porch. If a controller works on its Repository, too, " +
		"stop one of the two"}, w.sync().Notes)
}

// TestSeveralRepositories has a second Repository over the directory of the first, on another branch or above it, in which
// there is a draft that a person edited: the draft stays, and is nobody's there. Without what was recorded, too.
func TestSeveralRepositories(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]string{"another branch": "branch: stage, directory: edge", "above": "branch: main"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, web)
			w.sync()
			branch := strings.TrimPrefix(draft1, "heads/")
			w.Push(branch, "Enlarge", map[string]string{"edge/web/settings.yaml": strings.Replace(settings("small"), "none", "mine", 1)})
			w.Remote.Git("branch", "stage", "main")
			w.Push("main", "Register it again", map[string]string{"fleet/second.yaml": "apiVersion: config.porch.kpt.dev/v1alpha1\n" +
				"kind: Repository\nmetadata: {name: second}\nspec: {type: git, deployment: true, git: {repo: \"" + w.Remote.Address() +
				"\", " + second + "}}\n"})
			w.secondVersion()
			w.Equal("beside a second one", []string{"web: UpToDate  edge.web.packagevariant-1"}, lines(w.sync()))
			w.Equal("the draft", settings("large"), strings.Replace(w.Remote.Git("show", branch+":edge/web/settings.yaml"), "mine", "none", 1))
			w.Remote.Git("update-ref", "-d", "refs/heads/package-variants")
			before := w.Remote.Refs()["refs/"+draft1]
			w.sync()
			w.Equal("without what was recorded", before, w.Remote.Refs()["refs/"+draft1])
		})
	}
}

// TestSeveralCopies has two copies that came with one commit taken over by one sync, each by its own variant.
func TestSeveralCopies(t *testing.T) {
	t.Parallel()
	const adopts = "  adoptionPolicy: adoptExisting\n"
	w := newWorld(t, web+adopts+another("other")+adopts)
	files := map[string]string{}
	for _, name := range []string{"web", "other"} {
		files["edge/"+name+"/settings.yaml"], files["edge/"+name+"/package-context.yaml"] = settings("small"), packageContext
		files["edge/"+name+"/Kptfile"] = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: " + name + "\n"
	}
	w.Push("main", "Copy twice", files)
	w.Equal("happened", []string{"edge/other: v1 published (the main branch has it, and other adopted it); packagevariant-1 drafted",
		"edge/web: v1 published (the main branch has it, and web adopted it); packagevariant-1 drafted"}, happened(w.sync()))
}

// TestSetOfCopies has a set take over all its copies in one sync, in which it makes its variants side by side.
func TestSetOfCopies(t *testing.T) {
	t.Parallel()
	var names, want []string
	files := map[string]string{}
	for i := range 40 {
		name := fmt.Sprintf("copy-%02d", i)
		names = append(names, name)
		want = append(want, "edge/"+name+": v1 published (the main branch has it, and webs-edge-"+name+" adopted it)")
		files["edge/"+name+"/settings.yaml"] = settings("small")
		files["edge/"+name+"/package-context.yaml"] = strings.ReplaceAll(packageContext, "web", name)
	}
	w := newWorld(t, "apiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\nmetadata: {name: webs}\nspec:\n"+
		"  upstream: {repo: blueprints, package: web, revision: latest}\n  targets:\n  - repositories: [{name: edge, packageNames: ["+
		strings.Join(names, ", ")+"]}]\n    template: {adoptionPolicy: adoptExisting}\n")
	for _, name := range names {
		files["edge/"+name+"/Kptfile"] = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: " + name + "\nupstreamLock:\n  type: git\n" +
			"  git:\n    repo: " + w.Remote.Address() + "\n    directory: blueprints/web\n    ref: blueprints/web/v1\n"
	}
	w.Push("main", "Copies", files)
	var got []string
	for _, line := range happened(w.sync()) {
		got = append(got, hashed.ReplaceAllString(line, "$1 adopted"))
	}
	w.Equal("happened", want, got)
	w.idle()
}

// hashed is what follows the name of a package in that of a variant of a set.
var hashed = regexp.MustCompile(`(copy-[0-9]+)-[a-z0-9]+ adopted`)

// TestHotfixAfterAdoption has a copy get its upstream by a draft that a person merges, and a hotfix after that: what is
// published of the hotfix is not the draft, whether the copy was published before or not.
func TestHotfixAfterAdoption(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		tags bool
		want string
	}{
		"published with the hotfix": {false, "edge.web.v1"},
		"published before":          {true, "edge.web.v2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "# no variant yet\n")
			const branch = "drafts/edge/web/adopt-v1"
			w.Push(branch, "Adopt\n\nkpt:{\"package\":\"edge/web\",\"workspaceName\":\"adopt-v1\"}", map[string]string{
				"edge/web/settings.yaml": settings("small"), "edge/web/package-context.yaml": packageContext, "edge/web/Kptfile": "apiVersion: kpt.dev/v1\n" +
					"kind: Kptfile\nmetadata:\n  name: web\nupstreamLock:\n  type: git\n  git:\n    repo: " + w.Remote.Address() +
					"\n    directory: blueprints/web\n    ref: blueprints/web/v1\n    commit: " +
					strings.TrimSpace(w.Remote.Git("rev-parse", "blueprints/web/v1")) + "\n"})
			w.Push("main", "A variant", map[string]string{"fleet/web.yaml": web + "  adoptionPolicy: adoptExisting\n"})
			w.Merge(branch)
			if tt.tags {
				w.People.Git("push", "-q", "origin", "HEAD:refs/tags/edge/web/v1")
				w.sync()
			}
			w.hotfix("north")
			published := slices.IndexFunc(w.sync().Packages[0].Pushed, func(h Happened) bool { return h.Did == home.Published && h.Revision == tt.want })
			w.Equal("published", true, published >= 0)
		})
	}
}

// TestAdoptionDraft has a person propose what a copy is a copy of, once its variant has it: that waits for a person, and
// would take back nothing, nor what is newer on the main branch then.
func TestAdoptionDraft(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web+"  adoptionPolicy: adoptExisting\n")
	kptfile := "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n"
	w.Push("main", "A copy", map[string]string{"edge/web/settings.yaml": settings("small"), "edge/web/Kptfile": kptfile,
		"edge/web/package-context.yaml": packageContext + "  region: north\n"})
	w.Equal("claimed", "web: UpstreamLockMissing v1", lines(w.sync())[0])
	w.People.Update()
	w.People.Push("Adopt\n\nkpt:{\"package\":\"edge/web\",\"workspaceName\":\"adopt-v1\"}", map[string]string{
		"edge/web/Kptfile": kptfile + "upstreamLock:\n  type: git\n  git:\n    repo: " + w.Remote.Address() +
			"\n    directory: blueprints/web\n    ref: blueprints/web/v1\n    commit: " +
			strings.TrimSpace(w.Remote.Git("rev-parse", "blueprints/web/v1")) + "\n"}, "HEAD:refs/heads/drafts/edge/web/adopt-v1")
	waits := func() string { return w.sync().Variants[0].Waits }
	w.Equal("proposed", "ManualApproval", waits())
	w.hotfix("north")
	w.Equal("beside a hotfix", "ManualApproval", waits())
}
