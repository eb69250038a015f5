// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/home"
	"github.com/package-variants/package-variants/local/manifests"
	"github.com/package-variants/package-variants/local/programs"
)

// Options say which fleet it is, and how it is synced.
type Options struct {
	// Dir is the directory with the manifests.
	Dir string
	// State is the address of the git repository that remembers; "" for the remote of the one that has Dir.
	State string
	// Cache is the directory for clones.
	Cache string
	// Removals is how many variants may be removed at once; 0 for MaxRemovals.
	Removals int
	// Render has kpt run the pipelines of packages.
	Render bool
	// Allow are addresses that may be contacted, with all below them, though no manifest on the default branch names them.
	Allow []string
	// Branch is the branch of the remote from which the fleet is synced; "" for the default branch.
	Branch string
	// Reviews says which drafts are shown by one branch; nil if each is for itself.
	Reviews *ReviewBy
	// PullRequests are kept on the forge of the fleet; nil for none.
	PullRequests *PullRequests
	// Now is the clock; nil for the time of day.
	Now func() time.Time
}

// mostRemovals is how many variants may be removed at once.
func (o *Options) mostRemovals() int { return cmp.Or(o.Removals, MaxRemovals) }

// Fleet is a directory of manifests with what was recorded of it, and the home of its packages.
type Fleet struct {
	where *directory
	// called is what people call the directory.
	called   string
	branch   *branch
	home     *home.Home
	contacts *contacts
	// remote is what origin returns, unless that is the branch's.
	remote *git.Repository
	cache  string
	// id names the fleet.
	id string
	// manifests are what was read, addresses those of its Repositories.
	manifests *manifests.Manifests
	addresses []string
	store     *store
	source    objects.Source
	// kpt runs pipelines; nil if nothing does.
	kpt *programs.Kpt
	// was is what was recorded last.
	was *State
	// lost are the recorded variants that the manifests do not ask for any more.
	lost []*v1alpha1.PackageVariant
}

// Open reads the manifests of a fleet, as the files of its directory are, and what was recorded of it. Its packages are
// as of the next Fetch.
func Open(ctx context.Context, o Options) (*Fleet, error) {
	f, err := find(ctx, &o)
	if err == nil {
		err = f.read(&o, os.DirFS(o.Dir))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// find returns a fleet without its manifests: where it is, what was recorded of it, and what it may contact.
func find(ctx context.Context, o *Options) (f *Fleet, err error) {
	f = &Fleet{called: o.Dir}
	if err := git.Check(ctx); err != nil {
		return f, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Render {
		if f.kpt, err = programs.FindKpt(); err != nil {
			return f, err
		}
	}
	f.cache = filepath.Join(o.Cache, "fleets")
	if f.where, err = locate(ctx, o.Dir); err != nil {
		return f, err
	}
	address := cmp.Or(o.State, f.where.remote)
	if address == "" {
		return f, fmt.Errorf("%s is in no git repository with a remote, in which to remember what was done: name one "+
			"by --state", o.Dir)
	}
	f.id = f.where.id(address)
	if f.branch, err = openBranch(ctx, f.cache, address, f.id, f.where.path); err != nil {
		return f, err
	}
	f.branch.git.CommitAs(f.where.identity)
	if f.was, err = f.branch.load(ctx); err == nil {
		err = f.alone()
	}
	if err != nil {
		return f, err
	}
	return f, f.mayContact(ctx, o, address)
}

// alone checks that no other fleet has manifests of this one: each would publish and remove the other's packages.
func (f *Fleet) alone() error {
	fromHere := func(other string) string {
		relative, err := filepath.Rel(filepath.FromSlash(f.where.path), filepath.FromSlash(other))
		if err != nil {
			return other
		}
		return filepath.Join(f.called, relative)
	}
	other, err := f.branch.overlapping(func(other string) bool {
		at, err := os.Stat(fromHere(other))
		return err == nil && at.IsDir()
	})
	if err != nil || other == "" {
		return err
	}
	return fmt.Errorf("%s is a fleet of its own, which has manifests of %s: name %[1]s instead, as the argument or by "+
		"--dir; if that is not to be a fleet, remove %[3]s from the branch package-variants of %[4]s, which forgets what "+
		"was recorded of it", fromHere(other), f.called, path.Join(other, stateDir), f.branch.address)
}

// read reads the manifests among some files.
func (f *Fleet) read(o *Options, files fs.FS) error {
	m, err := manifests.Read(files, o.Dir)
	if err != nil {
		return err
	}
	f.manifests, f.addresses = m, addressesOf(m)
	f.store, f.lost = newStore(f.id, o, m, f.was)
	f.source = m.Source()
	f.home = home.New(home.Options{Cache: filepath.Join(o.Cache, "packages"), Fleet: f.id, Ledger: f.was.Packages,
		Seen: f.was.Seen, Same: f.was.Same, Repositories: m.Repositories, Contact: f.contacts.check,
		Identity: f.where.identity})
	f.younger(m.Repositories)
	return nil
}

// mayContact decides what may be contacted. The address is that of the state.
func (f *Fleet) mayContact(ctx context.Context, o *Options, address string) (err error) {
	f.contacts, err = newContacts(ctx, o, []string{f.where.remote, address}, f.was.Addresses)
	if err == nil {
		f.contacts.merged = func() ([]string, error) { return f.mergedAddresses(ctx, o.Branch) }
	}
	if err == nil && f.where.checkout != nil {
		root := strings.TrimSuffix(f.where.dir, filepath.FromSlash("/"+f.where.path))
		f.contacts.inside = []string{f.where.checkout.Root, root}
	}
	return err
}

// origin returns the remote of the directory, as it was fetched; nil if it has none.
func (f *Fleet) origin(ctx context.Context) (_ *git.Repository, err error) {
	switch {
	case f.where.remote == "":
		return nil, nil
	case f.where.remote == f.branch.address:
		return f.branch.git, nil
	case f.remote != nil:
		return f.remote, nil
	}
	if f.remote, err = git.OpenOwn(ctx, f.cache, f.where.remote); err != nil {
		return nil, err
	}
	_, err = f.remote.Fetch(ctx)
	return f.remote, err
}

// Close ends what reads the clones.
func (f *Fleet) Close() error {
	var errs []error
	if f.home != nil {
		errs = append(errs, f.home.Close())
	}
	if f.branch != nil {
		errs = append(errs, f.branch.git.Close())
	}
	if f.remote != nil {
		errs = append(errs, f.remote.Close())
	}
	errs = append(errs, f.where.close())
	return errors.Join(errs...)
}
