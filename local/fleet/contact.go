// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git"
	"github.com/package-variants/package-variants/local/manifests"
)

// contacts decides which git repositories are contacted. The manifests of a pull request are a stranger's, and a job
// that plans it may have credentials: so an address in them counts only if it was synced before, if it stands in the
// manifests at the head of the default branch, or if the user allows it.
type contacts struct {
	rewrites git.Rewrites
	// known are the addresses that count, with all that is below those that the user allows.
	known, allowed []revision.Address
	// own are the addresses of the fleet's own repositories, inside the directory with the files that are checked out.
	own    []revision.Address
	inside []string
	// merged returns the addresses in the manifests at the head of the default branch. It is called if one is not known
	// otherwise.
	merged func() ([]string, error)
	// all says that the manifests are those of the default branch.
	all bool

	mu      sync.Mutex
	refused []string
}

// newContacts returns what may be contacted by what the user says, and by what was synced.
func newContacts(ctx context.Context, o *Options, own, synced []string) (*contacts, error) {
	c := &contacts{}
	var err error
	if c.rewrites, err = git.ReadRewrites(ctx); err != nil {
		return nil, err
	}
	if c.own, err = c.parse(own); err != nil {
		return nil, err
	}
	if c.allowed, err = c.parse(o.Allow); err != nil {
		return nil, fmt.Errorf("--allow: %w", err)
	}
	if c.known, err = c.parse(synced); err != nil {
		return nil, fmt.Errorf("what was recorded of the fleet: %w", err)
	}
	return c, nil
}

// parse returns addresses as git contacts them.
func (c *contacts) parse(all []string) (out []revision.Address, err error) {
	for _, address := range all {
		if address == "" {
			continue
		}
		a, err := revision.ParseAddress(c.rewrites.Apply(address))
		if err != nil {
			return nil, fmt.Errorf("%s %w", git.Shown(address), err)
		}
		out = append(out, a)
	}
	return out, nil
}

// check returns why the git repository of an address is not contacted; nil if it is.
func (c *contacts) check(address string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	written, err := revision.ParseAddress(address)
	if err != nil {
		return fmt.Errorf("%s %w", git.Shown(address), err)
	}
	if written.IsLocal() {
		if err := c.checkLocal(address); err != nil {
			return err
		}
	}
	if c.all {
		return nil
	}
	a, err := revision.ParseAddress(c.rewrites.Apply(address))
	if err != nil {
		return fmt.Errorf("%s %w", git.Shown(address), err)
	}
	is := func(other revision.Address) bool { return a.In(other) && other.In(a) }
	if slices.ContainsFunc(c.known, is) || slices.ContainsFunc(c.own, is) || slices.ContainsFunc(c.allowed, a.In) {
		return nil
	}
	if err := c.learn(); err != nil {
		return err
	}
	if slices.ContainsFunc(c.known, is) {
		return nil
	}
	shown := git.Shown(address)
	if !slices.Contains(c.refused, shown) {
		c.refused = append(c.refused, shown)
	}
	return &notContacted{shown}
}

// learn makes the addresses at the head of the default branch known, once.
func (c *contacts) learn() error {
	if c.merged == nil {
		return nil
	}
	found, err := c.merged()
	if err != nil {
		return err
	}
	c.merged = nil
	for _, address := range found { // one that cannot be taken apart is an error of its manifest
		if a, err := c.parse([]string{address}); err == nil {
			c.known = append(c.known, a...)
		}
	}
	return nil
}

// checkLocal returns why a path on this machine is no address: only where the fleet's own repository is at one, and it
// must not be among the files that are checked out.
func (c *contacts) checkLocal(address string) error {
	if !slices.ContainsFunc(c.own, revision.Address.IsLocal) {
		return fmt.Errorf("%s is a path on this machine, which a manifest may name only where the fleet's own git "+
			"repository is at one: name an address that others can read", git.Shown(address))
	}
	path, err := filepath.Abs(strings.TrimPrefix(address, "file://"))
	if err != nil {
		return err
	}
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil { // it is not there
		resolved = path
	}
	if c.isInside(path) || c.isInside(resolved) {
		return fmt.Errorf("%s is among the files of the fleet, which are never read as a git repository, and neither is "+
			"where a link among them leads: move it elsewhere", git.Shown(address))
	}
	return nil
}

// isInside reports whether a path is below the directory that is checked out, by either of the names of that.
func (c *contacts) isInside(path string) bool {
	return slices.ContainsFunc(c.inside, func(dir string) bool {
		return strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
	})
}

// NotContacted says which addresses were not contacted, because only a stranger names them.
func (f *Fleet) NotContacted() (all []string) {
	for _, address := range f.contacts.refused {
		all = append(all, (&notContacted{address}).Error())
	}
	return all
}

// notContacted is why a git repository is not read.
type notContacted struct{ address string }

// Error implements error.
func (e *notContacted) Error() string {
	return fmt.Sprintf("%s is not contacted before it is merged; --allow %s plans it", e.address, e.address)
}

func isNotContacted(err error) bool {
	_, is := errors.AsType[*notContacted](err)
	return is
}

// mergedAddresses returns the addresses in the manifests at the head of the branch from which the fleet is synced. What
// cannot be read there has none.
func (f *Fleet) mergedAddresses(ctx context.Context, branch string) ([]string, error) {
	remote, err := f.origin(ctx)
	if err != nil || remote == nil {
		return nil, err
	}
	ref, err := releasedFrom(ctx, remote, branch)
	if err != nil || ref == "" {
		return nil, err
	}
	tree, err := remote.At(git.Hash(ref), f.where.path)
	if err != nil || tree == "" {
		return nil, err
	}
	m, err := manifests.Read(remote.FS(tree), f.where.dir)
	if err != nil {
		return nil, nil //nolint:nilerr // the default branch says nothing that can be read
	}
	var all []string
	for _, r := range m.Repositories {
		all = append(all, r.Remote)
	}
	return all, nil
}

// addressesOf returns the addresses of the Repositories of manifests, without those that are relative to a file.
func addressesOf(m *manifests.Manifests) (all []string) {
	for _, r := range m.Repositories {
		if r.Remote == r.Address && r.Problem == nil {
			all = append(all, r.Address)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
