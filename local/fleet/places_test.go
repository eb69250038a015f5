// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"os"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/local/git/gittest"
	"github.com/package-variants/package-variants/local/home"
)

// repositoryAt returns the manifest of a Repository for packages.
func repositoryAt(name, address, branch, directory string) string {
	return "---\napiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata: {name: " + name +
		", labels: {tier: edge}}\nspec: {type: git, deployment: true, git: {repo: \"" + address + "\", branch: " + branch +
		", directory: " + directory + "}}\n"
}

// blueprints returns the manifest of the Repository with the blueprint.
func (w *world) blueprints() string {
	all := strings.ReplaceAll(repositories, "ADDRESS", w.Remote.Address())
	return all[:strings.LastIndex(all, "---")]
}

// manifest has a person change a manifest of the fleet.
func (w *world) manifest(name string, text ...string) {
	w.Helper()
	w.Push("main", "Change "+name, map[string]string{"fleet/" + name: strings.Join(text, "")})
}

// sharedError is what is said of a Repository whose place another one has.
func sharedError(name, address, holder string) string {
	return "Repository " + name + ": it is the directory /edge on the branch main of " + address + ", which the Repository " +
		holder + " has: remove one of the two manifests, or give one of them another directory or branch"
}

// TestOnePlace has two Repositories over one directory: the first by name has it, and after that the one that has
// packages there, whatever its name. Everything else goes on, and whoever loses its manifest loses nothing.
func TestOnePlace(t *testing.T) {
	t.Parallel()
	other := strings.NewReplacer("name: web", "name: other", "repo: edge", "repo: far").Replace(web)
	w := newWorld(t, web+"---"+other)
	address := strings.TrimPrefix(w.Remote.Address(), "file://") + "/"
	w.manifest("repositories.yaml", w.blueprints(), repositoryAt("edge", w.Remote.Address(), "main", "edge"),
		repositoryAt("far", address, "main", "edge//"))
	said := sharedError("far", address, "edge")
	want := []string{"other: RepositoriesOverlap", "web: UpToDate  edge.web.packagevariant-1",
		"Repository default/far: " + strings.TrimPrefix(said, "Repository far: "), "PackageVariant default/other: " + said}
	w.Equal("the first by name", want, lines(w.sync()))
	w.Equal("refs", []string{draft1, "heads/package-variants"}, w.Refs())
	w.idle()
	w.manifest("repositories.yaml", w.blueprints(), repositoryAt("far", address, "main", "edge"),
		repositoryAt("aaa", address, "main", "edge"), repositoryAt("edge", w.Remote.Address(), "main", "edge"))
	w.Equal("the one that is known", "web: UpToDate  edge.web.packagevariant-1", lines(w.sync())[1])
	w.idle()
}

// TestOnePlaceByALink has two Repositories over one directory, by addresses of which only a push shows that they are of
// one git repository. That is remembered.
func TestOnePlaceByALink(t *testing.T) {
	t.Parallel()
	for policy, draft := range map[string]string{"Manual": " edge.web.packagevariant-1", "Automatic": "v1"} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			policy := "  approvalPolicy: " + policy + "\n"
			w := newWorld(t, web+policy+strings.ReplaceAll(another("other"), "repo: edge, package: other", "repo: far, package: web")+policy)
			link := t.TempDir() + "/link.git"
			if err := os.Symlink(w.Remote.Dir, link); err != nil {
				t.Fatal(err)
			}
			w.manifest("repositories.yaml", w.blueprints(), repositoryAt("edge", w.Remote.Address(), "main", "edge"),
				repositoryAt("far", link, "main", "edge"))
			said := sharedError("far", link, "edge")
			want := []string{"other: RepositoriesOverlap", "web: UpToDate " + draft,
				"Repository default/far: " + strings.TrimPrefix(said, "Repository far: "), "PackageVariant default/other: " + said}
			report, err := Sync(t.Context(), w.options())
			if err != nil {
				t.Fatal(err)
			}
			w.Equal("found out", want, lines(report))
			w.Equal("remembered", want, lines(w.sync()))
			w.idle()
			w.manifest("repositories.yaml", w.blueprints(), repositoryAt("far", link, "main", "edge"))
			w.manifest("web.yaml", strings.ReplaceAll(web, "repo: edge", "repo: far")+policy)
			w.Equal("the other one takes it over", "web: UpToDate "+strings.ReplaceAll(draft, "edge.", "far."), lines(w.sync())[0])
			w.idle()
		})
	}
}

// TestRepositoryRenamed gives a Repository another name: it has the packages again, with what people changed in drafts,
// and nothing is published twice.
func TestRepositoryRenamed(t *testing.T) {
	t.Parallel()
	w := published(t, web)
	w.secondVersion()
	w.sync()
	w.Push(strings.TrimPrefix(draft2, "heads/"), "Edit", map[string]string{"edge/web/mine.yaml": "a: b\n"})
	w.sync()
	before := w.Remote.Refs()
	w.manifest("repositories.yaml", w.blueprints())
	report := w.sync()
	w.Equal("away", []string{"web: RepositoryNotFound v1 edge.web.packagevariant-2"}, lines(report)[:1])
	w.Equal("said", 1, len(report.Notes))
	w.Equal("said once", 0, len(w.sync().Notes))
	w.idle()
	w.manifest("repositories.yaml", w.blueprints(), repositoryAt("far", w.Remote.Address(), "main", "edge"))
	w.manifest("web.yaml", strings.ReplaceAll(web, "repo: edge", "repo: far"))
	w.Equal("under another name", []string{"web: UpToDate v1 far.web.packagevariant-2"}, lines(w.sync()))
	for _, ref := range []string{"refs/" + draft2, "refs/tags/edge/web/v1"} {
		w.Equal(ref, before[ref], w.Remote.Refs()[ref])
	}
	w.Merge(strings.TrimPrefix(draft2, "heads/"))
	w.Equal("merged", []string{"web: UpToDate v2"}, lines(w.sync()))
	w.idle()
}

// TestMoved has a Repository name another place. It is followed there if that has what was seen last; otherwise it waits
// until a person accepts it, and nothing is rejected or removed meanwhile.
func TestMoved(t *testing.T) {
	t.Parallel()
	edited := func(w *world) {
		w.secondVersion()
		w.sync()
		w.Push(strings.TrimPrefix(draft2, "heads/"), "Edit", map[string]string{"edge/web/mine.yaml": "a: b\n"})
		w.sync()
	}
	for name, c := range map[string]struct {
		moves func(w *world) string // returns the manifest
		want  []string
		then  func(w *world) // and what happens next
	}{
		"a mirror": {func(w *world) string {
			mirror := gittest.NewRemote(w.T, "mirror")
			w.Remote.Git("push", "-q", "--mirror", mirror.Address())
			return repositoryAt("edge", mirror.Address(), "main", "edge")
		}, []string{"web: UpToDate v1 edge.web.packagevariant-2"}, nil},
		"a mirror without drafts": {func(w *world) string {
			mirror := gittest.NewRemote(w.T, "mirror")
			w.Remote.Git("push", "-q", mirror.Address(), "main", "--tags")
			return repositoryAt("edge", mirror.Address(), "main", "edge")
		}, []string{"web: UpToDate v1 edge.web.packagevariant-3"}, nil},
		"another branch": {func(w *world) string {
			w.Remote.Git("branch", "trunk", "main")
			return repositoryAt("edge", w.Remote.Address(), "trunk", "edge")
		}, []string{"web: UpToDate v1 edge.web.packagevariant-2"}, nil},
		"an empty one": {func(w *world) string {
			return repositoryAt("edge", gittest.NewRemote(w.T, "empty").Address(), "main", "edge")
		}, []string{"web: RepositoryReplaced v1 edge.web.packagevariant-2"}, nil},
		"an unrelated one": {func(w *world) string {
			other := gittest.NewRemote(w.T, "other")
			other.Clone().Push("Begin", map[string]string{"a": "b\n"}, "HEAD:refs/heads/main")
			return repositoryAt("edge", other.Address(), "main", "edge")
		}, []string{"web: RepositoryReplaced v1 edge.web.packagevariant-2"}, func(w *world) {
			text := w.Remote.Git("show", "main:fleet/repositories.yaml")
			address := text[strings.LastIndex(text, "file://"):]
			address, _, _ = strings.Cut(address, "\"")
			head := strings.Fields(w.People.Git("ls-remote", address, "main"))[0]
			w.manifest("repositories.yaml", strings.Replace(text, "metadata: {name: edge,", "metadata: {name: edge, annotations: {"+
				home.AcceptBranch+": "+head+"},", 1))
			w.Equal("accepted", []string{"web: LeftToPeople v1 edge.web.packagevariant-2"}, lines(w.sync()))
		}},
		"another directory": {func(w *world) string {
			return repositoryAt("edge", w.Remote.Address(), "main", "far")
		}, []string{"web: RepositoryReplaced v1 edge.web.packagevariant-2"}, func(w *world) {
			w.People.Update()
			w.People.Git("mv", "edge", "far")
			w.People.Push("Move", nil, "HEAD:refs/heads/main")
			w.Equal("moved", []string{"web: UpToDate v1 edge.web.packagevariant-2"}, lines(w.sync()))
			w.Equal("refs", []string{"heads/drafts/far/web/packagevariant-2", "heads/package-variants", "tags/edge/web/v1",
				"tags/far/web/v1"}, w.Refs())
			w.Equal("what people wrote", "a: b\n", w.Remote.Git("show", "drafts/far/web/packagevariant-2:far/web/mine.yaml"))
			w.idle()
			w.Merge("drafts/far/web/packagevariant-2")
			w.Equal("merged", []string{"web: UpToDate v2"}, lines(w.sync()))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := published(t, web)
			edited(w)
			before := w.Remote.Refs()
			w.manifest("repositories.yaml", w.blueprints(), c.moves(w))
			w.Equal(name, c.want, lines(w.sync())[:1])
			for _, ref := range []string{"refs/" + draft2, "refs/tags/edge/web/v1"} {
				w.Equal(ref, before[ref], w.Remote.Refs()[ref])
			}
			w.idle()
			if c.then != nil {
				c.then(w)
				w.idle()
			}
			w.manifest("repositories.yaml", w.blueprints(), repositoryAt("edge", w.Remote.Address(), "main", "edge"))
		})
	}
}

// TestTwoSpellings has two Repositories over one git repository by two addresses: each is reached by its own, and what
// one publishes keeps the other from nothing.
func TestTwoSpellings(t *testing.T) {
	t.Parallel()
	const policy = "  approvalPolicy: Automatic\n"
	w := newWorld(t, web+policy+strings.ReplaceAll(another("other"), "repo: edge", "repo: far")+policy)
	w.manifest("repositories.yaml", w.blueprints(), repositoryAt("edge", w.Remote.Address(), "main", "edge"),
		repositoryAt("far", w.Remote.Dir, "main", "far"))
	w.Equal("published", []string{"other: UpToDate v1", "web: UpToDate v1"}, lines(w.sync()))
	w.Equal("refs", []string{"heads/package-variants", "tags/edge/web/v1", "tags/far/other/v1"}, w.Refs())
	w.idle()
}
