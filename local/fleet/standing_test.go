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

// refused has a sync do nothing, and say why.
func (w *world) refused(want string, change ...func(*Options)) {
	w.Helper()
	_, err := w.syncAt(change...)
	w.Equal("refused", want, fmt.Sprint(err))
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
	w.Equal("happened", []string{"edge/third: the branch drafts/edge/third/packagevariant-1 removed, which was at " + third},
		happened(report))
	waits := []Removal{{"default", "edge/other", &PullRequest{Branches: home.Branches{Repository: w.Remote.Address(),
		Branch: "removals/edge/other", Base: "main"}, Title: "edge/other: removal",
		Of: w.Remote.Refs()["refs/heads/removals/edge/other"],
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
	_, said, _ := strings.Cut(table.String(), "\nedge/other: ")
	w.Equal("for people", "its removal, the branch removals/edge/other, waits for a person to merge it\n", said)
	w.Merge("removals/edge/other")
	report = w.sync()
	w.Equal("happened", []string{"edge/other: removed, as was merged"}, happened(report))
	w.Equal("left", []string{"web: UpToDate  edge.web.packagevariant-1"}, lines(report))
	w.Equal("merged", []string{draft1, "heads/package-variants", "tags/edge/other/v1"}, w.Refs())
	w.idle()
}

// TestNoSign has manifests be away for other reasons than that a commit on the default branch removed them.
func TestNoSign(t *testing.T) {
	t.Parallel()
	whole := map[string]string{"fleet/web.yaml": web + another("a") + another("b")}
	w := newWorld(t, whole["fleet/web.yaml"])
	w.sync()
	w.People.Update()
	began := strings.TrimSpace(w.People.Git("rev-parse", "HEAD"))
	w.Push("main", "Go on", map[string]string{"fleet/web.yaml": whole["fleet/web.yaml"] + "\n"})
	w.sync()
	w.People.Update()
	last := strings.TrimSpace(w.People.Git("rev-parse", "HEAD"))
	notMerged := func() string {
		return fmt.Sprintf("nothing was done: the commit %.10s is not on main, the default branch of %s: push it, or have it merged",
			strings.TrimSpace(w.People.Git("rev-parse", "HEAD")), w.Remote.Address())
	}
	notCommitted := func(what string) string {
		return fmt.Sprintf("Not synced: fleet/%s is not as in the commit %.10s, which is what is synced", what, last)
	}
	for _, tt := range []struct {
		name string
		do   func()
		want func() string
	}{
		{"late", func() { w.People.Git("checkout", "-q", began) }, func() string {
			return fmt.Sprintf("Note: nothing was done: %.10s was synced already, and it is later than %.10s, which is checked out", last, began)
		}},
		{"uncommitted", func() { w.People.Git("rm", "-q", "fleet/web.yaml"); w.write("fleet/web.yaml", web) },
			func() string { return notCommitted("web.yaml") }},
		{"never added", func() { w.write("fleet/.gitignore", "more.yaml"); w.write("fleet/more.yaml", another("c")) },
			func() string { return notCommitted("more.yaml") }},
		{"not checked out", func() { w.People.Git("sparse-checkout", "set", "blueprints") },
			func() string { return "Not synced: 2 files of fleet are not as in the commit" }},
		{"skipped", func() {
			w.People.Git("update-index", "--skip-worktree", "fleet/web.yaml")
			_ = os.Remove(w.People.Dir + "/fleet/web.yaml")
		}, func() string { return notCommitted("web.yaml") }},
		{"another line", func() {
			w.People.Git("checkout", "-q", began)
			w.People.Commit("Remove", map[string]string{"fleet/web.yaml": web})
		}, notMerged},
		{"not pushed", func() { w.People.Commit("Remove a", map[string]string{"fleet/web.yaml": web}) }, notMerged},
	} {
		w.People.Git("sparse-checkout", "disable")
		w.People.Git("reset", "-q", "--hard")
		w.People.Git("update-index", "--no-skip-worktree", "fleet/web.yaml")
		w.People.Git("reset", "-q", "--hard")
		w.People.Git("clean", "-qfdx")
		w.People.Update()
		tt.do()
		if err := os.MkdirAll(w.People.Dir+"/fleet", 0o700); err != nil {
			t.Fatal(err)
		}
		w.unchanged(tt.name, func() {
			report, err := w.syncAt()
			var said strings.Builder
			if err != nil {
				said.WriteString(err.Error())
			} else if err := report.Table(&said); err != nil {
				t.Fatal(err)
			}
			first, _, _ := strings.Cut(strings.ReplaceAll(said.String(), w.People.Dir+"/", ""), "\n")
			if !strings.HasPrefix(first, tt.want()) {
				t.Errorf("%s: %s", tt.name, first)
			}
		})
	}
}

// TestNoCommit refuses what is in no commit, and what a commit has elsewhere.
func TestNoCommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web)
	const noCommit = "DIR has no manifests in a commit, which is what is synced: git -C DIR add . && git -C DIR commit -m 'Add the fleet'"
	outside := t.TempDir()
	w.write("new/web.yaml", web)
	for dir, want := range map[string]string{outside: noCommit, w.People.Dir + "/new": noCommit} {
		_, err := w.syncAt(func(o *Options) { o.Dir, o.State = dir, w.Remote.Address() })
		w.Equal(dir, want, strings.ReplaceAll(fmt.Sprint(err), dir, "DIR"))
	}
	w.People.Push("A page", map[string]string{"new/README.md": "New"}, "HEAD:refs/heads/main")
	w.People.Git("rm", "-q", "--cached", "new/web.yaml")
	w.People.Push("No manifest", map[string]string{"new/.gitignore": "*.yaml"}, "HEAD:refs/heads/main")
	_, err := w.syncAt(func(o *Options) { o.Dir = w.People.Dir + "/new" })
	w.Equal("a page only", noCommit, strings.ReplaceAll(fmt.Sprint(err), w.People.Dir+"/new", "DIR"))
	module := gittest.NewRemote(t, "module")
	module.Clone().Push("Begin", map[string]string{"web.yaml": web}, "HEAD:refs/heads/main")
	w.People.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", module.Address(), "fleet/module")
	if err := os.Symlink("module", w.People.Dir+"/fleet/link"); err != nil {
		t.Fatal(err)
	}
	w.People.Push("Link", nil, "HEAD:refs/heads/main")
	_, err = w.syncAt()
	w.Equal("elsewhere", "link is a symbolic link, which is not followed: put the file or the directory itself there\n"+
		"module is a submodule, which is not followed: put the file or the directory itself there", fmt.Sprint(err))
	_, planned := Plan(t.Context(), w.here(), false)
	w.Equal("in a plan", fmt.Sprint(err), fmt.Sprint(planned))
	w.People.Git("rm", "-qf", "fleet/module", "fleet/link")
	if err := os.Symlink("fleet", w.People.Dir+"/linked"); err != nil {
		t.Fatal(err)
	}
	w.People.Push("Link DIR itself", nil, "HEAD:refs/heads/main")
	report, err := w.syncAt(func(o *Options) { o.Dir = w.People.Dir + "/linked" })
	if err != nil {
		t.Fatal(err)
	}
	w.Equal("DIR is a link", []string{"web: UpToDate  edge.web.packagevariant-1"}, lines(report))
}

// TestPartialClone syncs a clone that lacks the files of its commit: what is not there is not taken for removed.
func TestPartialClone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web)
	w.sync()
	w.Remote.Git("config", "uploadpack.allowFilter", "true")
	dir := t.TempDir()
	w.People.Git("clone", "-q", "--filter=blob:none", "--no-checkout", w.Remote.Address(), dir)
	if err := os.Mkdir(dir+"/fleet", 0o700); err != nil {
		t.Fatal(err)
	}
	w.unchanged("a partial clone", func() {
		_, err := w.syncAt(func(o *Options) { o.Dir = dir + "/fleet" })
		if err == nil || !strings.HasPrefix(err.Error(), "repositories.yaml: the clone in "+dir+"/fleet lacks an object, as a clone "+
			"with --filter does: clone it as a whole: ") {
			t.Error(err)
		}
	})
}

// TestFeatureBranch syncs branches that begin where main is: nothing is added, changed or removed before it is merged,
// unless the fleet is synced from there.
func TestFeatureBranch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web+another("a"))
	w.sync()
	w.People.Update()
	w.People.Push("Replace a", map[string]string{"fleet/web.yaml": web + another("b")}, "HEAD:refs/heads/feature")
	head := strings.TrimSpace(w.People.Git("rev-parse", "HEAD"))
	elsewhere := gittest.NewRemote(t, "elsewhere")
	for _, state := range []string{"", elsewhere.Address()} {
		w.People.Git("checkout", "-q", "origin/main")
		w.syncState(state)
		w.People.Git("checkout", "-q", head)
		w.unchanged("a feature branch "+state, func() {
			w.refused(fmt.Sprintf("nothing was done: the commit %.10s is not on main, the default branch of %s: push it, or have it "+
				"merged", head, w.Remote.Address()), func(o *Options) { o.State = state })
		})
	}
	w.Remote.Git("symbolic-ref", "HEAD", "refs/heads/none")
	w.refused("nothing was done: " + w.Remote.Address() + " has no default branch: name the one from which the fleet is synced by --branch")
	from := func(branch string) func(*Options) { return func(o *Options) { o.Branch = branch } }
	w.refused(fmt.Sprintf("nothing was done: the commit %.10s is not on main of %s: push it, or have it merged", head,
		w.Remote.Address()), from("main"))
	report, err := w.syncAt(from("feature"))
	if err != nil {
		t.Fatal(err)
	}
	w.Equal("from that one", []string{"b: UpToDate  edge.b.packagevariant-1", "web: UpToDate  edge.web.packagevariant-1"},
		lines(report))
	w.Equal("refs", []string{"heads/drafts/edge/b/packagevariant-1", draft1, "heads/feature", "heads/package-variants"}, w.Refs())
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
	w.Equal("happened", []string(nil), happened(report))
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

// TestAwayLater has the git repository of a package be away in one sync: the report says of what is known from the sync
// before that it is, and nothing is recorded.
func TestAwayLater(t *testing.T) {
	t.Parallel()
	elsewhere := gittest.NewRemote(t, "elsewhere")
	elsewhere.Clone().Push("Begin", map[string]string{"README": "a\n"}, "HEAD:refs/heads/main")
	second := strings.NewReplacer("name: edge,", "name: second,", "ADDRESS", elsewhere.Address()).Replace(
		repositories[strings.LastIndex(repositories, "---"):])
	w := newWorld(t, second+"---"+strings.ReplaceAll(web, "repo: edge", "repo: second")+"---"+
		strings.Replace(webSet, "package: web}}", "package: more}}", 1))
	before := w.sync().Variants[0]
	w.Equal("there", "UpToDate", before.Reason)
	w.unchanged("away", func() {
		if err := os.Rename(elsewhere.Dir, elsewhere.Dir+".away"); err != nil {
			t.Fatal(err)
		}
		report, err := w.syncAt()
		if err != nil {
			t.Fatal(err)
		}
		line := report.Variants[0]
		w.Equal("away", []string{"Reconciling", "RepositoryNotReady", before.Draft, "all else that is said of it is of an earlier sync"},
			[]string{line.State, line.Reason, line.Draft, line.Message})
		w.Equal("failures", 2, len(report.Failures))
		set := report.Sets[0]
		w.Equal("set", []string{"Reconciling", "VariantsNotReady", "whether these variants are ready is not known: " +
			report.Variants[2].Name + "; in an earlier sync, 2 of 2 variants are ready"}, []string{set.State, set.Reason, set.Message})
		if err := os.Rename(elsewhere.Dir+".away", elsewhere.Dir); err != nil {
			t.Fatal(err)
		}
	})
	w.Equal("back", before, w.sync().Variants[0])
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

// TestRemovalOfNothing removes many variants at once that own no package, those of manifests and those of a set: nothing
// goes with them, and they are no removals.
func TestRemovalOfNothing(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "c", "d", "e"}
	files, variants := map[string]string{}, ""
	for _, name := range names {
		variants += strings.Replace(another(name), "revision: latest", "revision: 9", 1)
		files["edge/"+name+"/Kptfile"] = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: " + name + "\n"
	}
	for name, tt := range map[string]struct{ manifests, reason string }{
		"of manifests": {variants, "UpstreamNotFound"},
		"of a set": {"apiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\nmetadata: {name: webs}\nspec:\n" +
			"  upstream: {repo: blueprints, package: web, revision: latest}\n  targets:\n  - repositories:\n" +
			"    - {name: edge, packageNames: [a, b, c, d, e]}\n    template: {deletionPolicy: delete}\n", "DownstreamExists"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tt.manifests)
			w.Push("main", "By hand", files)
			report := w.sync()
			w.Equal("variants", len(names), len(report.Variants))
			for _, l := range report.Variants {
				w.Equal(l.Name, tt.reason, l.Reason)
			}
			before := w.Refs()
			w.Push("main", "Remove", map[string]string{"fleet/web.yaml": "# none\n"})
			report = w.sync()
			w.Equal("left", []int{0, 0, 0, 0}, []int{len(report.Variants), len(report.Removals), len(report.Notes), len(report.Failures)})
			w.Equal("refs", before, w.Refs())
			w.idle()
		})
	}
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
	w.Equal("happened", []string{"edge/new: packagevariant-1 drafted"}, happened(report))
	w.idle()
	if _, err := w.syncAt(func(o *Options) { o.Removals = 4 }); err != nil {
		t.Error(err)
	}
	w.Equal("left", []string{"heads/drafts/edge/new/packagevariant-1", draft1, "heads/package-variants"}, w.Refs())
}
