// SPDX-License-Identifier: Apache-2.0

package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// Checkout is the git repository in which a person or a job works on a directory. Its objects and refs are read, and
// nothing else: no command looks at the files that are checked out, which may be a stranger's.
type Checkout struct {
	*Repository
	// Root is the directory that is checked out as a whole, Path the one that was asked for below it; "" for Root itself.
	Root, Path string
}

// Find returns the repository that has a directory checked out; nil if none has. It is looked for upwards from there,
// as git does. What git refuses to read is an error: a repository of another owner, and files of a bare repository
// among those that are checked out.
func Find(ctx context.Context, dir string) (*Checkout, error) {
	out, err := Process{Dir: dir}.output(ctx, nil, "rev-parse", "--absolute-git-dir", "--show-toplevel",
		"--show-object-format", "--show-prefix")
	if said, ok := errors.AsType[*Error](err); ok {
		said.At = dir
		switch {
		case strings.Contains(said.Words, "not a git repository"):
			return nil, nil
		case strings.Contains(said.Words, "safe.bareRepository"):
			said.Words += " (files such as HEAD, objects and refs make a bare git repository of the directory, which is not " +
				"read: name a directory of a clone of it, or remove these files)"
		}
	}
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(out), "\n")
	if len(lines) < 4 {
		return nil, fmt.Errorf("git rev-parse in %s answers %q", dir, out)
	}
	r := newRepository(lines[0])
	r.address, r.own, r.checkedOut, r.sha256 = dir, true, true, lines[2] == "sha256"
	return &Checkout{Repository: r, Root: lines[1], Path: strings.Trim(lines[3], "/")}, nil
}

// Head returns the commit that is checked out; "" if there is none yet.
func (c *Checkout) Head(ctx context.Context) (Hash, error) {
	line, err := c.line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	return Hash(line), err
}

// line runs a command that prints a line, or says by its exit code that there is none to print: then it is "".
func (r *Repository) line(ctx context.Context, args ...string) (string, error) {
	out, err := r.run(ctx, nil, args...)
	if hasExited(err, 1) {
		return "", nil
	}
	return strings.TrimSpace(string(out)), err
}

// hasExited reports whether an error is that of a git which has ended with an exit code.
func hasExited(err error, code int) bool {
	exit, ok := errors.AsType[*exec.ExitError](err)
	return ok && exit.ExitCode() == code
}

// IsShallow reports whether a part of the history is not there.
func (c *Checkout) IsShallow(ctx context.Context) (bool, error) {
	line, err := c.line(ctx, "rev-parse", "--is-shallow-repository")
	return line == "true", err
}

// Remote returns the address of the remote that the branch which is checked out follows, or else of origin; "" if there
// is none.
func (c *Checkout) Remote(ctx context.Context) (string, error) {
	remote, _, err := c.follows(ctx)
	if err != nil {
		return "", err
	}
	address, err := c.line(ctx, "remote", "get-url", remote)
	if hasExited(err, 2) { // there is no such remote
		return "", nil
	}
	return address, err
}

// follows returns the name of that remote, and the branch that is checked out; "" for none.
func (c *Checkout) follows(ctx context.Context) (remote, branch string, err error) {
	remote = "origin"
	branch, err = c.line(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	if err == nil && branch != "" {
		var named string
		if named, err = c.line(ctx, "config", "--get", "branch."+branch+".remote"); named != "" && named != "." {
			remote = named
		}
	}
	return remote, branch, err
}

// Branches returns the name of the remote, its default branch as the clone knows it, or else the one that is checked
// out, and that one; "" for none.
func (c *Checkout) Branches(ctx context.Context) (remote, main, branch string, err error) {
	remote, branch, err = c.follows(ctx)
	if err == nil {
		main, err = c.line(ctx, "symbolic-ref", "--quiet", "--short", "refs/remotes/"+remote+"/HEAD")
	}
	return remote, cmp.Or(strings.TrimPrefix(main, remote+"/"), branch), branch, err
}

// Tags returns the names of all tags.
func (c *Checkout) Tags(ctx context.Context) (names []string, err error) {
	out, err := c.line(ctx, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/tags/")
	return strings.Fields(out), err
}

// Last returns the last commit, from one on, that changed what is at a path; "" if none has. History that is not there
// counts as unchanged.
func (r *Repository) Last(ctx context.Context, from Hash, path string) (Hash, error) {
	args := []string{"--literal-pathspecs", "rev-list", "-1", string(from)}
	if path != "" {
		args = append(args, "--", path)
	}
	line, err := r.line(ctx, args...)
	return Hash(line), err
}
