// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"strconv"
	"strings"
	"testing"
)

// goBack has a person put back what edge/web was at a tag, in whole or a file of it.
func (w *world) goBack(tag, path string) {
	w.Helper()
	w.People.Update()
	w.People.Git("rm", "-rq", path)
	w.People.Git("checkout", "-q", tag, "--", path)
	w.People.Push("Go back", nil, "HEAD:refs/heads/main")
}

// TestRevertedTwice takes an upgrade back, and takes that back: the package is as asked for then.
func TestRevertedTwice(t *testing.T) {
	t.Parallel()
	w := published(t, web)
	w.secondVersion()
	w.sync()
	w.Merge(strings.TrimPrefix(draft2, "heads/"))
	w.Equal("upgraded", []string{"web: UpToDate v2"}, lines(w.sync()))
	w.goBack("edge/web/v1", "edge/web")
	report := w.sync()
	w.Equal("taken back", []string{"web: Rejected v3"}, lines(report))
	w.Equal("why", "edge.web.v3 was taken back, or takes an upgrade back, which is not made again until the upstream "+
		"revision, the spec, or an injected object changes", report.Variants[0].Message)
	w.idle()
	w.goBack("edge/web/v2", "edge/web")
	w.Equal("as asked for", []string{"web: UpToDate v4"}, lines(w.sync()))
	w.idle()
}

// TestRevertedInPart takes back what the variant itself asked for: in whole, that stays; in part, it is offered again,
// until the draft is rejected, and the package is as asked for once a person sees to that.
func TestRevertedInPart(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		path string
		want []string
	}{
		"whole": {"edge/web", []string{"web: Rejected v3"}},
		"part":  {"edge/web/package-context.yaml", []string{"web: UpToDate v3 edge.web.packagevariant-3"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := published(t, web)
			w.Push("main", "Move", map[string]string{"fleet/web.yaml": strings.Replace(web, "north", "south", 1)})
			w.sync()
			w.Push(strings.TrimPrefix(draft2, "heads/"), "Add", map[string]string{"edge/web/more.txt": name})
			w.Merge(strings.TrimPrefix(draft2, "heads/"))
			w.Equal("moved", []string{"web: UpToDate v2"}, lines(w.sync()))
			w.goBack("edge/web/v1", tt.path)
			w.Equal("taken back", tt.want, lines(w.sync()))
			if name == "part" {
				w.Remote.Git("update-ref", "-d", "refs/heads/drafts/edge/web/packagevariant-3")
				w.Equal("rejected", []string{"web: Rejected v3"}, lines(w.sync()))
			}
			w.idle()
			w.goBack("edge/web/v2", "edge/web")
			w.Equal("as asked for", []string{"web: UpToDate v4"}, lines(w.sync()))
			w.idle()
		})
	}
}

// TestReset has a person reset the branch of a draft to what is published: that rejects it.
func TestReset(t *testing.T) {
	t.Parallel()
	w := published(t, web)
	w.secondVersion()
	w.sync()
	was := w.Remote.Refs()["refs/"+draft2]
	w.Remote.Git("update-ref", "refs/"+draft2, "refs/heads/main")
	report := w.sync()
	w.Equal("rejected", []string{"web: Rejected v1"}, lines(report))
	w.Equal("happened", []string{"edge/web: packagevariant-2 was rejected"}, happened(report))
	w.Equal("refs", []string{"heads/package-variants", "tags/edge/web/v1"}, w.Refs())
	w.idle()
	w.Remote.Git("update-ref", "refs/"+draft2, was)
	w.Equal("restored", []string{"web: UpToDate v1 edge.web.packagevariant-2"}, lines(w.sync()))
	w.idle()
}

// TestBinary has a blueprint with a picture: the variant says which file of which package it is, and what to do.
func TestBinary(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web)
	w.Push("main", "Picture", map[string]string{"blueprints/web/picture.png": "\x89PNG\xff\x00\x01"},
		"HEAD:refs/tags/blueprints/web/v2")
	w.Equal("refused", []string{"web: PackageRefused", "PackageVariant default/web: blueprints.web.v2 is not worked on: " +
		"picture.png is not text in UTF-8: convert it, or take it out of the package"}, lines(w.sync()))
	w.idle()
}

// TestRetargeted has a draft follow its upstream: its pull request names the newest.
func TestRetargeted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web)
	w.sync()
	w.secondVersion()
	w.Equal("title", "edge/web: clone of blueprints.web.v2", w.sync().Variants[0].PullRequest.Title)
}

// TestRemovalWithMore has people commit to the branch of a removal, and merge main into it: it is still one, and goes if
// the manifest comes back.
func TestRemovalWithMore(t *testing.T) {
	t.Parallel()
	const branch = "removals/edge/web"
	w := published(t, web+"  deletionPolicy: delete\n")
	w.Push("main", "Remove the variant", map[string]string{"fleet/web.yaml": "# none\n"})
	w.sync()
	w.Push(branch, "Say so", map[string]string{"edge/notes.txt": "web is gone\n"})
	w.Push("main", "Go on", map[string]string{"README.md": "A fleet\n"})
	w.People.Checkout(branch)
	w.People.Git("merge", "-q", "--no-edit", "origin/main")
	w.People.Git("push", "-q", "origin", "HEAD:refs/heads/"+branch)
	report := w.sync()
	w.Equal("waits", 1, len(report.Removals))
	w.Push("main", "Bring it back", map[string]string{"fleet/web.yaml": web + "  deletionPolicy: delete\n"})
	w.Equal("back", []string{"web: UpToDate v1"}, lines(w.sync()))
	w.Equal("refs", []string{"heads/package-variants", "tags/edge/web/v1"}, w.Refs())
	w.idle()
}

// TestHotfixBesideARemoval has a person change the main branch while a removal waits: it is made anew, as otherwise it
// would conflict with that.
func TestHotfixBesideARemoval(t *testing.T) {
	t.Parallel()
	w := published(t, web+"  deletionPolicy: delete\n")
	w.Push("main", "Remove the variant", map[string]string{"fleet/web.yaml": "# none\n"})
	w.sync()
	w.Push("main", "Hotfix", map[string]string{"edge/web/settings.yaml": settings("mine")})
	w.Equal("waits", 1, len(w.sync().Removals))
	w.idle()
	w.Merge("removals/edge/web")
	w.Equal("removed", []string{"edge/web: removed, as was merged"}, happened(w.sync()))
	w.Equal("refs", []string{"heads/package-variants", "tags/edge/web/v1"}, w.Refs())
}

// TestHotfixBesideADraft has a person change the branch while a draft is open: the next sync merges that into the draft,
// which then takes nothing back.
func TestHotfixBesideADraft(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web)
	w.sync()
	w.Merge(strings.TrimPrefix(draft1, "heads/"))
	w.sync()
	w.Push("main", "Version 2", map[string]string{"blueprints/web/settings.yaml": settings("large")}, "HEAD:refs/tags/blueprints/web/v2")
	w.sync()
	w.Push("main", "Hotfix", map[string]string{"edge/web/more.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: more}\n"})
	report := w.sync()
	w.Equal("happened", []string{"edge/web: v2 published (the main branch has changed); packagevariant-2 changed"}, happened(report))
	draft := strings.TrimPrefix(draft2, "heads/")
	w.Equal("one commit on main", strings.TrimSpace(w.Remote.Git("rev-parse", "main")),
		strings.TrimSpace(w.Remote.Git("rev-parse", draft+"^")))
	w.Equal("what it changes", "edge/web/Kptfile\nedge/web/settings.yaml\n", w.Remote.Git("diff", "--name-only", "main", draft))
	w.Equal("message", "edge.web.packagevariant-2 waits for a person to publish it", report.Variants[0].Message)
	w.idle()
}

// TestHotfixOfAnEdit has a person change a value on the branch that another one has changed in the draft: the draft keeps
// its own, and people are told of both.
func TestHotfixOfAnEdit(t *testing.T) {
	t.Parallel()
	w := published(t, web)
	w.secondVersion()
	w.sync()
	draft := strings.TrimPrefix(draft2, "heads/")
	w.Push(draft, "Edit", map[string]string{"edge/web/settings.yaml": strings.Replace(
		w.Remote.Git("show", draft+":edge/web/settings.yaml"), "zone: none", "zone: mine", 1)})
	w.Push("main", "Hotfix", map[string]string{"edge/web/settings.yaml": strings.Replace(
		w.Remote.Git("show", "main:edge/web/settings.yaml"), "zone: none", "zone: theirs", 1)})
	line := w.sync().Variants[0]
	const said = "edge.web.packagevariant-2 waits for a person, because people have changed in the draft what was changed in the " +
		"published package, too, and the draft has its own: data.zone of ConfigMap \"settings\" in settings.yaml (here \"mine\", " +
		"published \"theirs\"): look at both, and merge it"
	w.Equal("state", []string{"LeftToPeople", said}, []string{line.shown(), line.Message})
	w.Equal("pull request", true, strings.Contains(line.PullRequest.Body, "published \"theirs\""))
	w.Equal("the draft", true, strings.Contains(w.Remote.Git("show", draft+":edge/web/settings.yaml"), "zone: mine"))
	w.idle()
}

// TestEditedThroughUpgrades has a person edit a draft, and the blueprint change twice after that: what they wrote stays.
func TestEditedThroughUpgrades(t *testing.T) {
	t.Parallel()
	w := published(t, web)
	w.secondVersion()
	w.sync()
	w.Push(strings.TrimPrefix(draft2, "heads/"), "Edit", map[string]string{"edge/web/settings.yaml": strings.Replace(
		w.Remote.Git("show", strings.TrimPrefix(draft2, "heads/")+":edge/web/settings.yaml"), "zone: none", "zone: north", 1)})
	for i, size := range []string{"huge", "vast"} {
		w.Push("main", "Another version", map[string]string{"blueprints/web/settings.yaml": settings(size)},
			"HEAD:refs/tags/blueprints/web/v"+strconv.Itoa(i+3))
		w.sync()
		w.idle()
		_, values, _ := strings.Cut(w.Remote.Git("show", strings.TrimPrefix(draft2, "heads/")+":edge/web/settings.yaml"), "data:\n")
		w.Equal("the draft", "  size: "+size+"\n  a: a\n  b: b\n  c: c\n  zone: north\n", values)
	}
}
