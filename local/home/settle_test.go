// SPDX-License-Identifier: Apache-2.0

package home

import (
	"slices"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git/gittest"
)

// draftRef is the branch of the first draft of web, nextRef that of an edit of what was published first.
const (
	draftRef = "drafts/web/packagevariant-1"
	nextRef  = "drafts/web/packagevariant-2"
)

// settles begins a round of a home that has never seen the repositories, with the notes of the last one, and returns
// what it finds and does, before it pushes that.
func (w *world) settles() (said []string) {
	w.Helper()
	w.home = w.homeWith(w.cache, w.home.Ledger())
	w.round(w.home)
	s, err := w.home.Settle(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	for _, e := range s.Events {
		said = append(said, strings.TrimSuffix(string(e.Did)+" "+e.Name()+" "+e.Why, " "))
	}
	slices.Sort(said)
	for _, o := range w.home.Push(w.Context()) {
		if o.Err != nil {
			w.Error(o)
		}
	}
	return said
}

// people does things with the git repository of edge.
type person struct{ *gittest.Clone }

func (p person) push(refs ...string) { p.Git(append([]string{"push", "-q", "origin"}, refs...)...) }

func (p person) set(old, by string) map[string]string {
	return map[string]string{"web/settings.yaml": strings.Replace(p.Git("show", "HEAD:web/settings.yaml"), old, by, 1)}
}

// TestSettle has people do things with a draft of web, which a variant owns, and looks at what the next rounds do. The
// last round does nothing, each time.
func TestSettle(t *testing.T) {
	t.Parallel()
	merge := func(p person) {
		p.Merge(draftRef)
		p.push("HEAD:refs/heads/main")
	}
	squash := func(p person) {
		p.Git("merge", "-q", "--squash", "origin/"+draftRef)
		p.Git("commit", "-q", "-m", "Squash (#1)")
	}
	const published = "edge.web.packagevariant-1: Published 1 owned"
	const main = "edge.web.main: Published -1"
	const open = "edge.web.packagevariant-1: Draft 0 owned"
	for name, c := range map[string]struct {
		do            func(person)
		settled, then []string
	}{
		"nothing": {func(person) {}, nil, []string{open, "heads/" + draftRef, "heads/main"}},
		"it is merged": {merge, []string{"Arrived edge.web.packagevariant-1", "Merged edge.web.packagevariant-1"},
			[]string{main, published, "heads/main", "tags/web/v1"}},
		"it is merged and its branch removed": {func(p person) { merge(p); p.push(":refs/heads/" + draftRef) },
			[]string{"Arrived edge.web.packagevariant-1", "Merged edge.web.packagevariant-1"},
			[]string{main, published, "heads/main", "tags/web/v1"}},
		"it is squashed": {func(p person) { squash(p); p.push("HEAD:refs/heads/main") },
			[]string{"Arrived edge.web.packagevariant-1", "Merged edge.web.packagevariant-1"},
			[]string{main, published, "heads/main", "tags/web/v1"}},
		"it is squashed and its branch removed": {func(p person) { squash(p); p.push("HEAD:refs/heads/main", ":refs/heads/"+draftRef) },
			[]string{"Arrived edge.web.packagevariant-1", "Merged edge.web.packagevariant-1"},
			[]string{main, published, "heads/main", "tags/web/v1"}},
		"it is rebased over other work": {func(p person) {
			p.Commit("Other", map[string]string{"README.md": "edge"})
			p.Git("cherry-pick", "origin/"+draftRef)
			p.push("HEAD:refs/heads/main")
		}, []string{"Arrived edge.web.packagevariant-1", "Merged edge.web.packagevariant-1"},
			[]string{main, published, "heads/main", "tags/web/v1"}},
		"it is merged with one more change": {func(p person) {
			p.Git("merge", "-q", "--no-ff", "--no-commit", "origin/"+draftRef)
			p.Commit("Merge and change", map[string]string{"web/more.txt": "more"})
			p.push("HEAD:refs/heads/main")
		}, []string{"Arrived edge.web.packagevariant-1", "Merged edge.web.packagevariant-1"},
			[]string{main, published, "heads/main", "tags/web/v1"}},
		"it is squashed with one more change": {func(p person) {
			squash(p)
			p.Commit("Change", map[string]string{"web/more.txt": "more"})
			p.push("HEAD:refs/heads/main")
		}, []string{"Arrived edge.web.packagevariant-1", "Merged edge.web.packagevariant-1"},
			[]string{main, published, "heads/main", "tags/web/v1"}},
		"it is squashed with a change of its own lines": {func(p person) {
			squash(p)
			p.Commit("Change", p.set("size: web", "size: huge"))
			p.push("HEAD:refs/heads/main")
		}, []string{"Arrived edge.web.packagevariant-1", "Merged edge.web.packagevariant-1"},
			[]string{main, published, "heads/main", "tags/web/v1"}},
		"it is edited and then merged": {func(p person) {
			p.Checkout(draftRef)
			p.Push("Edit", map[string]string{"web/mine.txt": "mine"}, "HEAD:refs/heads/"+draftRef)
			p.Update()
			merge(p)
		}, []string{"Arrived edge.web.packagevariant-1", "Merged edge.web.packagevariant-1"},
			[]string{main, published, "heads/main", "tags/web/v1"}},
		"it grows after it was merged": {func(p person) {
			merge(p)
			p.Checkout(draftRef)
			p.Push("Edit", map[string]string{"web/mine.txt": "mine"}, "HEAD:refs/heads/"+draftRef)
		}, []string{"Arrived edge.web.v1"},
			[]string{main, open, "edge.web.v1: Published 1 owned", "heads/" + draftRef, "heads/main", "tags/web/v1"}},
		"it is rebased, and grows": {func(p person) {
			p.Commit("Other", map[string]string{"README.md": "edge"})
			p.Git("cherry-pick", "origin/"+draftRef)
			p.push("HEAD:refs/heads/main")
			p.Checkout(draftRef)
			p.Push("Edit", map[string]string{"web/mine.txt": "mine"}, "HEAD:refs/heads/"+draftRef)
		}, []string{"Arrived edge.web.v1", "BroughtUp edge.web.packagevariant-1"},
			[]string{main, open, "edge.web.v1: Published 1 owned", "heads/" + draftRef, "heads/main", "tags/web/v1"}},
		"its branch is removed": {func(p person) { p.push(":refs/heads/" + draftRef) },
			[]string{"Rejected edge.web.packagevariant-1"}, []string{"heads/main"}},
		"the branch is brought into it": {func(p person) {
			p.Push("Other", map[string]string{"README.md": "edge"}, "HEAD:refs/heads/main")
			p.Checkout(draftRef)
			p.Git("fetch", "-q", "origin")
			p.Merge("main")
			p.push("HEAD:refs/heads/" + draftRef)
		}, nil, []string{open, "heads/" + draftRef, "heads/main"}},
		"others are published": {func(p person) {
			p.Push("Other", gittest.Files("other", webFiles), "HEAD:refs/heads/main")
		}, nil, []string{open, "heads/" + draftRef, "heads/main"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := begun(t, nil)
			w.draft(w.home, edge("web"), "blueprints.web.v1")
			w.push(w.home)
			c.do(person{w.people("edge")})
			wantEqual(t, c.settled, w.settles())
			wantEqual(t, c.then, w.state(w.home, "web"))
			wantEqual(t, []string(nil), w.settles())
		})
	}
}

// TestSettlePublished has people do things with what is published, beside which there may be a draft of an edit.
func TestSettlePublished(t *testing.T) {
	t.Parallel()
	hotfix := func(p person, old, by string) {
		p.Commit("Hotfix", p.set(old, by))
		p.push("HEAD:refs/heads/main")
	}
	const main, first = "edge.web.main: Published -1", "edge.web.packagevariant-1: Published 1 owned"
	const next, second = "edge.web.packagevariant-2: Draft 0 owned", "edge.web.v2: Published 2 owned"
	for name, c := range map[string]struct {
		beside        bool
		do            func(person)
		settled, then []string
	}{
		"a hotfix": {false, func(p person) { hotfix(p, "zone: none", "zone: a") },
			[]string{"Arrived edge.web.v2"}, []string{main, first, second, "heads/main", "tags/web/v1", "tags/web/v2"}},
		"a hotfix beside a draft": {true, func(p person) { hotfix(p, "size: web", "size: more") },
			[]string{"Arrived edge.web.v2"},
			[]string{main, first, next, second, "heads/" + nextRef, "heads/main", "tags/web/v1", "tags/web/v2"}},
		"a hotfix of the lines of a draft": {true, func(p person) { hotfix(p, "zone: none", "zone: a") },
			[]string{"Arrived edge.web.v2"},
			[]string{main, first, next, second, "heads/" + nextRef, "heads/main", "tags/web/v1", "tags/web/v2"}},
		"a hotfix that people merge with a draft": {true, func(p person) {
			hotfix(p, "size: web", "size: more")
			p.Merge(nextRef)
			p.push("HEAD:refs/heads/" + nextRef)
		}, []string{"Arrived edge.web.v2"},
			[]string{main, first, next, second, "heads/" + nextRef, "heads/main", "tags/web/v1", "tags/web/v2"}},
		"a revert": {false, func(p person) {
			hotfix(p, "zone: none", "zone: a")
			p.Git("revert", "--no-edit", "HEAD")
			p.push("HEAD:refs/heads/main")
		}, nil, []string{main, first, "heads/main", "tags/web/v1"}},
		"its directory is removed": {false, func(p person) {
			p.Git("rm", "-r", "-q", "web")
			p.Git("commit", "-q", "-m", "Remove")
			p.push("HEAD:refs/heads/main")
		}, nil, []string{"heads/main", "tags/web/v1"}},
		"a package of others": {false, func(p person) {
			p.Push("Other", gittest.Files("other", webFiles), "HEAD:refs/heads/main")
		}, nil, []string{main, first, "heads/main", "tags/web/v1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := begun(t, nil)
			w.approve(w.home, w.draft(w.home, edge("web"), "blueprints.web.v1"))
			w.push(w.home)
			if c.beside {
				w.round(w.home)
				w.ask(w.home, "packagevariant-2", revision.Task{Type: revision.Edit, Source: "edge.web.packagevariant-1"})
				w.edit(w.home, "edge.web.packagevariant-2", "zone: none", "zone: b")
				w.push(w.home)
			}
			c.do(person{w.people("edge")})
			wantEqual(t, c.settled, w.settles())
			wantEqual(t, c.then, w.state(w.home, "web"))
		})
	}
}

// ask has a home make a draft of web.
func (w *world) ask(h *Home, workspace string, by revision.Task) {
	w.Helper()
	if _, err := h.Ask(w.Context(), packages.Draft{Namespace: namespace, Package: edge("web"), Workspace: workspace,
		Owner: revision.Owner{Name: "web", UID: "1"}, Task: by}); err != nil {
		w.Fatal(err)
	}
}

// TestEditedBesideAHotfix has people commit to a draft, and others to the published package: both are in the draft then.
// Where they change the same value, the draft has its own, and says so. Its history has both.
func TestEditedBesideAHotfix(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ edit, hotfix, size, zone, left string }{
		"two values": {"size: web", "zone: none", "theirs", "theirs", ""},
		"one value": {"zone: none", "zone: none", "web", "theirs", "people have changed in the draft what was changed in the " +
			"published package, too, and the draft has its own: data.zone of ConfigMap \"settings\" in settings.yaml (here " +
			"\"theirs\", published \"hot\"): look at both, and merge it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := begun(t, nil)
			w.approve(w.home, w.draft(w.home, edge("web"), "blueprints.web.v1"))
			w.push(w.home)
			w.round(w.home)
			w.ask(w.home, "packagevariant-2", revision.Task{Type: revision.Edit, Source: "edge.web.packagevariant-1"})
			w.push(w.home)
			p := person{w.people("edge")}
			key, _, _ := strings.Cut(c.hotfix, ":")
			p.Push("Hotfix", p.set(c.hotfix, key+": hot"), "HEAD:refs/heads/main")
			p.Checkout(nextRef)
			key, _, _ = strings.Cut(c.edit, ":")
			p.Push("Edit", p.set(c.edit, key+": theirs"), "HEAD:refs/heads/"+nextRef)
			edited := strings.TrimSpace(p.Git("rev-parse", "HEAD"))
			wantEqual(t, []string{"Arrived edge.web.v2", "BroughtUp edge.web.packagevariant-2"}, w.settles())
			wantEqual(t, []string(nil), w.settles())
			remote := w.remotes["edge"]
			remote.Git("merge-base", "--is-ancestor", edited, nextRef)
			remote.Git("merge-base", "--is-ancestor", "main", nextRef)
			text := remote.Git("show", nextRef+":web/settings.yaml")
			for _, line := range []string{"size: " + c.size, "zone: " + map[bool]string{true: "theirs", false: "hot"}[c.left != ""]} {
				if !strings.Contains(text, line+"\n") {
					t.Errorf("no %s in\n%s", line, text)
				}
			}
			r, err := w.home.Get(t.Context(), namespace, "edge.web.packagevariant-2")
			if err != nil {
				t.Fatal(err)
			}
			wantEqual(t, c.left, r.LeftToPeople)
		})
	}
}

// TestRemoval proposes the deletion of a package, which a person merges, and makes the package once more.
func TestRemoval(t *testing.T) {
	t.Parallel()
	w := begun(t, nil)
	w.approve(w.home, w.draft(w.home, edge("web"), "blueprints.web.v1"))
	w.push(w.home)
	w.round(w.home)
	r, err := w.home.Get(t.Context(), namespace, "edge.web.packagevariant-1")
	if err == nil {
		_, err = w.home.Move(t.Context(), &r, revision.DeletionProposed)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.push(w.home)
	wantEqual(t, []string{"edge.web.main: Published -1", "edge.web.packagevariant-1: DeletionProposed 1 owned",
		"heads/main", "heads/removals/web", "tags/web/v1"}, w.state(w.home, "web"))
	wantEqual(t, []string(nil), w.settles())
	p := person{w.people("edge")}
	p.Merge("removals/web")
	p.push("HEAD:refs/heads/main")
	wantEqual(t, []string{"RemovalMerged edge/web"}, w.settles())
	wantEqual(t, []string{"heads/main", "tags/web/v1"}, w.state(w.home, "web"))
	wantEqual(t, []string{"heads/main", "tags/web/v1"}, w.state(w.another(), "web"))
	w.round(w.home)
	w.draft(w.home, edge("web"), "blueprints.web.v1")
	wantEqual(t, []string{"edge.web.packagevariant-1: pushed"}, w.push(w.home))
}

// TestLostLedger has a home without a ledger: nothing belongs to a variant, whatever the commits say of themselves.
func TestLostLedger(t *testing.T) {
	t.Parallel()
	w := begun(t, nil)
	w.approve(w.home, w.draft(w.home, edge("a"), "blueprints.web.v1"))
	w.draft(w.home, edge("web"), "blueprints.web.v1")
	w.push(w.home)
	lost := w.another()
	wantEqual(t, []string{"edge.a.main: Published -1", "edge.a.packagevariant-1: Published 1",
		"edge.web.packagevariant-1: Draft 0", "heads/" + draftRef, "heads/main", "tags/a/v1"}, w.state(lost, "a", "web"))
	p := person{w.people("edge")}
	p.Merge(draftRef)
	p.push("HEAD:refs/heads/main")
	w.home = lost
	wantEqual(t, []string(nil), w.settles())
}
