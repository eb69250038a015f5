// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
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
	// Aside has a commit that does not follow the one that was synced last count, and files that are in no commit.
	Aside bool
	// Now is the clock; nil for the time of day.
	Now func() time.Time
}

// mostRemovals is how many variants may be removed at once.
func (o *Options) mostRemovals() int { return cmp.Or(o.Removals, MaxRemovals) }

// Fleet is a directory of manifests with what was recorded of it, and the home of its packages.
type Fleet struct {
	where    *directory
	branch   *branch
	home     *home.Home
	contacts *contacts
	// remote is what origin returns, unless that is the branch's.
	remote *git.Repository
	cache  string
	// addresses are those of the manifests.
	addresses []string
	store     *store
	source    *objects.Static
	// kpt runs pipelines; nil if nothing does.
	kpt *programs.Kpt
	// was is what was recorded last.
	was *State
	// lost are the recorded variants that the manifests do not ask for any more.
	lost []*v1alpha1.PackageVariant
}

// Open reads the manifests of a fleet and what was recorded of it. Its packages are as of the next Fetch.
func Open(ctx context.Context, o Options) (_ *Fleet, err error) {
	if err := git.Check(ctx); err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	f := &Fleet{}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	if o.Render {
		if f.kpt, err = programs.FindKpt(); err != nil {
			return nil, err
		}
	}
	m, err := manifests.Read(os.DirFS(o.Dir), o.Dir)
	if err != nil {
		return nil, err
	}
	f.cache = filepath.Join(o.Cache, "fleets")
	if f.where, err = locate(ctx, o.Dir); err != nil {
		return nil, err
	}
	address := o.State
	if address == "" {
		address = f.where.remote
	}
	if address == "" {
		return nil, fmt.Errorf("%s is in no git repository with a remote, in which to remember what was done: name one "+
			"by --state", o.Dir)
	}
	id := f.where.id(address)
	if f.branch, err = openBranch(ctx, f.cache, address, id, f.where.path); err != nil {
		return nil, err
	}
	if f.was, err = f.branch.load(ctx); err != nil {
		return nil, err
	}
	if err := f.mayContact(ctx, &o, address); err != nil {
		return nil, err
	}
	f.addresses = addressesOf(m)
	f.store, f.lost = newStore(id, &o, m, f.was)
	f.source = m.Source()
	f.home = home.New(home.Options{Cache: filepath.Join(o.Cache, "packages"), Fleet: id, Ledger: f.was.Packages,
		Seen: f.was.Seen, Same: f.was.Same, Repositories: m.Repositories, Contact: f.contacts.check})
	f.younger(m.Repositories)
	return f, nil
}

// mayContact decides what may be contacted. The address is that of the state.
func (f *Fleet) mayContact(ctx context.Context, o *Options, address string) (err error) {
	f.contacts, err = newContacts(ctx, o, []string{f.where.remote, address}, f.was.Addresses)
	if err == nil {
		f.contacts.merged = func() ([]string, error) { return f.mergedAddresses(ctx) }
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
