// SPDX-License-Identifier: Apache-2.0

package git_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/git/gittest"
)

// overHTTP serves a remote, and returns its address, which has a password in it. Each request that is for a push is seen
// before.
func overHTTP(t *testing.T, remote *gittest.Remote, seen func(push bool)) string {
	t.Helper()
	remote.Git("config", "http.receivepack", "true")
	core, err := exec.CommandContext(t.Context(), "git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	backend := &cgi.Handler{Path: filepath.Join(strings.TrimSpace(string(core)), "git-http-backend"),
		Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(remote.Dir), "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1",
			"GIT_CONFIG_GLOBAL=" + os.DevNull}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		seen(strings.Contains(request.URL.String(), "git-receive-pack"))
		if _, password, _ := request.BasicAuth(); password != "secret" {
			w.Header().Set("WWW-Authenticate", `Basic realm="packages"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		backend.ServeHTTP(w, request)
	}))
	t.Cleanup(server.Close)
	return strings.Replace(server.URL, "://", "://ada:secret@", 1) + "/" + filepath.Base(remote.Dir)
}

// TestLeases changes each ref only from where it was seen: for all that may have happened to a ref meanwhile, in one
// push, with and without a helper of git.
func TestLeases(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]func(*testing.T, *gittest.Remote) string{
		"path": func(_ *testing.T, remote *gittest.Remote) string { return remote.Address() },
		"http": func(t *testing.T, remote *gittest.Remote) string {
			t.Helper()
			return overHTTP(t, remote, func(bool) {})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			remote := gittest.NewRemote(t, "packages")
			r := open(t, address(t, remote))
			one := commit(t, r, "", "a/file", "1")
			two, aside := commit(t, r, one, "a/file", "2"), commit(t, r, "", "a/file", "3")
			var begin []git.Update
			for _, ref := range []string{"as-seen", "backwards", "ended", "ends-as-seen", "ends-moved", "moved", "there", "unchanged"} {
				begin = append(begin, git.Update{Ref: "refs/heads/drafts/" + ref, New: one})
			}
			push(t, r, false, begin...)
			theirs := remote.Clone()
			theirs.Push("Move", nil, "+HEAD:refs/heads/drafts/moved", "+HEAD:refs/heads/drafts/ends-moved", "HEAD:refs/heads/drafts/appeared",
				"HEAD:refs/tags/web/v1", ":refs/heads/drafts/ended")
			moved := strings.TrimSpace(theirs.Git("rev-parse", "HEAD"))
			of := func(name string, old, to git.Hash) git.Update {
				return git.Update{Ref: "refs/" + name, Old: old, New: to}
			}
			wantEqual(t, []string{
				"heads/drafts/unchanged pushed",
				"heads/drafts/appeared moved [rejected] (stale info)",
				"heads/drafts/as-seen pushed",
				"heads/drafts/ends-moved moved [rejected] (stale info)",
				"heads/drafts/backwards pushed",
				"heads/drafts/ended moved [rejected] (stale info)",
				"heads/drafts/ends-as-seen pushed",
				"heads/drafts/gone moved [rejected] (stale info)",
				"heads/drafts/moved moved [rejected] (stale info)",
				"heads/drafts/new pushed",
				"heads/drafts/there pushed",
				"tags/web/v1 moved [rejected] (stale info)",
				"tags/web/v2 pushed",
			}, push(t, r, false, of("heads/drafts/unchanged", one, one), of("heads/drafts/appeared", "", two), of("heads/drafts/as-seen", one, two),
				of("heads/drafts/ends-moved", one, ""), of("heads/drafts/backwards", one, aside), of("heads/drafts/ended", one, two),
				of("heads/drafts/ends-as-seen", one, ""), of("heads/drafts/gone", one, ""), of("heads/drafts/moved", one, two),
				of("heads/drafts/new", "", two), of("heads/drafts/there", two, one), of("tags/web/v1", "", two), of("tags/web/v2", "", two)))
			wantEqual(t, map[string]string{"refs/heads/drafts/unchanged": string(one), "refs/heads/drafts/appeared": moved,
				"refs/heads/drafts/as-seen": string(two), "refs/heads/drafts/ends-moved": moved, "refs/heads/drafts/backwards": string(aside),
				"refs/heads/drafts/moved": moved, "refs/heads/drafts/new": string(two), "refs/heads/drafts/there": string(one),
				"refs/tags/web/v1": moved, "refs/tags/web/v2": string(two)}, remote.Refs())
		})
	}
}

// TestSharedClone has two processes work on one clone: what the other one has fetched is not what this one has seen, and
// each pushes its own refs only.
func TestSharedClone(t *testing.T) {
	t.Parallel()
	remote := gittest.NewRemote(t, "packages")
	remote.Clone().Push("Begin", nil, "HEAD:refs/heads/main")
	cache := filepath.Join(t.TempDir(), "cache")
	ours, theirs := openIn(t, cache, remote.Address()), openIn(t, cache, remote.Address())
	seen := fetch(t, ours)["refs/heads/main"].Commit
	people := remote.Clone()
	people.Push("Hotfix", nil, "HEAD:refs/heads/main")
	fetch(t, theirs)
	wantEqual(t, []string{"heads/main moved [rejected] (stale info)"},
		push(t, ours, false, git.Update{Ref: "refs/heads/main", Old: seen, New: commit(t, ours, seen, "a/file", "1")}))

	want := map[string]string{"refs/heads/main": strings.TrimSpace(people.Git("rev-parse", "HEAD"))}
	var both sync.WaitGroup
	said := [2][]string{}
	for i, r := range []*git.Repository{ours, theirs} {
		var updates []git.Update
		for n := range 20 {
			u := git.Update{Ref: fmt.Sprintf("refs/heads/drafts/%d/%d", i, n), New: commit(t, r, seen, fmt.Sprintf("p%d/%d", i, n), "1")}
			updates, want[u.Ref] = append(updates, u), string(u.New)
		}
		both.Go(func() {
			results, err := r.Push(t.Context(), updates, false)
			said[i] = []string{fmt.Sprint(len(results), err)}
		})
	}
	both.Wait()
	wantEqual(t, [2][]string{{"20 <nil>"}, {"20 <nil>"}}, said)
	wantEqual(t, want, remote.Refs())
}

// TestNothingStays looks for a password of the address, and for what a push needs for a while, in the cache: during a
// push, and after it.
func TestNothingStays(t *testing.T) {
	t.Parallel()
	remote := gittest.NewRemote(t, "packages")
	cache := filepath.Join(t.TempDir(), "cache")
	pushes := 0
	var r *git.Repository
	look := func() (names []string) {
		err := filepath.WalkDir(cache, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return nil //nolint:nilerr // it was removed meanwhile
			}
			if text, _ := os.ReadFile(name); strings.Contains(string(text), "secret") {
				t.Errorf("the password is in %s", name)
			}
			if in, _ := filepath.Rel(cache, name); strings.HasPrefix(in, "scratch-") {
				names = append(names, in)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		return names
	}
	r, err := git.OpenOwn(t.Context(), cache, overHTTP(t, remote, func(push bool) {
		if push {
			pushes++
			look()
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	push(t, r, false, git.Update{Ref: "refs/heads/main", New: commit(t, r, "", "a/file", "1")})
	if pushes == 0 {
		t.Error("nothing was seen of the push")
	}
	wantEqual(t, []string(nil), look())
}

// TestOneRefAlone has refs that cannot be pushed, each with all that can: those are pushed, and the words are for a
// person.
func TestOneRefAlone(t *testing.T) {
	t.Parallel()
	remote := gittest.NewRemote(t, "packages")
	r := open(t, remote.Address())
	one := commit(t, r, "", "a/file", "1")
	aside := commit(t, r, "", "a/file", "2")
	long := strings.Repeat("x", 253)
	push(t, r, false, git.Update{Ref: "refs/heads/drafts/web", New: one}, git.Update{Ref: "refs/heads/main", New: one})
	remote.Git("config", "receive.denyNonFastForwards", "true")
	said := push(t, r, false, git.Update{Ref: "refs/heads/drafts/web/v1", New: one}, git.Update{Ref: "refs/heads/bad name", New: one},
		git.Update{Ref: "refs/heads/main", Old: one, New: aside}, git.Update{Ref: "refs/heads/" + long, New: one},
		git.Update{Ref: "refs/heads/drafts/other/v1", New: one}, git.Update{Ref: "refs/heads/drafts/none/v1"})
	for i := range said {
		said[i], _, _ = strings.Cut(strings.ReplaceAll(said[i], long, "LONG"), ": Unable")
	}
	wantEqual(t, []string{
		"heads/drafts/web/v1 refused [remote rejected] (failed to update ref): error: cannot lock ref 'refs/heads/drafts/web/v1': " +
			"'refs/heads/drafts/web' exists; cannot create 'refs/heads/drafts/web/v1'",
		"heads/bad name refused git does not allow this name of a ref (git help check-ref-format)",
		"heads/main refused [remote rejected] (non-fast-forward): error: denying non-fast-forward refs/heads/main (you should pull first)",
		"heads/LONG refused [remote rejected] (failed to update ref): error: cannot lock ref 'refs/heads/LONG'",
		"heads/drafts/other/v1 pushed",
		"heads/drafts/none/v1 pushed",
	}, said)
	wantEqual(t, []string{"refs/heads/drafts/other/v1", "refs/heads/drafts/web", "refs/heads/main"}, remote.Names())

	_, err := r.Push(t.Context(), []git.Update{{Ref: "refs/heads/a", New: one}, {Ref: "refs/heads/a", New: aside}}, false)
	if err == nil || err.Error() != "refs/heads/a is to be pushed twice" {
		t.Errorf("the error is %v", err)
	}
}

// TestLongLines removes more branches than fit on the line of a command: in parts, or not at all.
func TestLongLines(t *testing.T) {
	t.Parallel()
	remote := gittest.NewRemote(t, "packages")
	r := open(t, remote.Address())
	one := commit(t, r, "", "a/file", "1")
	var made, removed []git.Update
	for i := range 300 {
		ref := fmt.Sprintf("refs/heads/drafts/%s/%d", strings.Repeat("x", 150), i)
		made, removed = append(made, git.Update{Ref: ref, New: one}), append(removed, git.Update{Ref: ref, Old: one})
	}
	push(t, r, false, made...)
	wantEqual(t, 300, len(remote.Refs()))
	results, err := r.Push(t.Context(), removed, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, result := range results {
		wantEqual(t, git.Result{Update: result.Update, Status: git.Spoiled, Words: "the refs of the push do not fit on the line of a command"},
			result)
	}
	push(t, r, true, removed[:150]...)
	wantEqual(t, 150, len(remote.Refs()))
	push(t, r, false, removed[150:]...)
	wantEqual(t, 0, len(remote.Refs()))
}

// TestProcesses counts the git processes of a round, on both sides: there are as many for 600 refs as for 50.
func TestProcesses(t *testing.T) {
	count := func(refs int) (started []string) {
		remote := gittest.NewRemote(t, "packages")
		remote.Clone().Push("Begin", nil, "HEAD:refs/heads/main")
		r := open(t, remote.Address())
		fetch(t, r)
		trace := filepath.Join(t.TempDir(), "trace")
		t.Setenv("GIT_TRACE2_EVENT", trace)
		main := fetch(t, r)["refs/heads/main"].Commit
		var made, removed []git.Update
		for i := range refs {
			u := git.Update{Ref: fmt.Sprintf("refs/heads/drafts/web-%d/v1", i), New: commit(t, r, main, fmt.Sprintf("web-%d/file", i), "1")}
			made, removed = append(made, u), append(removed, git.Update{Ref: u.Ref, Old: u.New})
		}
		push(t, r, false, made...)
		wantEqual(t, refs+1, len(fetch(t, r)))
		push(t, r, false, removed...)
		wantEqual(t, 1, len(fetch(t, r)))
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		t.Setenv("GIT_TRACE2_EVENT", "")
		text, err := os.ReadFile(trace)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var event struct {
				Event, Name string
			}
			if err := json.Unmarshal([]byte(line), &event); err != nil {
				t.Fatal(err)
			}
			if event.Event == "cmd_name" {
				started = append(started, event.Name)
			}
		}
		return started
	}
	few, many := count(50), count(600)
	if len(few) < 10 {
		t.Errorf("only these are counted: %s", few)
	}
	wantEqual(t, few, many)
}
