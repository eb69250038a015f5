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
}

// locate finds out in which git repository a directory is.
func locate(ctx context.Context, dir string) (*directory, error) {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	d := &directory{dir: whole, path: filepath.Base(whole)}
	if d.checkout, err = git.Find(ctx, whole); err != nil || d.checkout == nil {
		return d, err
	}
	d.path = d.checkout.Path
	if d.head, err = d.checkout.Head(ctx); err == nil {
		d.remote, err = d.checkout.Remote(ctx)
	}
	if err == nil && d.head != "" {
		d.commit, err = d.checkout.Last(ctx, d.head, d.path)
	}
	return d, err
}

// errShallow says that the history of a checkout is cut off, and that the remote does not have its commit.
var errShallow = errors.New("the clone is shallow, and no branch or tag of its remote has the commit that is checked " +
	"out: check out the whole history (fetch-depth: 0)")

// history returns a repository that has the history of what is checked out: the checkout, or, where that lacks a part
// of it, the remote, as it was fetched. From there comes the last commit that changed the directory, too.
func (d *directory) history(ctx context.Context, origin func(context.Context) (*git.Repository, error)) (
	*git.Repository, error) {
	shallow, err := d.checkout.IsShallow(ctx)
	if err != nil || !shallow {
		return d.checkout.Repository, err
	}
	remote, err := origin(ctx)
	if err != nil || remote == nil {
		return nil, errors.Join(err, errShallow)
	}
	if _, err := remote.Commit(d.head); errors.Is(err, git.ErrMissing) {
		return nil, errShallow
	}
	d.commit, err = remote.Last(ctx, d.head, d.path)
	return remote, err
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

// standing says how a directory is related to what was synced last.
type standing struct {
	// late says which later commit was synced already; "" if none was.
	late string
	// aside says why the directory is no successor of what was synced; "" if it is one.
	aside string
}

// stand compares the directory with the commit that was synced last; "" for none.
func (d *directory) stand(ctx context.Context, history *git.Repository, last git.Hash) (standing, error) {
	if d.commit == "" {
		return standing{aside: d.dir + " is in no commit of a git repository"}, nil
	}
	if related := d.merged(ctx, history, last); related != (standing{}) {
		return related, nil
	}
	committed, err := d.committed()
	if err != nil {
		return standing{}, err
	}
	changed, err := manifests.Changed(os.DirFS(d.dir), committed)
	if err == nil && len(changed) > 0 {
		return standing{aside: "some files of " + d.dir + " are in no commit"}, nil
	}
	return standing{}, err
}

// committed returns the files of the directory in the commit that is checked out.
func (d *directory) committed() (fs.FS, error) {
	tree, err := d.checkout.At(d.head, d.path)
	return d.checkout.FS(tree), err
}

// merged compares the directory, as it is when what is in it is merged, with the commit that was synced last; "" for
// none. The history has both commits if they are related.
func (d *directory) merged(ctx context.Context, history *git.Repository, last git.Hash) standing {
	switch {
	case d.commit == "" || last == "" || last == d.commit:
		return standing{}
	case before(ctx, history, d.head, last):
		return standing{late: fmt.Sprintf("%.10s was synced already, and it is later than %.10s, which is checked out", last,
			d.head)}
	case before(ctx, history, last, d.head):
		return standing{}
	}
	return standing{aside: fmt.Sprintf("the commit %.10s does not follow %.10s, which was synced last", d.head, last)}
}

// before reports whether a commit is in the history of another: not if one of them is not known.
func before(ctx context.Context, in *git.Repository, a, b git.Hash) bool {
	common, err := in.MergeBase(ctx, a, b)
	return err == nil && common == a
}
