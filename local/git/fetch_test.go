// SPDX-License-Identifier: Apache-2.0

package git_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/git/gittest"
)

// TestOddRefs fetches what no draft and no published revision can be, together with what is one: tags are peeled to the
// end, and what is no commit is told from that.
func TestOddRefs(t *testing.T) {
	t.Parallel()
	remote := gittest.NewRemote(t, "packages")
	people := remote.Clone()
	people.Push("Begin", map[string]string{"web/Kptfile": "kind: Kptfile\n"}, "HEAD:refs/heads/main")
	main := strings.TrimSpace(people.Git("rev-parse", "HEAD"))
	want := map[string]git.Ref{"refs/heads/main": {Hash: git.Hash(main), Commit: git.Hash(main)}}
	tag := func(name, of string, commit string) string {
		people.Git("tag", "-a", "-m", name, name, of)
		hash := strings.TrimSpace(people.Git("rev-parse", name))
		want["refs/tags/"+name] = git.Ref{Hash: git.Hash(hash), Commit: git.Hash(commit)}
		return hash
	}
	tag("nested/v3", tag("nested/v2", tag("nested/v1", main, main), main), main)
	tag("odd/v2", tag("odd/v1", main+":web/Kptfile", ""), "")
	for name, of := range map[string]string{"blob/v1": main + ":web/Kptfile", "tree/v1": main + "^{tree}", "light/v1": main} {
		people.Git("tag", name, of)
		hash := git.Hash(strings.TrimSpace(people.Git("rev-parse", name)))
		want["refs/tags/"+name] = git.Ref{Hash: hash}
	}
	want["refs/tags/light/v1"] = want["refs/heads/main"]
	people.Git("push", "-q", "--tags", "origin")
	people.Git("checkout", "-q", "--orphan", "alone")
	people.Push("Alone", nil, "HEAD:refs/heads/drafts/web/alone", "HEAD:refs/tags/web/v9999999999999999999", "HEAD:refs/heads/HEAD",
		"HEAD:refs/heads/refs/heads/main")
	alone := git.Hash(strings.TrimSpace(people.Git("rev-parse", "HEAD")))
	for _, name := range []string{"heads/drafts/web/alone", "tags/web/v9999999999999999999", "heads/HEAD", "heads/refs/heads/main"} {
		want["refs/"+name] = git.Ref{Hash: alone, Commit: alone}
	}
	r := open(t, remote.Address())
	wantEqual(t, want, fetch(t, r))
	wantEqual(t, want, fetch(t, r))
}

// TestSwapped has a branch become the directory of another one, and the other way round, between two fetches.
func TestSwapped(t *testing.T) {
	t.Parallel()
	remote := gittest.NewRemote(t, "packages")
	people := remote.Clone()
	people.Push("Begin", nil, "HEAD:refs/heads/drafts/web", "HEAD:refs/heads/drafts/edge/v1", "HEAD:refs/tags/web/v1")
	r := open(t, remote.Address())
	names := func() (all []string) {
		for name := range fetch(t, r) {
			all = append(all, strings.TrimPrefix(name, "refs/"))
		}
		slices.Sort(all)
		return all
	}
	wantEqual(t, []string{"heads/drafts/edge/v1", "heads/drafts/web", "tags/web/v1"}, names())
	people.Git("push", "-q", "origin", ":refs/heads/drafts/web", ":refs/heads/drafts/edge/v1", ":refs/tags/web/v1")
	people.Git("push", "-q", "origin", "HEAD:refs/heads/drafts/web/v1", "HEAD:refs/heads/drafts/edge", "HEAD:refs/tags/web")
	wantEqual(t, []string{"heads/drafts/edge", "heads/drafts/web/v1", "tags/web"}, names())
}

// TestNotStored has refs that the clone cannot store, because of their names, or because of what a killed git left there.
// They are fetched and pushed all the same.
func TestNotStored(t *testing.T) {
	t.Parallel()
	remote := gittest.NewRemote(t, "packages")
	people := remote.Clone()
	people.Push("Begin", nil, "HEAD:refs/heads/main")
	cache := filepath.Join(t.TempDir(), "cache")
	r := openIn(t, cache, remote.Address())
	fetch(t, r)
	clones, err := filepath.Glob(filepath.Join(cache, "*"))
	if err != nil || len(clones) != 1 {
		t.Fatal(clones, err)
	}
	write(t, filepath.Join(clones[0], "refs/heads/main.lock"), "", 0o600)
	people.Push("Go on", nil, "HEAD:refs/heads/main", "HEAD:refs/heads/other")
	people.Git("tag", "-a", "-m", "web v1", "web/v1")
	people.Git("push", "-q", "origin", "web/v1")
	remote.Git("pack-refs", "--all")
	packed, err := os.ReadFile(filepath.Join(remote.Dir, "packed-refs"))
	if err != nil {
		t.Fatal(err)
	}
	hash := strings.TrimSpace(people.Git("rev-parse", "HEAD"))
	long := "refs/heads/" + strings.Repeat("x", 253) // with .lock after it, no file can have this name
	at := git.Ref{Hash: git.Hash(hash), Commit: git.Hash(hash)}
	tag := git.Hash(strings.TrimSpace(people.Git("rev-parse", "web/v1")))
	write(t, filepath.Join(remote.Dir, "packed-refs"), strings.Replace(string(packed), string(tag), hash+" "+long+"\n"+string(tag), 1), 0o600)
	want := map[string]git.Ref{"refs/heads/main": at, "refs/heads/other": at, long: at, "refs/tags/web/v1": {Hash: tag, Commit: at.Hash}}
	wantEqual(t, want, fetch(t, r))
	next := commit(t, r, at.Commit, "a/file", "1")
	wantEqual(t, []string{"heads/main pushed", "heads/other pushed"}, push(t, r, false,
		git.Update{Ref: "refs/heads/main", Old: at.Hash, New: next}, git.Update{Ref: "refs/heads/other", Old: at.Hash, New: next}))
	want["refs/heads/main"] = git.Ref{Hash: next, Commit: next}
	want["refs/heads/other"] = want["refs/heads/main"]
	wantEqual(t, want, fetch(t, r))
}

// TestLooseRefs has a clone get more refs than it may have as files: they are packed when it is opened again.
func TestLooseRefs(t *testing.T) {
	t.Parallel()
	remote := gittest.NewRemote(t, "packages")
	people := remote.Clone()
	people.Push("Begin", nil, "HEAD:refs/heads/main")
	cache := filepath.Join(t.TempDir(), "cache")
	fetch(t, openIn(t, cache, remote.Address()))
	hash := strings.TrimSpace(people.Git("rev-parse", "HEAD"))
	var updates strings.Builder
	for i := range 1001 {
		fmt.Fprintf(&updates, "create refs/tags/web/v%d %s\n", i+1, hash)
	}
	remote.GitWith(updates.String(), "update-ref", "--stdin")
	wantEqual(t, 1002, len(fetch(t, openIn(t, cache, remote.Address()))))
	wantEqual(t, 1002, len(fetch(t, openIn(t, cache, remote.Address()))))
	left, err := filepath.Glob(filepath.Join(cache, "*", "refs", "tags", "web", "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%d refs are files (%v)", len(left), err)
	}
}
