// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/words"
	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/manifests"
)

// directory is where the manifests of a fleet are.
type directory struct {
	dir string
	// checkout is the git repository that has it; nil for none.
	checkout *git.Checkout
	// remote is the address of the repository from which that is a clone; "" for none. Path is the directory in it.
	remote, path string
	// head is the commit that is checked out, commit the last one before it that changed the directory; "" for none.
	head, commit git.Hash
	// identity is who commits there.
	identity git.Identity
}

// locate finds out in which git repository a directory is.
func locate(ctx context.Context, dir string) (*directory, error) {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if at, err := os.Stat(whole); err != nil || !at.IsDir() {
		return nil, fmt.Errorf("there is no directory %s", dir)
	}
	d := &directory{dir: whole, path: filepath.Base(whole)}
	if d.checkout, err = git.Find(ctx, whole); err != nil || d.checkout == nil {
		return d, err
	}
	d.path = d.checkout.Path
	if d.head, err = d.checkout.Head(ctx); err == nil {
		d.remote, err = d.checkout.Remote(ctx)
	}
	if err == nil {
		d.identity, err = d.checkout.Identity(ctx)
	}
	if err == nil && d.head != "" {
		d.commit, err = d.checkout.Last(ctx, d.head, d.path)
	}
	return d, err
}

// close ends what reads the checkout.
func (d *directory) close() error {
	if d == nil || d.checkout == nil {
		return nil
	}
	return d.checkout.Close()
}

// id names the fleet: its git repository without who asks, and its path there.
func (d *directory) id(state string) string {
	address := d.remote
	if address == "" {
		address = state
	}
	return strings.TrimSpace(revision.Canonical(address) + " " + d.path)
}

// errNoCommit says that a directory has nothing that could be synced.
type errNoCommit struct{ dir string }

// Error implements error.
func (e errNoCommit) Error() string {
	return fmt.Sprintf("%s has no manifests in a commit, which is what is synced: git -C %s add . && git -C %s commit "+
		"-m 'Add the fleet'", e.dir, e.dir, e.dir)
}

// committed returns the files of the directory in the commit that is checked out.
func (d *directory) committed() (fs.FS, error) {
	if d.commit == "" {
		return nil, errNoCommit{d.dir}
	}
	tree, err := d.checkout.At(d.head, d.path)
	if err == nil && tree == "" {
		err = errNoCommit{d.dir}
	}
	return d.checkout.FS(tree), err
}

// uncommitted says which files of the directory are not as in the commit, of which these are the files; "" if none is.
func (d *directory) uncommitted(files fs.FS) string {
	changed, err := manifests.Changed(os.DirFS(d.dir), files)
	switch {
	case err != nil:
		return fmt.Sprintf("the files of %s cannot be compared with the commit %.10s: %v", d.dir, d.head, err)
	case len(changed) == 0:
		return ""
	case len(changed) == 1:
		return fmt.Sprintf("%s is not as in the commit %.10s, which is what is synced", filepath.Join(d.dir, changed[0]),
			d.head)
	}
	return fmt.Sprintf("%d files of %s are not as in the commit %.10s, which is what is synced: %s", len(changed), d.dir,
		d.head, words.Some(changed, ", "))
}

// releasedFrom returns the ref of a remote from which a fleet is synced: the one of a branch, or of the default branch;
// "" if that is not there.
func releasedFrom(ctx context.Context, remote *git.Repository, branch string) (string, error) {
	if branch != "" {
		return "refs/heads/" + branch, nil
	}
	return remote.Default(ctx)
}

// outdated says why there is nothing to sync any more: a later commit was synced already; "" if none was. The error is
// why the commit of the manifests is not synced. It has to be on the branch from which the fleet is synced, and what
// was synced last there has to be in its history.
func (f *Fleet) outdated(ctx context.Context, branch string) (string, error) {
	d, last := f.where, f.was.Commit
	if d.commit == last {
		return "", nil
	}
	remote, err := f.origin(ctx)
	if err != nil {
		return "", err
	}
	if remote == nil {
		return d.late(ctx, d.checkout.Repository, last), nil
	}
	ref, err := releasedFrom(ctx, remote, branch)
	switch {
	case err != nil:
		return "", err
	case ref == "":
		return "", notSynced("%s has no default branch: name the one from which the fleet is synced by --branch",
			remote.Address())
	case !before(ctx, remote, d.commit, git.Hash(ref)):
		of := strings.TrimPrefix(ref, "refs/heads/")
		if branch == "" {
			of += ", the default branch"
		}
		return "", notSynced("the commit %.10s is not on %s of %s: push it, or have it merged", d.commit, of,
			remote.Address())
	}
	if d.commit, err = remote.Last(ctx, d.commit, d.path); err != nil { // a shallow clone does not show it
		return "", err
	}
	if late := d.late(ctx, remote, last); late != "" {
		return late, nil
	}
	if last != "" && before(ctx, remote, last, git.Hash(ref)) && !before(ctx, remote, last, d.commit) {
		if beside := d.beside(ctx, remote, last); beside != "" {
			return "", notSynced("%s", beside)
		}
	}
	return "", nil
}

// notSynced is the error of a commit that is not to be synced.
func notSynced(format string, args ...any) error {
	return fmt.Errorf("nothing was done: "+format, args...)
}

// late says which later commit was synced already; "" if none was.
func (d *directory) late(ctx context.Context, history *git.Repository, last git.Hash) string {
	if d.commit == "" || last == "" || last == d.commit || !before(ctx, history, d.commit, last) {
		return ""
	}
	return fmt.Sprintf("%.10s was synced already, and it is later than %.10s, which is checked out", last, d.commit)
}

// beside says that what is checked out is on another line than the commit that was synced last; "" if that is in its
// history.
func (d *directory) beside(ctx context.Context, history *git.Repository, last git.Hash) string {
	if last == "" || before(ctx, history, last, d.head) {
		return ""
	}
	return fmt.Sprintf("the commit %.10s does not follow %.10s, which was synced last", d.head, last)
}

// history returns a repository that has the history of what is checked out: the checkout or, where that lacks a part of
// it, the remote; nil if that does not have it, either.
func (f *Fleet) history(ctx context.Context) (*git.Repository, error) {
	d := f.where
	if d.commit == "" {
		return nil, nil
	}
	shallow, err := d.checkout.IsShallow(ctx)
	if err != nil || !shallow {
		return d.checkout.Repository, err
	}
	remote, err := f.origin(ctx)
	if err != nil || remote == nil {
		return nil, err
	}
	if _, err := remote.Commit(d.head); errors.Is(err, git.ErrMissing) {
		return nil, nil
	}
	d.commit, err = remote.Last(ctx, d.head, d.path)
	return remote, err
}

// before reports whether a commit is in the history of another: not if one of them is not known.
func before(ctx context.Context, in *git.Repository, a, b git.Hash) bool {
	common, err := in.MergeBase(ctx, a, b)
	return err == nil && common == a
}
