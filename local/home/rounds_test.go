// SPDX-License-Identifier: Apache-2.0

package home

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git/gittest"
)

// webFiles are those of the blueprint.
var webFiles = map[string]string{
	"Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n",
	"settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  size: small\n  a: a\n  b: b\n" +
		"  c: c\n  zone: none\n",
}

// begun returns a world with a blueprint, in which a round has begun.
func begun(t *testing.T, others map[string]string) *world {
	t.Helper()
	w := newWorld(t, others)
	w.people("blueprints").Push("Publish", gittest.Files("web", webFiles), "HEAD:refs/heads/main", "HEAD:refs/tags/web/v1")
	w.round(w.home)
	return w
}

// round begins a round.
func (w *world) round(h *Home) {
	w.Helper()
	if err := h.Fetch(w.Context()); err != nil {
		w.Fatal(err)
	}
}

// draft has a home make the draft of a variant of the same name, with a size of its own.
func (w *world) draft(h *Home, pkg revision.Package, source string) string {
	w.Helper()
	r, err := h.Ask(w.Context(), packages.Draft{Namespace: namespace, Package: pkg, Workspace: "packagevariant-1",
		Owner: revision.Owner{Name: pkg.Name, UID: "1"}, Task: revision.Task{Type: revision.Clone, Source: source}})
	if err != nil {
		w.Fatal(err)
	}
	w.edit(h, r.Name, "size: small", "size: "+pkg.Name)
	return r.Name
}

// edit has a home save a draft with a text of its settings replaced.
func (w *world) edit(h *Home, name, old, by string) {
	w.Helper()
	read, err := h.Read(w.Context(), namespace, name)
	if err != nil {
		w.Fatal(err)
	}
	read.Files["settings.yaml"] = strings.Replace(read.Files["settings.yaml"], old, by, 1)
	if _, err := h.Save(w.Context(), read, read.Files); err != nil {
		w.Fatal(err)
	}
}

// approve has a home propose and publish a draft.
func (w *world) approve(h *Home, name string) {
	w.Helper()
	for _, to := range []revision.Lifecycle{revision.Proposed, revision.Published} {
		r, err := h.Get(w.Context(), namespace, name)
		if err == nil {
			_, err = h.Move(w.Context(), &r, to)
		}
		if err != nil {
			w.Fatal(err)
		}
	}
}

// push ends a round, and returns what came of each revision.
func (w *world) push(h *Home) (said []string) {
	w.Helper()
	for _, o := range h.Push(w.Context()) {
		text := "pushed"
		if o.Err != nil {
			text = strings.ReplaceAll(o.Err.Error(), w.remotes[w.of["edge"]].Dir, "EDGE")
			if errors.Is(o.Err, packages.ErrStale) {
				text = "stale: " + text
			}
		}
		said = append(said, o.Name+": "+text)
	}
	return said
}

// state returns the refs of the git repository of edge, and what a home that looks at it for the first time, with these
// notes, finds of packages.
func (w *world) state(h *Home, pkgs ...string) (said []string) {
	w.Helper()
	again := w.homeWith(w.cache, h.Ledger())
	w.round(again)
	for _, pkg := range pkgs {
		found, err := again.List(w.Context(), namespace, revision.Package{Repo: "edge", Name: pkg})
		if err != nil {
			w.Fatal(err)
		}
		for _, r := range found {
			text := fmt.Sprintf("%s: %s %d", r.Name, r.Lifecycle, r.Number)
			if Owned(&r) {
				text += " owned"
			}
			said = append(said, text)
		}
	}
	for _, ref := range w.remotes["edge"].Names() {
		said = append(said, strings.TrimPrefix(ref, "refs/"))
	}
	return said
}

func wantEqual(t testing.TB, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func edge(pkg string) revision.Package { return revision.Package{Repo: "edge", Name: pkg} }

// TestRefusedRef has a server refuse one draft of three.
func TestRefusedRef(t *testing.T) {
	t.Parallel()
	w := begun(t, nil)
	w.remotes["edge"].Hook("update", `case $1 in */b/*) echo "b is ours"; exit 1;; esac`)
	for _, pkg := range []string{"a", "b", "c"} {
		w.draft(w.home, edge(pkg), "blueprints.web.v1")
	}
	outcomes := w.home.Push(t.Context())
	var refusal *Refusal
	if len(outcomes) != 3 || !errors.Is(outcomes[1].Err, packages.ErrRefused) || !errors.As(outcomes[1].Err, &refusal) {
		t.Fatal(outcomes)
	}
	wantEqual(t, &Refusal{Address: w.remotes["edge"].Address(), Ref: "refs/heads/drafts/b/packagevariant-1",
		Words: "[remote rejected] (hook declined): b is ours"}, refusal)
	wantEqual(t, []error{nil, nil}, []error{outcomes[0].Err, outcomes[2].Err})
	want := []string{"edge.a.packagevariant-1: Draft 0 owned", "edge.c.packagevariant-1: Draft 0 owned",
		"heads/drafts/a/packagevariant-1", "heads/drafts/c/packagevariant-1", "heads/main"}
	wantEqual(t, want, w.state(w.home, "a", "b", "c"))
}

// TestOneCommit has what is made and saved in a round be one commit on the branch, with what Porch and we need to find
// it again.
func TestOneCommit(t *testing.T) {
	t.Parallel()
	w := begun(t, nil)
	w.draft(w.home, edge("a/web"), "blueprints.web.v1")
	w.push(w.home)
	edge := w.remotes["edge"]
	const ref = "drafts/a/web/packagevariant-1"
	tree := strings.TrimSpace(edge.Git("rev-parse", ref+":a/web"))
	wantEqual(t, `Draft a/web: clone of blueprints.web.v1

kpt:{"package":"a/web","workspaceName":"packagevariant-1","task":{"type":"clone","clone":{"upstreamRef":{"upstreamRef":{"name":"blueprints.web.v1"}}}}}

Package-Variants-Fleet: https://git.example.com/fleet.git fleet
Package-Variant: default/a/web
Package-Tree: `+tree+"\n", strings.TrimSuffix(edge.Git("log", "-1", "--format=%B", ref), "\n"))
	wantEqual(t, edge.Git("rev-parse", "main"), edge.Git("rev-parse", ref+"^"))
	wantEqual(t, "Begin a branch for packages\n", edge.Git("log", "--format=%s", "main"))
	edge.Git("fsck", "--strict")
}

// TestNothingPushed has a home that is not told to push, as that of a plan is, leave the server alone.
func TestNothingPushed(t *testing.T) {
	t.Parallel()
	w := begun(t, nil)
	w.approve(w.home, w.draft(w.home, edge("a"), "blueprints.web.v1"))
	if r, err := w.home.Get(t.Context(), namespace, "edge.a.packagevariant-1"); err != nil || r.Number != 1 {
		t.Error(r, err)
	}
	wantEqual(t, []string(nil), w.remotes["edge"].Names())
	w.round(w.home)
	if _, err := w.home.Get(t.Context(), namespace, "edge.a.packagevariant-1"); !errors.Is(err, packages.ErrAbsent) {
		t.Error(err)
	}
}

// TestPublications publishes three drafts in the round in which they are made.
func TestPublications(t *testing.T) {
	t.Parallel()
	for _, hook := range []struct {
		name, script string
		pushed       []string
		state        []string
	}{
		{"none", "", []string{"edge.a.packagevariant-1: pushed", "edge.b.packagevariant-1: pushed", "edge.c.packagevariant-1: pushed"},
			[]string{"heads/main", "tags/a/v1", "tags/b/v1", "tags/c/v1"}},
		{"a tag is refused", `case $1 in refs/tags/b/*) echo "no b"; exit 1;; esac`, []string{
			"edge.a.packagevariant-1: pushed",
			"edge.b.packagevariant-1: the git repository file://EDGE refuses refs/tags/b/v1: [remote rejected] (hook declined): no b",
			"edge.c.packagevariant-1: stale: another publication before it was not pushed",
		}, []string{"heads/drafts/b/packagevariant-1", "heads/drafts/c/packagevariant-1", "heads/main", "tags/a/v1"}},
		{"the branch is protected", `if [ $1 = refs/heads/main ] && [ $2 != 0000000000000000000000000000000000000000 ]
then echo "GH006: Protected branch update failed for $1."; exit 1; fi`, []string{
			"edge.a.packagevariant-1: the git repository file://EDGE refuses refs/heads/main: [remote rejected] (hook declined): GH006: Protected branch update failed for refs/heads/main.",
			"edge.b.packagevariant-1: the git repository file://EDGE refuses refs/heads/main: [remote rejected] (hook declined): GH006: Protected branch update failed for refs/heads/main.",
			"edge.c.packagevariant-1: the git repository file://EDGE refuses refs/heads/main: [remote rejected] (hook declined): GH006: Protected branch update failed for refs/heads/main.",
		}, []string{"heads/drafts/a/packagevariant-1", "heads/drafts/b/packagevariant-1", "heads/drafts/c/packagevariant-1", "heads/main"}},
	} {
		t.Run(hook.name, func(t *testing.T) {
			t.Parallel()
			w := begun(t, nil)
			w.people("edge").Push("Begin", map[string]string{"README.md": "edge"}, "HEAD:refs/heads/main")
			w.round(w.home)
			if hook.script != "" {
				w.remotes["edge"].Hook("update", hook.script)
			}
			for _, pkg := range []string{"a", "b", "c"} {
				w.approve(w.home, w.draft(w.home, edge(pkg), "blueprints.web.v1"))
			}
			wantEqual(t, hook.pushed, w.push(w.home))
			wantEqual(t, hook.state, w.state(w.home))
			w.round(w.home) // what was stale is decided again
			for _, pkg := range []string{"b", "c"} {
				if r, err := w.home.Get(t.Context(), namespace, edge(pkg).NameOf("packagevariant-1")); err == nil && r.Open() &&
					strings.Contains(hook.pushed[2], "stale") && pkg == "c" {
					w.approve(w.home, r.Name)
					wantEqual(t, []string{"edge.c.packagevariant-1: pushed"}, w.push(w.home))
				}
			}
		})
	}
}

// TestRemainders kills a publication on a server without atomic pushes, after each of its three pushes: the next sync
// does what is left.
func TestRemainders(t *testing.T) {
	t.Parallel()
	for i, killed := range []string{
		`[ $1 = refs/heads/main ] && [ $2 != $zero ] && exit 1`, `case $1 in refs/tags/*) exit 1;; esac`, `[ $3 = $zero ] && exit 1`, ``,
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			w := begun(t, nil)
			w.remotes["edge"].Git("config", "receive.advertiseAtomic", "false")
			w.draft(w.home, edge("web"), "blueprints.web.v1")
			w.push(w.home)
			w.round(w.home)
			w.remotes["edge"].Hook("update", "zero=0000000000000000000000000000000000000000\n"+killed+"\nexit 0")
			w.approve(w.home, "edge.web.packagevariant-1")
			w.push(w.home)
			w.remotes["edge"].Hook("update", "exit 0")
			again := w.homeWith(t.TempDir(), w.home.Ledger())
			w.round(again)
			if _, err := again.Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.push(again)
			want := []string{"edge.web.main: Published -1", "edge.web.packagevariant-1: Published 1 owned", "heads/main", "tags/web/v1"}
			if i == 0 { // the branch is where it was: it is decided again
				want = []string{"edge.web.packagevariant-1: Draft 0 owned", "heads/drafts/web/packagevariant-1", "heads/main"}
			}
			wantEqual(t, want, w.state(again, "web"))
		})
	}
}

// TestMoved has people move a draft and the branch between the look and the push. What they did stays.
func TestMoved(t *testing.T) {
	t.Parallel()
	w := begun(t, nil)
	for _, pkg := range []string{"a", "b"} {
		w.draft(w.home, edge(pkg), "blueprints.web.v1")
	}
	w.push(w.home)
	w.round(w.home)
	people := w.people("edge")
	people.Push("Write", map[string]string{"README.md": "edge"}, "HEAD:refs/heads/main")
	people.Checkout("drafts/a/packagevariant-1")
	people.Push("Edit", map[string]string{"a/mine.txt": "mine"}, "HEAD:refs/heads/drafts/a/packagevariant-1")
	before := w.remotes["edge"].Refs()
	w.edit(w.home, "edge.a.packagevariant-1", "zone: none", "zone: a")
	w.approve(w.home, "edge.b.packagevariant-1")
	wantEqual(t, []string{
		"edge.a.packagevariant-1: stale: in the git repository file://EDGE, refs/heads/drafts/a/packagevariant-1 has moved: [rejected] (stale info)",
		"edge.b.packagevariant-1: stale: in the git repository file://EDGE, refs/heads/main has moved: [rejected] (stale info)",
	}, w.push(w.home))
	wantEqual(t, before, w.remotes["edge"].Refs())
	w.round(w.home)
	w.edit(w.home, "edge.a.packagevariant-1", "zone: none", "zone: a")
	w.approve(w.home, "edge.b.packagevariant-1")
	wantEqual(t, []string{"edge.a.packagevariant-1: pushed", "edge.b.packagevariant-1: pushed"}, w.push(w.home))
	wantEqual(t, "mine", w.remotes["edge"].Git("show", "drafts/a/packagevariant-1:a/mine.txt"))
	wantEqual(t, "edge", w.remotes["edge"].Git("show", "main:README.md"))
}

// TestRepositoryAway has the git repository of one Repository away: the calls for it say so, and the others work.
func TestRepositoryAway(t *testing.T) {
	t.Parallel()
	w := begun(t, map[string]string{"north": "sites"})
	if err := os.Rename(w.remotes["sites"].Dir, w.remotes["sites"].Dir+"-away"); err != nil {
		t.Fatal(err)
	}
	w.round(w.home)
	_, err := w.home.List(t.Context(), namespace, revision.Package{Repo: "north", Name: "web"})
	if !errors.Is(err, packages.ErrUnavailable) || !strings.HasPrefix(err.Error(), "Repository north: cannot fetch the "+
		"git repository "+w.remotes["sites"].Address()+": git fetch: fatal: ") {
		t.Error(err)
	}
	if s, err := w.home.Settle(t.Context()); err != nil || len(s.Events) > 0 {
		t.Error(s, err)
	}
	w.draft(w.home, edge("web"), "blueprints.web.v1")
	wantEqual(t, []string{"edge.web.packagevariant-1: pushed"}, w.push(w.home))
}

// TestOrder pushes a Repository after the one that its packages name, and not at all what is made of what was refused.
func TestOrder(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{"pushed": "", "refused": `case $1 in refs/tags/*) exit 1;; esac`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := begun(t, map[string]string{"north": "sites"})
			if script != "" {
				w.remotes["edge"].Hook("update", script)
			}
			base := w.draft(w.home, edge("base"), "blueprints.web.v1")
			w.approve(w.home, base)
			w.draft(w.home, revision.Package{Repo: "north", Name: "web"}, base)
			said := w.push(w.home)
			want, refs := "north.web.packagevariant-1: pushed", 2
			if script != "" {
				want, refs = "north.web.packagevariant-1: stale: it is made of what could not be pushed", 1
			}
			wantEqual(t, want, said[len(said)-1])
			wantEqual(t, refs, len(w.remotes["sites"].Names()))
		})
	}
}

// TestOtherFiles publishes a draft to which people added files beside its package.
func TestOtherFiles(t *testing.T) {
	t.Parallel()
	w := begun(t, nil)
	w.draft(w.home, edge("web"), "blueprints.web.v1")
	w.push(w.home)
	people := w.people("edge")
	people.Checkout("drafts/web/packagevariant-1")
	people.Push("Tell", map[string]string{"README.md": "web is new"}, "HEAD:refs/heads/drafts/web/packagevariant-1")
	w.round(w.home)
	w.approve(w.home, "edge.web.packagevariant-1")
	wantEqual(t, []string{"edge.web.packagevariant-1: pushed"}, w.push(w.home))
	wantEqual(t, "web is new", w.remotes["edge"].Git("show", "main:README.md"))
}

// TestEmptyRepository publishes and drafts in the first round of a repository.
func TestEmptyRepository(t *testing.T) {
	t.Parallel()
	w := begun(t, nil)
	w.draft(w.home, edge("a"), "blueprints.web.v1")
	w.approve(w.home, w.draft(w.home, edge("b"), "blueprints.web.v1"))
	w.draft(w.home, edge("c"), "blueprints.web.v1")
	wantEqual(t, []string{"edge.a.packagevariant-1: pushed", "edge.b.packagevariant-1: pushed", "edge.c.packagevariant-1: pushed"},
		w.push(w.home))
	wantEqual(t, []string{"heads/drafts/a/packagevariant-1", "heads/drafts/c/packagevariant-1", "heads/main", "tags/b/v1"},
		w.state(w.home))
}

// TestAtOnce has many make drafts at once, in two processes with one cache.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	w := begun(t, nil)
	w.people("edge").Push("Begin", map[string]string{"README.md": "edge"}, "HEAD:refs/heads/main")
	cache := t.TempDir()
	homes := []*Home{w.homeWith(cache, nil), w.homeWith(cache, nil)}
	var all sync.WaitGroup
	for i, h := range homes {
		all.Go(func() {
			w.round(h)
			var drafts sync.WaitGroup
			for j := range 10 {
				drafts.Go(func() {
					if _, err := h.Ask(t.Context(), packages.Draft{Namespace: namespace, Package: edge(fmt.Sprintf("web-%d-%d", i, j)),
						Workspace: "one", Task: revision.Task{Type: revision.Clone, Source: "blueprints.web.v1"}}); err != nil {
						t.Error(err)
					}
				})
			}
			drafts.Wait()
			for _, o := range h.Push(t.Context()) {
				if o.Err != nil {
					t.Error(o)
				}
			}
			w.round(h)
		})
	}
	all.Wait()
	wantEqual(t, 21, len(w.remotes["edge"].Names()))
}

// TestLiteralAddress has a lock name the git repository as its Repository does.
func TestLiteralAddress(t *testing.T) {
	t.Parallel()
	const address = "ssh://git@ssh.dev.example.com:22/v3/org/_git/blueprints"
	w := newWorld(t, nil)
	w.people("blueprints").Push("Publish", gittest.Files("web", webFiles), "HEAD:refs/heads/main", "HEAD:refs/tags/web/v1")
	w.home.repositories[key{namespace, "blueprints"}].Address = address
	w.round(w.home)
	w.draft(w.home, edge("web"), "blueprints.web.v1")
	w.push(w.home)
	if text := w.remotes["edge"].Git("show", draftRef+":web/Kptfile"); strings.Count(text, "repo: "+address+"\n") != 2 {
		t.Error(text)
	}
}
