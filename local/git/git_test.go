// SPDX-License-Identifier: Apache-2.0

package git_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/git/gittest"
)

// open returns a repository at an address, with a clone of its own.
func open(t *testing.T, address string) *git.Repository {
	t.Helper()
	return openIn(t, filepath.Join(t.TempDir(), "cache"), address)
}

// openIn returns a repository at an address with its clone in a cache.
func openIn(t *testing.T, cache, address string) *git.Repository {
	t.Helper()
	r, err := git.Open(t.Context(), cache, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// fetch returns the refs of a repository.
func fetch(t *testing.T, r *git.Repository) map[string]git.Ref {
	t.Helper()
	refs, err := r.Fetch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return refs
}

// commit returns a commit with one file over another commit.
func commit(t *testing.T, r *git.Repository, over git.Hash, path, text string) git.Hash {
	t.Helper()
	c := &git.Commit{Message: "Write " + path + "\n"}
	root := git.Hash("")
	if over != "" {
		before, err := r.Commit(over)
		if err != nil {
			t.Fatal(err)
		}
		root, c.Parents = before.Tree, []git.Hash{over}
	}
	dir, name := filepath.Split(path)
	tree, err := r.PutTree([]git.Entry{{Mode: git.File, Name: name, Hash: r.PutBlob(text)}})
	if err != nil {
		t.Fatal(err)
	}
	if c.Tree, err = r.With(root, strings.TrimSuffix(dir, "/"), tree); err != nil {
		t.Fatal(err)
	}
	made, err := r.PutCommit(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// push pushes updates and writes down what came of them.
func push(t *testing.T, r *git.Repository, atomic bool, updates ...git.Update) (said []string) {
	t.Helper()
	results, err := r.Push(t.Context(), updates, atomic)
	if err != nil {
		t.Fatal(err)
	}
	for _, result := range results {
		said = append(said, strings.TrimSpace(fmt.Sprintf("%s %s %s", strings.TrimPrefix(result.Ref, "refs/"),
			[]string{"pushed", "moved", "refused", "spoiled"}[result.Status], result.Words)))
	}
	return said
}

func wantEqual(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestObjects writes objects without a worktree, and has git check and show them, with both of its formats.
func TestObjects(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			remote := gittest.NewRemote(t, "packages")
			if format == "sha256" {
				remote.Git("init", "-q", "--bare", "-b", "main", "--object-format=sha256", filepath.Join(remote.Dir, "other"))
				remote.Dir = filepath.Join(remote.Dir, "other")
				tree := strings.TrimSpace(remote.Git("hash-object", "-w", "-t", "tree", os.DevNull))
				made := strings.TrimSpace(remote.Git("commit-tree", "-m", "Begin", tree))
				remote.Git("update-ref", "refs/heads/other", made)
			}
			r := open(t, remote.Address())
			first := commit(t, r, "", "a/web/Kptfile", "kind: Kptfile\n")
			second := commit(t, r, first, "a-b/file", strings.Repeat("large\n", 1000))
			tag, err := r.PutTag(t.Context(), "a/web/v1", second, "web v1\n")
			if err != nil {
				t.Fatal(err)
			}
			at, err := r.At(second, "a/web/Kptfile")
			if err != nil {
				t.Fatal(err)
			}
			wantEqual(t, r.PutBlob("kind: Kptfile\n"), at)
			wantEqual(t, []string{"heads/main pushed", "tags/a/web/v1 pushed"}, push(t, r, true,
				git.Update{Ref: "refs/heads/main", New: second}, git.Update{Ref: "refs/tags/a/web/v1", New: tag}))
			remote.Git("fsck", "--strict", "--no-dangling")
			wantEqual(t, "a-b/file\na/web/Kptfile\n", remote.Git("ls-tree", "-r", "--name-only", "main"))
			wantEqual(t, "Ada <ada@example.com> Write a-b/file\n", remote.Git("log", "-1", "--format=%an <%ae> %s", "a/web/v1"))
			refs := fetch(t, r)
			delete(refs, "refs/heads/other")
			wantEqual(t, map[string]git.Ref{"refs/heads/main": {Hash: second, Commit: second},
				"refs/tags/a/web/v1": {Hash: tag, Commit: second}}, refs)
			for path, want := range map[string]bool{"a/web": true, "a/web/Kptfile": true, "a/web/Kptfile/x": false, "a/no": false, "a\nb": false} {
				at, err := r.At(second, path)
				if err != nil {
					t.Fatal(err)
				}
				wantEqual(t, want, at != "")
			}
		})
	}
}

// TestWith puts trees at paths, and takes them away with the directories that are empty then.
func TestWith(t *testing.T) {
	t.Parallel()
	r := open(t, gittest.NewRemote(t, "packages").Address())
	tree, err := r.PutTree([]git.Entry{{Mode: git.File, Name: "x", Hash: r.PutBlob("x")}})
	if err != nil {
		t.Fatal(err)
	}
	var root git.Hash
	with := func(path string, tree git.Hash) git.Hash {
		t.Helper()
		if root, err = r.With(root, path, tree); err != nil {
			t.Fatal(err)
		}
		return root
	}
	one := with("a/b/c", tree)
	with("a/d", tree)
	wantEqual(t, one, with("a/d", ""))
	with("e", tree)
	with("a/b/c", "")
	only, err := r.PutTree([]git.Entry{{Mode: git.Directory, Name: "e", Hash: tree}})
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, only, root)
}

// TestPush pushes refs each for itself: what moved, or is refused, leaves the others alone.
func TestPush(t *testing.T) {
	t.Parallel()
	remote := gittest.NewRemote(t, "packages")
	remote.Hook("update", `case $1 in refs/heads/drafts/secret/*) echo "no secrets in $1"; exit 1;; esac`)
	r := open(t, remote.Address())
	one := commit(t, r, "", "a/file", "1")
	two := commit(t, r, one, "a/file", "2")
	wantEqual(t, []string{
		"heads/drafts/secret/a refused [remote rejected] (hook declined): no secrets in refs/heads/drafts/secret/a",
		"heads/drafts/web/a pushed",
		"heads/main pushed",
	}, push(t, r, false, git.Update{Ref: "refs/heads/drafts/secret/a", New: one},
		git.Update{Ref: "refs/heads/drafts/web/a", New: one}, git.Update{Ref: "refs/heads/main", New: one}))
	remote.Clone().Push("Move", map[string]string{"b": "b"}, "HEAD:refs/heads/drafts/web/a")
	theirs := remote.Refs()["refs/heads/drafts/web/a"]
	wantEqual(t, []string{
		"heads/drafts/web/a moved [rejected] (stale info)",
		"heads/drafts/web/b moved [rejected] (stale info)",
		"heads/drafts/web/c pushed",
		"heads/main pushed",
	}, push(t, r, false, git.Update{Ref: "refs/heads/drafts/web/a", Old: one, New: two},
		git.Update{Ref: "refs/heads/drafts/web/b", Old: one}, git.Update{Ref: "refs/heads/drafts/web/c", New: two},
		git.Update{Ref: "refs/heads/main", Old: one, New: two}))
	wantEqual(t, map[string]string{"refs/heads/drafts/web/a": theirs, "refs/heads/drafts/web/c": string(two),
		"refs/heads/main": string(two)}, remote.Refs())
}

// TestPreReceive has a server that refuses a whole push for the sake of one ref: the others are pushed all the same.
func TestPreReceive(t *testing.T) {
	t.Parallel()
	remote := gittest.NewRemote(t, "packages")
	remote.Hook("pre-receive", `while read old new ref; do case $ref in */bad) echo "GH013: $ref is bad"; exit 1;; esac; done`)
	r := open(t, remote.Address())
	one := commit(t, r, "", "a/file", "1")
	var updates []git.Update
	for _, name := range []string{"a", "b", "bad", "c", "d"} {
		updates = append(updates, git.Update{Ref: "refs/heads/drafts/web/" + name, New: one})
	}
	wantEqual(t, []string{
		"heads/drafts/web/a pushed",
		"heads/drafts/web/b pushed",
		"heads/drafts/web/bad refused [remote rejected] (pre-receive hook declined): GH013: refs/heads/drafts/web/bad is bad",
		"heads/drafts/web/c pushed",
		"heads/drafts/web/d pushed",
	}, push(t, r, false, updates...))
}

// TestAtomic pushes all refs or none, and knows a server that cannot.
func TestAtomic(t *testing.T) {
	t.Parallel()
	remote := gittest.NewRemote(t, "packages")
	remote.Hook("update", `case $1 in refs/tags/*) echo "tags are ours"; exit 1;; esac`)
	r := open(t, remote.Address())
	one := commit(t, r, "", "a/file", "1")
	both := []git.Update{{Ref: "refs/heads/main", New: one}, {Ref: "refs/tags/web/v1", New: one}}
	wantEqual(t, []string{
		"heads/main spoiled [remote rejected] (atomic push failure): tags are ours",
		"tags/web/v1 refused [remote rejected] (hook declined): tags are ours",
	}, push(t, r, true, both...))
	wantEqual(t, []string{
		"heads/main spoiled [rejected] (atomic push failed)",
		"tags/web/v1 moved [rejected] (stale info)",
	}, push(t, r, true, both[0], git.Update{Ref: "refs/tags/web/v1", Old: one, New: one}))
	wantEqual(t, map[string]string{}, remote.Refs())
	remote.Git("config", "receive.advertiseAtomic", "false")
	if _, err := r.Push(t.Context(), both, true); !errors.Is(err, git.ErrNotAtomic) {
		t.Errorf("the error is %v", err)
	}
}

// TestAway asks for a repository that is not there: the error names it, and no password.
func TestAway(t *testing.T) {
	t.Parallel()
	gittest.Configure(t)
	missing := filepath.Join(t.TempDir(), "missing.git")
	for address, want := range map[string]string{
		"file://" + missing: "cannot clone the git repository file://" + missing + ": git clone: fatal: '" + missing +
			"' does not appear to be a git repository\n",
		"https://ada:secret@127.0.0.1:1/x.git": "cannot clone the git repository https://127.0.0.1:1/x.git: git clone: " +
			"fatal: unable to access",
	} {
		_, err := git.Open(t.Context(), t.TempDir(), address)
		var said *git.Error
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "secret") || !errors.As(err, &said) {
			t.Errorf("the error is %v", err)
		}
	}
	locked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="packages"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer locked.Close()
	if _, err := git.Open(t.Context(), t.TempDir(), locked.URL); err == nil || !strings.Contains(err.Error(),
		"could not read Username for '"+locked.URL+"': terminal prompts disabled") {
		t.Errorf("the error is %v", err)
	}
	remote := gittest.NewRemote(t, "packages")
	r := open(t, remote.Address())
	fetch(t, r)
	one := commit(t, r, "", "a/file", "1")
	if err := os.Rename(remote.Dir, remote.Dir+"-away"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Fetch(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "cannot fetch the git repository "+remote.Address()) {
		t.Errorf("the error is %v", err)
	}
	_, err := r.Push(t.Context(), []git.Update{{Ref: "refs/heads/main", New: one}}, false)
	if err == nil || !strings.HasPrefix(err.Error(), "cannot push to the git repository "+remote.Address()) {
		t.Errorf("the error is %v", err)
	}
}

// TestShallow has a clone that lacks a part of the history get it.
func TestShallow(t *testing.T) {
	t.Parallel()
	remote := gittest.NewRemote(t, "packages")
	people := remote.Clone()
	for _, text := range []string{"1", "2", "3"} {
		people.Push("Write "+text, map[string]string{"file": text}, "HEAD:refs/heads/main")
	}
	cache := filepath.Join(t.TempDir(), "cache")
	first, err := git.Open(t.Context(), cache, remote.Address())
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	dirs, err := filepath.Glob(cache + "/*")
	if err != nil || len(dirs) != 1 {
		t.Fatal(dirs, err)
	}
	config, err := os.ReadFile(filepath.Join(dirs[0], "config"))
	if err != nil || strings.Contains(string(config), remote.Dir) { // it may have a password in it
		t.Errorf("the clone has the address: %s, %v", config, err)
	}
	if err := os.RemoveAll(dirs[0]); err != nil {
		t.Fatal(err)
	}
	remote.Git("clone", "-q", "--bare", "--depth=1", remote.Address(), dirs[0])
	r, err := git.Open(t.Context(), cache, remote.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	head, read := fetch(t, r)["refs/heads/main"].Commit, 0
	for head != "" {
		c, err := r.Commit(head)
		if err != nil {
			t.Fatal(err)
		}
		read++
		head = ""
		if len(c.Parents) > 0 {
			head = c.Parents[0]
		}
	}
	wantEqual(t, 3, read)
}

// TestMerge merges commits as git does.
func TestMerge(t *testing.T) {
	t.Parallel()
	r := open(t, gittest.NewRemote(t, "packages").Address())
	base := commit(t, r, "", "a/file", "1\n")
	left, right := commit(t, r, base, "a/file", "2\n"), commit(t, r, base, "b/file", "3\n")
	third := commit(t, r, base, "a/file", "4\n")
	if err := git.Check(t.Context()); err != nil {
		t.Error(err)
	}
	at, err := r.MergeBase(t.Context(), left, right)
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, base, at)
	tree, conflicts, err := r.Merge(t.Context(), left, right)
	if err != nil || tree == "" || conflicts != nil {
		t.Fatal(tree, conflicts, err)
	}
	tree, conflicts, err = r.Merge(t.Context(), left, third)
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, git.Hash(""), tree)
	wantEqual(t, []string{"a/file"}, conflicts)
	other := commit(t, r, "", "c/file", "5\n")
	if at, err = r.MergeBase(t.Context(), left, other); err != nil || at != "" {
		t.Error(at, err)
	}
}

// TestUnmerged lists what drafts have and a branch has not.
func TestUnmerged(t *testing.T) {
	t.Parallel()
	r := open(t, gittest.NewRemote(t, "packages").Address())
	main := commit(t, r, "", "a/file", "1")
	draft := commit(t, r, main, "b/file", "2")
	push(t, r, false, git.Update{Ref: "refs/heads/main", New: main}, git.Update{Ref: "refs/heads/drafts/b/1", New: draft},
		git.Update{Ref: "refs/heads/drafts/a/1", New: main})
	fetch(t, r)
	commits, err := r.Unmerged(t.Context(), "refs/heads/drafts/", main)
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, map[git.Hash][]git.Hash{draft: {main}}, commits)
}

// TestIdentity reads who commits in a clone, by its configuration and the user's, and nothing that runs a program.
func TestIdentity(t *testing.T) {
	people := gittest.NewRemote(t, "packages").Clone()
	identity := func() git.Identity {
		t.Helper()
		at, err := git.Find(t.Context(), people.Dir)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = at.Close() }()
		all, err := at.Identity(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	wantEqual(t, git.Identity(nil), identity())
	for _, setting := range [][]string{{"user.name", "Bo = B"}, {"Author.email", "bo@example.com"}, {"user.signingKey", "K"},
		{"gpg.format", "ssh"}, {"gpg.program", "evil"}, {"commit.gpgSign", "no"}, {"user.useConfigOnly", ""}} {
		people.Git(append([]string{"config"}, setting...)...)
	}
	wantEqual(t, git.Identity{"user.name=Bo = B", "user.signingkey=K", "user.useconfigonly=", "author.email=bo@example.com",
		"gpg.format=ssh", "commit.gpgsign=no"}, identity())
}

// TestSigned has the user sign commits and tags, by a program in place of gpg.
func TestSigned(t *testing.T) {
	remote := gittest.NewRemote(t, "packages")
	program := filepath.Join(t.TempDir(), "gpg")
	script := "#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\n" +
		"printf -- '-----BEGIN PGP SIGNATURE-----\\n\\nsigned\\n-----END PGP SIGNATURE-----\\n'\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	for i, setting := range [][2]string{{"commit.gpgSign", "true"}, {"tag.gpgSign", "true"}, {"gpg.program", program}} {
		t.Setenv(fmt.Sprintf("GIT_CONFIG_KEY_%d", i), setting[0])
		t.Setenv(fmt.Sprintf("GIT_CONFIG_VALUE_%d", i), setting[1])
	}
	t.Setenv("GIT_CONFIG_COUNT", "3")
	cache := filepath.Join(t.TempDir(), "cache")
	r := openIn(t, cache, remote.Address())
	one := commit(t, r, "", "a/file", "1")
	tag, err := r.PutTag(t.Context(), "a/v1", one, "a v1\n")
	if err != nil {
		t.Fatal(err)
	}
	clones, err := filepath.Glob(filepath.Join(cache, "*"))
	if err != nil || len(clones) != 1 {
		t.Fatal(clones, err)
	}
	if refs := remote.Git("--git-dir="+clones[0], "for-each-ref"); refs != "" {
		t.Errorf("other processes see in the clone, before it is pushed: %s", refs)
	}
	push(t, r, true, git.Update{Ref: "refs/heads/main", New: one}, git.Update{Ref: "refs/tags/a/v1", New: tag})
	for _, name := range []string{"main", "a/v1"} {
		if text := remote.Git("cat-file", "-p", name); !strings.Contains(text, "BEGIN PGP SIGNATURE") {
			t.Errorf("%s is not signed:\n%s", name, text)
		}
	}
	wantEqual(t, []string{"refs/heads/main", "refs/tags/a/v1"}, slices.Sorted(slices.Values(remote.Names())))
}
