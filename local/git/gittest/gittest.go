// SPDX-License-Identifier: Apache-2.0

// Package gittest has git repositories for tests, and people who work in clones of them.
package gittest

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

var once sync.Once

// Configure is called by tests before anything else here: git has no configuration but what they set, and knows who
// makes commits.
func Configure(t testing.TB) {
	t.Helper()
	once.Do(func() {
		for name, value := range map[string]string{
			"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.DevNull,
			"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.com",
			"GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.com", "GIT_TEMPLATE_DIR": "",
		} {
			if err := os.Setenv(name, value); err != nil {
				t.Fatal(err)
			}
		}
		set(t, "gc.auto", "0") // no process that only tidies up: these repositories are short-lived
		set(t, "maintenance.auto", "false")
	})
}

var settings struct {
	sync.Mutex
	count int
}

// set adds a setting to the configuration of git.
func set(t testing.TB, name, value string) {
	t.Helper()
	settings.Lock()
	defer settings.Unlock()
	n := strconv.Itoa(settings.count)
	settings.count++
	for _, v := range [][2]string{{"KEY_" + n, name}, {"VALUE_" + n, value}, {"COUNT", strconv.Itoa(settings.count)}} {
		if err := os.Setenv("GIT_CONFIG_"+v[0], v[1]); err != nil {
			t.Fatal(err)
		}
	}
}

// Remote is a git repository that others push to.
type Remote struct {
	testing.TB
	Dir string
	// served is the script of Serve.
	served string
}

// NewRemote returns an empty one.
func NewRemote(t testing.TB, name string) *Remote {
	t.Helper()
	Configure(t)
	r := &Remote{TB: t, Dir: filepath.Join(t.TempDir(), name+".git")}
	run(t, "", "init", "-q", "--bare", "-b", "main", r.Dir)
	config, err := os.OpenFile(filepath.Join(r.Dir, "config"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = config.WriteString("[receive]\n\tautogc = false\n")
		err = errors.Join(err, config.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Address returns its address.
func (r *Remote) Address() string { return "file://" + r.Dir }

// Git runs git in it.
func (r *Remote) Git(args ...string) string {
	r.Helper()
	return run(r, r.Dir, args...)
}

// GitWith runs git in it, with a text to read.
func (r *Remote) GitWith(text string, args ...string) string {
	r.Helper()
	return runWith(r, r.Dir, text, args...)
}

// Hook installs a hook: a shell script.
func (r *Remote) Hook(name, script string) {
	r.Helper()
	file := filepath.Join(r.Dir, "hooks", name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		r.Fatal(err)
	}
	r.script(file, script)
}

func (r *Remote) script(file, script string) {
	r.Helper()
	//nolint:gosec // git runs it
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		r.Fatal(err)
	}
}

// Serve has whoever fetches by its address meet a shell script in place of git-upload-pack.
func (r *Remote) Serve(script string) {
	r.Helper()
	if r.served == "" {
		r.served = filepath.Join(r.TempDir(), "upload-pack")
		set(r, "remote."+r.Address()+".uploadpack", r.served)
	}
	r.script(r.served, script)
}

// Refs returns its refs with the hashes that they have.
func (r *Remote) Refs() map[string]string {
	r.Helper()
	refs := map[string]string{}
	for line := range strings.Lines(r.Git("for-each-ref", "--format=%(refname) %(objectname)")) {
		name, hash, _ := strings.Cut(strings.TrimSpace(line), " ")
		refs[name] = hash
	}
	return refs
}

// Names returns the names of its refs, sorted.
func (r *Remote) Names() []string {
	r.Helper()
	return slices.Sorted(maps.Keys(r.Refs()))
}

// Clone returns a clone in which a person works.
func (r *Remote) Clone() *Clone {
	r.Helper()
	c := &Clone{TB: r.TB, Dir: filepath.Join(r.TempDir(), "clone")}
	run(r, "", "clone", "-q", r.Address(), c.Dir)
	return c
}

// Clone is a clone with files.
type Clone struct {
	testing.TB
	Dir string
}

// Git runs git in it.
func (c *Clone) Git(args ...string) string {
	c.Helper()
	return run(c, c.Dir, args...)
}

// Update brings it to the state of the remote's main branch.
func (c *Clone) Update() {
	c.Helper()
	c.Git("fetch", "-q", "--prune", "--tags", "--force", "origin")
	c.Checkout("main")
}

// Checkout checks a branch of the remote out, if it is there.
func (c *Clone) Checkout(branch string) {
	c.Helper()
	if c.Git("for-each-ref", "refs/remotes/origin/"+branch) != "" {
		c.Git("checkout", "-q", "-f", "-B", "work", "origin/"+branch)
		c.Git("clean", "-q", "-d", "-f")
	}
}

// Files returns files below a directory.
func Files(dir string, files map[string]string) map[string]string {
	out := map[string]string{}
	for name, text := range files {
		out[dir+"/"+name] = text
	}
	return out
}

// Commit writes files, "" removing one, and commits that.
func (c *Clone) Commit(message string, files map[string]string) {
	c.Helper()
	for name, text := range files {
		file := filepath.Join(c.Dir, filepath.FromSlash(name))
		if text == "" {
			if err := os.Remove(file); err != nil {
				c.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			c.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			c.Fatal(err)
		}
	}
	c.Git("add", "-A")
	c.Git("commit", "-q", "--allow-empty", "-m", message)
}

// Push commits files, and pushes that to refs.
func (c *Clone) Push(message string, files map[string]string, refs ...string) {
	c.Helper()
	c.Commit(message, files)
	c.Git(append([]string{"push", "-q", "origin"}, refs...)...)
}

// Merge merges a branch of the remote, with a merge commit.
func (c *Clone) Merge(branch string) {
	c.Helper()
	c.Git("merge", "-q", "--no-ff", "-m", "Merge "+branch, "origin/"+branch)
}

func run(t testing.TB, dir string, args ...string) string {
	t.Helper()
	return runWith(t, dir, "", args...)
}

// runWith runs git with a text to read.
func runWith(t testing.TB, dir, text string, args ...string) string {
	t.Helper()
	//nolint:gosec // tests say what it does
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), &out, &said
	if err := cmd.Run(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, said.String())
	}
	return out.String()
}
