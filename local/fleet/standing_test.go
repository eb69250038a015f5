// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/git/gittest"
	"github.com/package-variants/package-variants/local/home"
	"github.com/package-variants/package-variants/local/ledger"
)

// syncAt syncs the fleet as it is checked out.
func (w *world) syncAt(change ...func(*Options)) (*Report, error) {
	w.Helper()
	o := Options{Dir: w.People.Dir + "/fleet", Cache: w.Cache}
	for _, c := range change {
		c(&o)
	}
	return Sync(w.Context(), o)
}

// unchanged has something happen that changes no ref.
func (w *world) unchanged(what string, happens func()) {
	w.Helper()
	before := w.Remote.Refs()
	happens()
	w.Equal("refs after "+what, before, w.Remote.Refs())
}

// write writes a file without a commit.
func (w *world) write(name, text string) {
	w.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(w.People.Dir, name)), 0o700); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.People.Dir, name), []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
}

// another returns the manifest of a variant like web.
func another(name string) string {
	return "---" + strings.NewReplacer("name: web", "name: "+name, "edge, package: web", "edge, package: "+name).Replace(web)
}

// TestRemoval removes the manifests of a published package and of a draft: a person merges the branch that removes the
// one, and the other goes.
func TestRemoval(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web+another("other")+"  approvalPolicy: Automatic\n  deletionPolicy: delete\n"+another("third")+
		"  deletionPolicy: delete\n")
	w.sync()
	third := w.Remote.Refs()["refs/heads/drafts/edge/third/packagevariant-1"]
	w.Push("main", "Remove", map[string]string{"fleet/web.yaml": web})
	report := w.sync()
	w.Equal("asked for", []string{draft1, "heads/package-variants", "heads/removals/edge/other", "tags/edge/other/v1"}, w.Refs())
	w.Equal("removed", []string{"default/edge.third.packagevariant-1: the branch drafts/edge/third/packagevariant-1, which was at " +
		third}, report.Removed)
	w.Equal("pushed", []string(nil), report.Pushed)
	waits := []Removal{{"default", "edge/other", &PullRequest{Branches: home.Branches{Repository: w.Remote.Address(),
		Branch: "removals/edge/other", Base: "main"}, Title: "edge/other: removal",
		Body: "Removal of a package: its PackageVariant `other` is gone. Merging it removes the package, and leaves its tags; " +
			"deleting its branch leaves the package, which is no variant's then.\n"}}}
	w.Equal("waits", waits, report.Removals)
	w.idle()
	report = w.sync()
	w.Equal("still waits", &Report{Variants: report.Variants, Removals: waits,
		Repositories: []string{w.Remote.Address()}}, report)
	var table strings.Builder
	if err := report.Table(&table); err != nil {
		t.Error(err)
	}
	_, said, _ := strings.Cut(table.String(), "Removal: ")
	w.Equal("for people", "default/edge/other: the branch removals/edge/other waits for a person to merge it\n", said)
	removal := w.Remote.Refs()["refs/heads/removals/edge/other"]
	w.Merge("removals/edge/other")
	report = w.sync()
	w.Equal("gone", &Report{Variants: report.Variants, Found: []string{"default/edge/other: the removal of the package is merged"},
		Removed:      []string{"default/edge.other: the branch removals/edge/other, which was at " + removal},
		Repositories: []string{w.Remote.Address()}}, report)
	w.Equal("left", []string{"web: UpToDate  edge.web.packagevariant-1"}, lines(report))
	w.Equal("merged", []string{draft1, "heads/package-variants", "tags/edge/other/v1"}, w.Refs())
	w.idle()
}

// TestNoSign has manifests be away for other reasons than that a person removed them.
func TestNoSign(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web+another("a")+another("b")+another("c")+another("d"))
	w.sync()
	w.People.Update()
	began := strings.TrimSpace(w.People.Git("rev-parse", "HEAD"))
	w.Push("main", "Go on", map[string]string{"fleet/web.yaml": web + another("a") + another("b") + another("c") + another("d") + "\n"})
	w.sync()
	w.People.Update()
	last := strings.TrimSpace(w.People.Git("rev-parse", "HEAD"))
	for _, tt := range []struct {
		name string
		do   func()
		note string
		err  string
	}{
		{"late", func() { w.People.Git("checkout", "-q", began) },
			fmt.Sprintf("nothing was done: %.10s was synced already, and it is later than %.10s, which is checked out", last, began), ""},
		{"uncommitted", func() { w.People.Git("rm", "-q", "fleet/web.yaml"); w.write("fleet/web.yaml", web) },
			"default/a, default/b, default/c, default/d: not in the manifests any more: nothing is removed, because some files of " +
				w.People.Dir + "/fleet are in no commit (with --any-commit that counts)", ""},
		{"another line", func() {
			w.People.Git("checkout", "-q", began)
			w.People.Commit("Remove", map[string]string{"fleet/web.yaml": web})
		}, "default/a, default/b, default/c, default/d: not in the manifests any more: nothing is removed, because the commit", ""},
		{"not pushed", func() { w.People.Commit("Remove a", map[string]string{"fleet/web.yaml": web}) },
			"default/a, default/b, default/c, default/d: not in the manifests any more: nothing is removed, because the commit", ""},
	} {
		if tt.name == "too many" {
			w.Push("main", "Remove", map[string]string{"fleet/web.yaml": web})
		}
		w.People.Git("reset", "-q", "--hard")
		w.People.Update()
		tt.do()
		w.unchanged(tt.name, func() {
			report, err := w.syncAt()
			if tt.err != "" {
				w.Equal(tt.name, tt.err, fmt.Sprint(err))
			} else if err != nil || len(report.Notes) != 1 || !strings.HasPrefix(report.Notes[0], tt.note) {
				t.Errorf("%s: %v %v", tt.name, report, err)
			}
		})
	}
}

// TestFeatureBranch syncs a branch that begins where main is, and removes a manifest: that counts when it is merged.
func TestFeatureBranch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web+another("a"))
	w.sync()
	w.People.Update()
	w.People.Push("Remove a", map[string]string{"fleet/web.yaml": web}, "HEAD:refs/heads/feature")
	head := strings.TrimSpace(w.People.Git("rev-parse", "HEAD"))
	elsewhere := gittest.NewRemote(t, "elsewhere")
	for _, state := range []string{"", elsewhere.Address()} {
		w.People.Git("checkout", "-q", "origin/main")
		w.syncState(state)
		w.People.Git("checkout", "-q", head)
		w.unchanged("a feature branch "+state, func() {
			report := w.syncState(state)
			w.Equal("note", []string{fmt.Sprintf("default/a: not in the manifests any more: nothing is removed, because the commit "+
				"%.10s is not on main, the default branch of %s (with --any-commit that counts)", head, w.Remote.Address())},
				report.Notes)
		})
	}
	w.People.Git("checkout", "-q", "origin/main")
	w.People.Push("Add b", map[string]string{"fleet/b.yaml": another("b")}, "HEAD:refs/heads/wip")
	wip := strings.TrimSpace(w.People.Git("rev-parse", "HEAD"))
	w.Equal("what it adds", []string{fmt.Sprintf("what these manifests ask for is made, although the commit %.10s is not on main, "+
		"the default branch of %s", wip, w.Remote.Address())}, w.syncState("").Notes)
	w.People.Git("push", "-q", "origin", ":refs/heads/wip")
	w.People.Git("checkout", "-q", head)
	w.Merge("feature")
	w.Equal("merged", []string{"web: UpToDate  edge.web.packagevariant-1"}, lines(w.sync()))
	w.Equal("refs", []string{draft1, "heads/feature", "heads/package-variants"}, w.Refs())
	w.Remote.Git("symbolic-ref", "HEAD", "refs/heads/none")
	w.People.Push("Remove all", map[string]string{"fleet/web.yaml": "# none\n"}, "HEAD:refs/heads/feature")
	w.Equal("without a default branch", []string(nil), lines(w.syncState("")))
}

// syncState syncs the fleet as it is checked out, with what is remembered elsewhere unless that is "".
func (w *world) syncState(state string) *Report {
	w.Helper()
	report, err := w.syncAt(func(o *Options) { o.State = state })
	if err != nil {
		w.Fatal(err)
	}
	return report
}

// TestLost loses what was recorded: drafts and what is published are nobody's.
func TestLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web+another("other")+"  approvalPolicy: Automatic\n")
	w.sync()
	w.Remote.Git("update-ref", "-d", "refs/heads/package-variants")
	report := w.sync()
	w.Equal("found again", []string{"other: DownstreamExists", "web: DownstreamExists"}, lines(report)[:2])
	if len(report.Pushed) > 0 {
		t.Error(report.Pushed)
	}
	w.idle()
}

// TestAway has a Repository that cannot be read: the others' work goes on.
func TestAway(t *testing.T) {
	t.Parallel()
	away := strings.NewReplacer("name: edge,", "name: away,", "ADDRESS", "file:///nowhere").Replace(
		repositories[strings.LastIndex(repositories, "---"):])
	w := newWorld(t, web+away+strings.ReplaceAll(another("other"), "repo: edge", "repo: away"))
	report := w.sync()
	said := lines(report)
	w.Equal("beside", "web: UpToDate  edge.web.packagevariant-1", said[1])
	w.Equal("read", []string{w.Remote.Address()}, report.Repositories)
	if !strings.Contains(strings.Join(report.Failures, "\n"), "/nowhere") {
		t.Error(report)
	}
}

// TestTwoSyncs has two syncs record what they have done, of the same fleet and of two.
func TestTwoSyncs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web)
	open := func(path string) *branch {
		b, err := openBranch(t.Context(), t.TempDir(), w.Remote.Address(), path, path)
		if err == nil {
			_, err = b.load(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := b.git.Close(); err != nil {
				t.Error(err)
			}
		})
		return b
	}
	a, same, inside := open("fleet"), open("fleet"), open("fleet/inside")
	s := newState()
	s.Packages[ledger.Key{Namespace: "default", Repository: "edge", Package: "web"}] = ledger.Entry{Asked: "x"}
	for _, tt := range []struct {
		of   *branch
		want error
	}{{a, nil}, {inside, nil}, {same, errTwoSyncs}, {a, nil}} {
		if err := tt.of.record(t.Context(), s, "Record"); !errors.Is(err, tt.want) {
			t.Error(err)
		}
		s.Commit += "1"
	}
	read, err := open("fleet/inside").load(t.Context())
	if err != nil || read.Commit != "1" || len(read.Packages) != 1 {
		t.Error(read, err)
	}
	wantTree := git.Hash(strings.TrimSpace(w.Remote.Git("rev-parse", "package-variants:fleet/.fleet")))
	w.Equal("the last one", wantTree, a.tree)
}

// TestTooManyRemovals removes more manifests than may go at once, and adds one: nothing is removed, and the new one is
// made. Whoever says so has them removed.
func TestTooManyRemovals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web+another("a")+another("b")+another("c")+another("d"))
	w.sync()
	w.Push("main", "Replace", map[string]string{"fleet/web.yaml": web + another("new")})
	report := w.sync()
	w.Equal("failures", []string{"4 variants are not in the manifests any more, which is more than 3, so none of them is removed: " +
		"default/a, default/b, default/c, default/d. If they are to be removed, say --max-removals=4"}, report.Failures)
	w.Equal("a plan fails", report.Failures, w.plan(w.options()).Errors())
	w.Equal("pushed", []string{"default/edge.new.packagevariant-1"}, report.Pushed)
	w.Equal("removed", []string(nil), report.Removed)
	w.idle()
	if _, err := w.syncAt(func(o *Options) { o.Removals = 4 }); err != nil {
		t.Error(err)
	}
	w.Equal("left", []string{"heads/drafts/edge/new/packagevariant-1", draft1, "heads/package-variants"}, w.Refs())
}
