// SPDX-License-Identifier: Apache-2.0

package git_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/git/gittest"
)

// trap returns a shell command that leaves a file behind, and a check that no command did.
func trap(t *testing.T) (command string, check func(what string)) {
	t.Helper()
	dir := t.TempDir()
	return "touch " + dir + "/ran; false", func(what string) {
		t.Helper()
		if _, err := os.Stat(filepath.Join(dir, "ran")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s ran a program: %v", what, err)
		}
	}
}

func write(t *testing.T, file, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// TestCacheRunsNothing has somebody write to a clone of the cache what git would act on: configuration that names
// programs, hooks, and what leads to another repository. None of it counts, and the clone goes on working.
func TestCacheRunsNothing(t *testing.T) {
	t.Parallel()
	remote := gittest.NewRemote(t, "remote")
	remote.Clone().Push("Begin", map[string]string{"a": "a"}, "HEAD:refs/heads/main")
	cache := t.TempDir()
	opened := func() *git.Repository {
		r, err := git.Open(t.Context(), cache, remote.Address())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if err := opened().Close(); err != nil {
		t.Fatal(err)
	}
	clones, err := filepath.Glob(filepath.Join(cache, "*"))
	if err != nil || len(clones) != 1 {
		t.Fatal(clones, err)
	}
	clone := clones[0]
	config, err := os.ReadFile(filepath.Join(clone, "config"))
	if err != nil {
		t.Fatal(err)
	}
	command, check := trap(t)
	write(t, filepath.Join(clone, "config"), fmt.Sprintf("[core]\n\tbare = false\n\tworktree = /\n\tfsmonitor = %q\n\t"+
		"hooksPath = %s\n\talternateRefsCommand = %q\n\tsshCommand = %q\n\taskPass = %q\n[credential]\n\thelper = %q\n"+
		"[gpg]\n\tprogram = %[4]q\n[commit]\n\tgpgSign = true\n[url \"ext::sh -c %% %[4]s\"]\n\tinsteadOf = file://\n"+
		"[protocol \"ext\"]\n\tallow = always\n[remote \"x\"]\n\tpromisor = true\n\turl = x\n\tuploadpack = %[4]q\n"+
		"[include]\n\tpath = /nowhere\n", command, filepath.Join(clone, "hooks"), command, command, command, "!"+command), 0o600)
	for _, hook := range []string{"reference-transaction", "pre-push", "pre-auto-gc", "post-update"} {
		write(t, filepath.Join(clone, "hooks", hook), "#!/bin/sh\n"+command+"\n", 0o700)
	}
	write(t, filepath.Join(clone, "objects/info/alternates"), "/nowhere\n", 0o600)
	write(t, filepath.Join(clone, "commondir"), "/nowhere\n", 0o600)
	remote.Clone().Push("Go on", map[string]string{"a": "b"}, "HEAD:refs/heads/other")

	r := opened()
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	main := fetch(t, r)["refs/heads/main"]
	said := push(t, r, false, git.Update{Ref: "refs/heads/new", New: commit(t, r, main.Commit, "d/x", "x")})
	wantEqual(t, []string{"heads/new pushed"}, said)
	check("a clone of the cache")
	now, err := os.ReadFile(filepath.Join(clone, "config"))
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, string(config), string(now))
}

// TestFind looks for the repository of a directory: it is found upwards, and files of a bare repository in between are
// an error. Nothing that they name runs.
func TestFind(t *testing.T) {
	t.Parallel()
	remote := gittest.NewRemote(t, "remote")
	people := remote.Clone()
	people.Push("Begin", map[string]string{"fleet/sub/a.yaml": "a: 1\n", "fleet/b.yaml": "b: 1\n"}, "HEAD:refs/heads/main")
	root, err := filepath.EvalSymlinks(people.Dir)
	if err != nil {
		t.Fatal(err)
	}
	find := func(dir string) *git.Checkout {
		t.Helper()
		c, err := git.Find(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if c := find(t.TempDir()); c != nil {
		t.Errorf("a directory in no repository is in %s", c.Root)
	}
	c := find(filepath.Join(people.Dir, "fleet", "sub"))
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}()
	wantEqual(t, []string{root, "fleet/sub"}, []string{c.Root, c.Path})
	head, err := c.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	address, err := c.Remote(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, []string{strings.TrimSpace(people.Git("rev-parse", "HEAD")), remote.Address()}, []string{string(head), address})

	command, check := trap(t)
	fleet := filepath.Join(people.Dir, "fleet")
	people.Git("clone", "-q", "--bare", remote.Address(), filepath.Join(t.TempDir(), "evil"))
	write(t, filepath.Join(fleet, "HEAD"), "ref: refs/heads/main\n", 0o600)
	write(t, filepath.Join(fleet, "refs/heads/x"), "", 0o600)
	write(t, filepath.Join(fleet, "objects/x"), "", 0o600)
	write(t, filepath.Join(fleet, "config"), fmt.Sprintf("[core]\n\tbare = false\n\tworktree = ..\n\tfsmonitor = %q\n[remote "+
		"\"origin\"]\n\turl = %s\n\tuploadpack = %q\n", command, remote.Dir, command), 0o600)
	_, err = git.Find(t.Context(), filepath.Join(fleet, "sub"))
	if err == nil || !strings.Contains(err.Error(), "safe.bareRepository") || !strings.HasSuffix(err.Error(), "remove these files)") {
		t.Errorf("the error is %v", err)
	}
	check("looking for a repository")
}

// TestFS reads the files of a tree as a file system.
func TestFS(t *testing.T) {
	t.Parallel()
	remote := gittest.NewRemote(t, "remote")
	people := remote.Clone()
	if err := os.Symlink("a.yaml", filepath.Join(people.Dir, "link.yaml")); err != nil {
		t.Fatal(err)
	}
	people.Push("Begin", map[string]string{"a.yaml": "a: 1\n", "d/e/b.yaml": "b: 22\n"}, "HEAD:refs/heads/main")
	r := open(t, remote.Address())
	root, err := r.At(fetch(t, r)["refs/heads/main"].Commit, "")
	if err != nil {
		t.Fatal(err)
	}
	files := r.FS(root)
	var all []string
	err = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		all = append(all, fmt.Sprintf("%s %v %d", name, info.Mode().Type(), info.Size()))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, []string{". d--------- 0", "a.yaml ---------- 5", "d d--------- 0", "d/e d--------- 0",
		"d/e/b.yaml ---------- 6", "link.yaml L--------- 0"}, all)
	text, err := fs.ReadFile(files, "d/e/b.yaml")
	wantEqual(t, "b: 22\n", string(text))
	if err != nil {
		t.Error(err)
	}
	for name, want := range map[string]error{"d/none": fs.ErrNotExist, "none/x": fs.ErrNotExist, "../x": fs.ErrInvalid} {
		if _, err := fs.Stat(files, name); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := fs.ReadFile(files, "link.yaml"); err == nil {
		t.Error("a link can be read")
	}
	to, err := fs.ReadLink(files, "link.yaml")
	if _, none := fs.ReadLink(files, "a.yaml"); to != "a.yaml" || err != nil || !errors.Is(none, fs.ErrInvalid) {
		t.Error(to, err, none)
	}
}

// TestTransports has a manifest name transports that nobody has configured.
func TestTransports(t *testing.T) {
	t.Parallel()
	gittest.Configure(t)
	command, check := trap(t)
	for _, address := range []string{"ext::sh -c '" + command + "'", "zzz::hello", "zzz://hello"} {
		_, err := git.Open(t.Context(), t.TempDir(), address)
		if err == nil || !strings.Contains(err.Error(), "not allowed") {
			t.Errorf("%s: %v", address, err)
		}
	}
	check("a transport")
}

// TestRedirect has a server lead to another one, which is not followed.
func TestRedirect(t *testing.T) {
	t.Parallel()
	gittest.Configure(t)
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer other.Close()
	server := httptest.NewServer(http.RedirectHandler(other.URL+"/x.git/info/refs?service=git-upload-pack", http.StatusFound))
	defer server.Close()
	_, err := git.Open(t.Context(), t.TempDir(), server.URL+"/x")
	if err == nil || !strings.HasSuffix(err.Error(), "(the server leads to another address, which is not followed: name that "+
		"one, often the same with .git at its end)") || reached {
		t.Error(err, reached)
	}
}

// TestCommand starts git without what a git that runs us says of its own repository, and with the user's configuration.
func TestCommand(t *testing.T) {
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE",
		"GIT_ICASE_PATHSPECS"} {
		t.Setenv(name, "/nowhere")
	}
	t.Setenv("GIT_CONFIG_PARAMETERS", "'core.fsmonitor'='evil' 'user.name'='Ada'")
	for name, want := range map[string]string{"core.fsmonitor": "false", "user.name": "Ada", "core.hooksPath": os.DevNull} {
		out, err := git.Process{Dir: t.TempDir()}.Command(t.Context(), "config", "--get", name).Output()
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%s: %q, %v", name, out, err)
		}
	}
	cmd := git.Process{Repository: "here"}.Command(t.Context(), "version")
	if i := slices.IndexFunc(cmd.Env, func(v string) bool { return strings.HasPrefix(v, "GIT_DIR=") }); i < 0 ||
		cmd.Env[i] != "GIT_DIR=here" || slices.ContainsFunc(cmd.Env, func(v string) bool { return strings.HasSuffix(v, "=/nowhere") }) {
		t.Error(cmd.Env)
	}
}

// TestRewrites finds the address that git contacts by the user's configuration.
func TestRewrites(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config")
	write(t, config, "[url \"https://u:p@mirror/\"]\n\tinsteadOf = https://x/\n[url \"ssh://git@x/acme/\"]\n\tinsteadOf = "+
		"https://x/acme/\n\tinsteadOf = acme:\n", 0o600)
	t.Setenv("GIT_CONFIG_GLOBAL", config)
	rewrites, err := git.ReadRewrites(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{"https://x/a": "https://u:p@mirror/a", "acme:a": "ssh://git@x/acme/a",
		"https://x/acme/a": "ssh://git@x/acme/a", "https://y/a": "https://y/a"} {
		if got := rewrites.Apply(address); got != want {
			t.Errorf("%s: %s", address, got)
		}
	}
}
