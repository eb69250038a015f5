// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/package-variants/package-variants/local/git/gittest"
)

// stranger is a server that counts how often it is asked for something, and Repositories at its address.
type stranger struct {
	address string
	asked   atomic.Int32
}

func newStranger(t *testing.T) *stranger {
	t.Helper()
	s := &stranger{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.asked.Add(1)
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(server.Close)
	s.address = server.URL + "/acme/sites.git"
	return s
}

// at returns manifests of a Repository at an address, and of a variant whose package goes there.
func at(name, address string) string {
	return "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata: {name: " + name + "}\nspec: {type: git, " +
		"git: {repo: \"" + address + "\", branch: main}}\n" + strings.ReplaceAll(another("of-"+name), "repo: edge",
		"repo: "+name)
}

// propose has somebody add a file to the fleet on a branch, and checks that out.
func (w *world) propose(text string) {
	w.Helper()
	w.People.Update()
	w.People.Push("Propose", map[string]string{"fleet/proposed.yaml": text}, "+HEAD:refs/heads/proposal")
}

// here are the options of a command over what is checked out.
func (w *world) here(change ...func(*Options)) Options {
	o := Options{Dir: filepath.Join(w.People.Dir, "fleet"), Cache: w.Cache}
	for _, c := range change {
		c(&o)
	}
	return o
}

// TestStranger has a proposal name a git repository that no manifest on the default branch names. A plan says that it is
// not contacted, and plans the rest; so does what else only reads. Whoever allows its address has it contacted.
func TestStranger(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web)
	s := newStranger(t)
	w.propose(at("new", s.address) + strings.ReplaceAll(another("second"), "repo: edge", "repo: new"))
	plan := w.plan(w.here())
	w.Equal("not contacted", []string{s.address}, plan.NotContacted)
	w.Equal("notes", []string{s.address + " is not contacted before it is merged; --allow " + s.address + " plans it"},
		plan.Notes)
	w.Equal("errors", []string(nil), plan.Errors())
	var actions []string
	for _, v := range plan.Variants {
		actions = append(actions, v.Name+": "+string(v.Action)+" "+v.Condition.Reason)
	}
	w.Equal("variants", []string{"of-new: wait RepositoryNotReady", "second: wait RepositoryNotReady", "web: create UpToDate"},
		actions)
	if !plan.Writes() {
		t.Error("the plan has nothing to do")
	}
	f, err := Open(t.Context(), w.here())
	if err == nil {
		err = f.Fetch(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if n := s.asked.Load(); n != 0 {
		t.Errorf("the server was asked %d times", n)
	}
	base := strings.TrimSuffix(s.address, "/sites.git")
	for allowed, want := range map[string]bool{base: true, s.address: true, base + "/sit": false, base + ":1/": false} {
		s.asked.Store(0)
		plan = w.plan(w.here(func(o *Options) { o.Allow = []string{allowed} }))
		if got := s.asked.Load() > 0; got != want || (len(plan.NotContacted) == 0) != want {
			t.Errorf("--allow %s: asked %t, not contacted %v", allowed, got, plan.NotContacted)
		}
	}
}

// TestStrangerSynced has a job sync a proposal by mistake: nothing is done. Merged, what it names is contacted, and from
// then on every proposal may name it.
func TestStrangerSynced(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web)
	s := newStranger(t)
	w.propose(at("new", s.address))
	if report, err := Sync(t.Context(), w.here()); err == nil || report != nil {
		t.Fatal(report)
	}
	if n := s.asked.Load(); n != 0 {
		t.Errorf("the server was asked %d times", n)
	}
	w.Equal("a plan after it", []string{s.address}, w.plan(w.here()).NotContacted)
	w.Merge("proposal")
	w.People.Update()
	if plan := w.plan(w.here()); len(plan.NotContacted) > 0 || s.asked.Load() == 0 {
		t.Errorf("a plan of what is merged: %v", plan.NotContacted)
	}
	s.asked.Store(0)
	if _, err := Sync(t.Context(), w.here()); err != nil || s.asked.Load() == 0 {
		t.Errorf("it is not contacted after the merge: %v", err)
	}
	w.People.Push("Withdraw", map[string]string{"fleet/proposed.yaml": ""}, "HEAD:refs/heads/main")
	w.propose(at("again", s.address))
	if plan := w.plan(w.here()); len(plan.NotContacted) > 0 {
		t.Errorf("what was synced is not contacted: %v", plan.NotContacted)
	}
}

// TestStrangerOnThisMachine names paths: they count only where the fleet itself is at one, and never among its files.
func TestStrangerOnThisMachine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web)
	w.sync()
	other := gittest.NewRemote(t, "other")
	w.propose(at("other", other.Address()))
	w.Equal("another path", []string{other.Address()}, w.plan(w.here()).NotContacted)

	inside := filepath.Join(w.People.Dir, "fleet", "evil.git")
	if err := os.MkdirAll(inside, 0o700); err != nil {
		t.Fatal(err)
	}
	linked := filepath.Join(w.People.Dir, "linked.git")
	if err := os.Symlink(other.Dir, linked); err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"./evil.git", inside, "file://" + inside, "../linked.git"} {
		w.propose(at("evil", address))
		errs := w.plan(w.here(func(o *Options) { o.Allow = []string{inside} })).Errors()
		if len(errs) != 1 || !strings.HasSuffix(errs[0], "is among the files of the fleet, which are never read as a git "+
			"repository, and neither is where a link among them leads: move it elsewhere") {
			t.Errorf("%s: %v", address, errs)
		}
	}
	c := contacts{all: true}
	if err := c.check("/srv/git/x"); err == nil || err.Error() != "/srv/git/x is a path on this machine, which a manifest may "+
		"name only where the fleet's own git repository is at one: name an address that others can read" {
		t.Error(err)
	}
}

// TestSecretAddress has a manifest with a password: the error does not have it, and nothing that is recorded, either.
func TestSecretAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web+"---\n"+at("new", "https://ada:secret@git.example.com/x.git"))
	report := w.sync()
	const want = "web.yaml, line 10: Repository new: spec.git.repo: it has a user, a password or a token before the @"
	if said := strings.Join(report.Failures, "\n"); strings.Contains(said, "secret") || !strings.HasPrefix(said, want) {
		t.Error(said)
	}
	if recorded := w.Remote.Git("log", "-p", "package-variants"); strings.Contains(recorded, "secret") {
		t.Error(recorded)
	}
}

// TestStrangerOfSet has a proposal take the upstream of a set from a git repository that no manifest on the default
// branch names: the set and the variants that it has wait, and the rest is planned.
func TestStrangerOfSet(t *testing.T) {
	t.Parallel()
	set := func(repo string) string {
		return `---
apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {name: sites}
spec:
  upstream: {repo: ` + repo + `, package: web, revision: 1}
  targets:
  - repositories: [{name: edge, packageNames: [a, b]}]
`
	}
	const others, ofNew, beside = "set others: Reconciling ExpansionFailed", "of-new: wait RepositoryNotReady", "web: create UpToDate"
	for name, tt := range map[string]struct {
		begin string
		want  []string
	}{
		"new": {"# none\n", []string{others, ofNew, beside}},
		"moved": {set("blueprints"), []string{others, "set sites: Reconciling ExpansionFailed", ofNew,
			"sites-edge-a-4c8efjs2hd: unchanged UpToDate", "sites-edge-b-184ap2nh6a: unchanged UpToDate", beside}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tt.begin)
			w.sync()
			s := newStranger(t)
			w.propose(at("new", s.address) + strings.Replace(set("new"), "sites", "others", 1) + another("web"))
			if name == "moved" {
				w.People.Push("Move", map[string]string{"fleet/web.yaml": set("new")}, "+HEAD:refs/heads/proposal")
			}
			plan := w.plan(w.here())
			w.Equal("not contacted", []string{s.address}, plan.NotContacted)
			w.Equal("errors", []string(nil), plan.Errors())
			w.Equal("asked", int32(0), s.asked.Load())
			var actions []string
			for _, set := range plan.Sets {
				actions = append(actions, "set "+set.Name+": "+set.Condition.Type+" "+set.Condition.Reason)
			}
			for _, v := range plan.Variants {
				actions = append(actions, v.Name+": "+string(v.Action)+" "+v.Condition.Reason)
			}
			w.Equal("plan", tt.want, actions)
		})
	}
}
