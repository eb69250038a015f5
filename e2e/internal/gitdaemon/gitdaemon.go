// SPDX-License-Identifier: Apache-2.0

// Package gitdaemon serves git repositories with git's own server. The server of Porch's tests, which the stack runs,
// crashes when several clients push to one repository at once.
package gitdaemon

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/package-variants/package-variants/e2e/internal/harness"
	"github.com/package-variants/package-variants/e2e/internal/process"
)

// Daemon is a running server of the git repositories in a directory.
type Daemon struct {
	t    harness.T
	dir  string
	port int
}

// Start starts a server without repositories on a free port of this machine, and stops it when the test ends. A failure
// here or in the methods ends the test.
func Start(t harness.T) *Daemon {
	t.Helper()
	d := &Daemon{t: t, dir: t.TempDir()}
	if err := process.FreePorts(&d.port); err != nil {
		t.Fatal(err)
	}
	running, err := process.Start(t.TempDir(), "git-daemon", "git", nil, "daemon", "--reuseaddr", "--export-all",
		"--enable=receive-pack", "--listen=127.0.0.1", "--port="+strconv.Itoa(d.port), "--base-path="+d.dir, d.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(running.Kill)
	err = running.Await(t.Context(), "it was listening", func(ctx context.Context) error {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", process.Local(d.port))
		if err != nil {
			return err
		}
		return conn.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Repository makes a repository with an empty first commit on its branch main, and returns its address.
func (d *Daemon) Repository(name string) string {
	d.t.Helper()
	dir := filepath.Join(d.dir, name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		d.t.Fatal(err)
	}
	d.git(dir, "init", "--quiet", "--bare", "--initial-branch=main")
	tree := d.git(dir, "mktree")
	commit := d.git(dir, "commit-tree", "-m", "begin", tree)
	d.git(dir, "update-ref", "refs/heads/main", commit)
	return fmt.Sprintf("git://%s/%s", process.Local(d.port), name)
}

// Refs returns the names of a repository's references that begin with a prefix, such as refs/heads/drafts/.
func (d *Daemon) Refs(name, prefix string) []string {
	d.t.Helper()
	return strings.Fields(d.git(filepath.Join(d.dir, name), "for-each-ref", "--format=%(refname)", prefix))
}

// git runs git in a directory, as somebody without a configuration, and returns what it prints.
func (d *Daemon) git(dir string, args ...string) string {
	d.t.Helper()
	cmd := exec.CommandContext(d.t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
		"GIT_AUTHOR_NAME=user", "GIT_AUTHOR_EMAIL=user@example.com",
		"GIT_COMMITTER_NAME=user", "GIT_COMMITTER_EMAIL=user@example.com")
	out, err := cmd.Output()
	if err != nil {
		d.t.Fatalf("git %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}
