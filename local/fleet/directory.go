// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git"
)

// directory is where the manifests of a fleet are.
type directory struct {
	dir string
	// remote is the git repository that has them; "" if they are in none. Path is their directory in it.
	remote, path string
	// head is the commit that is checked out, commit the last one before it that changed the directory; "" for none.
	head, commit string
}

// locate finds out in which git repository a directory is.
func locate(ctx context.Context, dir string) (*directory, error) {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	d := &directory{dir: whole, path: filepath.Base(whole)}
	top, err := d.git(ctx, "rev-parse", "--show-toplevel", "--show-prefix")
	if err != nil { // it is in none
		return d, nil
	}
	_, prefix, _ := strings.Cut(top, "\n")
	d.path = strings.Trim(prefix, "/\n")
	if d.head, err = d.git(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err == nil {
		err = d.last(ctx)
	} else {
		d.head, err = "", nil
	}
	if err != nil {
		return nil, err
	}
	remote := "origin"
	if branch, err := d.git(ctx, "symbolic-ref", "--quiet", "--short", "HEAD"); err == nil {
		if named, err := d.git(ctx, "config", "--get", "branch."+branch+".remote"); err == nil && named != "." {
			remote = named
		}
	}
	if address, err := d.git(ctx, "remote", "get-url", remote); err == nil {
		d.remote = address
	}
	return d, nil
}

// id names the fleet: its git repository without who asks, and its path there.
func (d *directory) id(state string) string {
	address := d.remote
	if address == "" {
		address = state
	}
	return strings.TrimSpace(revision.Address(address) + " " + d.path)
}

// standing says how a directory is related to what was synced last.
type standing struct {
	// late says which later commit was synced already; "" if none was.
	late string
	// aside says why the directory is no successor of what was synced; "" if it is one.
	aside string
}

// stand compares the directory with the commit that was synced last; "" for none.
func (d *directory) stand(ctx context.Context, last string) (standing, error) {
	if d.commit == "" {
		return standing{aside: d.dir + " is in no commit of a git repository"}, nil
	}
	changed, err := d.git(ctx, "status", "--porcelain", "--untracked-files=all", "--", ".")
	if err != nil {
		return standing{}, err
	}
	if related := d.merged(ctx, last); related != (standing{}) {
		return related, nil
	}
	if changed != "" {
		return standing{aside: "some files of " + d.dir + " are in no commit"}, nil
	}
	return standing{}, nil
}

// merged compares the directory, as it is when what is in it is merged, with the commit that was synced last; "" for
// none.
func (d *directory) merged(ctx context.Context, last string) standing {
	switch {
	case d.commit == "" || last == "" || last == d.commit:
		return standing{}
	case d.before(ctx, d.head, last):
		return standing{late: fmt.Sprintf("%.10s was synced already, and it is later than %.10s, which is checked out", last,
			d.head)}
	case d.before(ctx, last, d.head):
		return standing{}
	}
	return standing{aside: fmt.Sprintf("the commit %.10s does not follow %.10s, which was synced last", d.head, last)}
}

// unmerged says why the commit of the directory does not count yet: it is not on the default branch of its remote. It
// returns "" if it is, or if there is no such branch. The repository is the remote, as it was fetched.
func (d *directory) unmerged(ctx context.Context, remote *git.Repository) (string, error) {
	ref, err := remote.Default(ctx)
	if err != nil || ref == "" {
		return "", err
	}
	commit := git.Hash(d.commit)
	_, err = remote.Commit(commit)
	if err == nil {
		var common git.Hash
		if common, err = remote.MergeBase(ctx, commit, git.Hash(ref)); err == nil && common == commit {
			return "", nil
		}
	}
	if err != nil && !errors.Is(err, git.ErrMissing) {
		return "", err
	}
	return fmt.Sprintf("the commit %.10s is not on %s, the default branch of %s", d.commit,
		strings.TrimPrefix(ref, "refs/heads/"), remote.Address()), nil
}

// last finds the last commit that changed the directory. A clone that lacks a part of the history gets it.
func (d *directory) last(ctx context.Context) error {
	shallow, err := d.git(ctx, "rev-parse", "--is-shallow-repository")
	if err == nil && shallow == "true" {
		if _, err := d.git(ctx, "fetch", "--quiet", "--unshallow"); err != nil {
			return fmt.Errorf("%s is in a shallow clone, and the rest of its history cannot be fetched: %w", d.dir, err)
		}
	}
	if err == nil {
		d.commit, err = d.git(ctx, "rev-list", "-1", "HEAD", "--", ".")
	}
	return err
}

// before reports whether a commit is in the history of another: not if one of them is not known here.
func (d *directory) before(ctx context.Context, a, b string) bool {
	_, err := d.git(ctx, "merge-base", "--is-ancestor", a, b)
	return err == nil
}

// git runs git in the directory.
func (d *directory) git(ctx context.Context, args ...string) (string, error) {
	return git.In(ctx, d.dir, args...)
}
