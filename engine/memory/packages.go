// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/lru"
)

// Options say how packages are kept.
type Options struct {
	// Git gives what is written git commits as versions, as Porch's cache in custom resources does. Without it, versions
	// are opaque and revisions are saved in parts, as in the cache in PostgreSQL.
	Git bool
	// HideCommits has commits that only the locks of packages tell, as Porch's database does. Without it, the lock of a
	// package has no commit if its upstream has none.
	HideCommits bool
	// Render is what the pipeline of a package makes of its files whenever they are saved; nil for nothing. An error is a
	// *packages.Error; see packages.RenderError.
	Render func(ctx context.Context, files map[string]string) (map[string]string, error)
	// Contents returns the files of a revision that was added without files; nil if there is none.
	Contents func(ctx context.Context, namespace, name string) (map[string]string, error)
	// Memo keeps what is found out about files; nil for one of its own.
	Memo *kpt.Memo
}

// Packages implements packages.Home and packages.Known over values. It makes drafts as kpt and Porch do.
type Packages struct {
	*packagesState
	around Around
}

var (
	_ packages.Lister = (*Packages)(nil)
	_ packages.Known  = (*Packages)(nil)
)

// Repositories returns a Repository; nil if there is none of that name.
type Repositories func(ctx context.Context, namespace, name string) (*objects.Repository, error)

// packagesState is what all clients of the same packages share.
type packagesState struct {
	Options
	log          *Log
	repositories Repositories
	// read has contents that were read, by the key of their revision.
	read *lru.Cache

	mu        sync.Mutex
	revisions *table[*entry]
	// originals are the files that revisions had before anything was written to them, as far as they are not read.
	originals map[key]map[string]string
}

// entry is a revision, with the files that were written to it; nil for those that it had before.
type entry struct {
	revision.Revision
	files map[string]string
}

// maxRead is how many contents that were read are kept: only upstreams are needed by many variants.
const maxRead = 100

// NewPackages returns Packages without any revision, whose writes are in a Log.
func NewPackages(log *Log, repositories Repositories, options Options) *Packages {
	if options.Memo == nil {
		options.Memo = kpt.NewMemo()
	}
	indexes := map[string]func(*entry) []string{}
	for by, values := range packages.Indexes {
		indexes[string(by)] = func(e *entry) []string { return values(&e.Revision) }
	}
	return &Packages{packagesState: &packagesState{Options: options, log: log, repositories: repositories,
		read: lru.New(maxRead), revisions: newTable(indexes), originals: map[key]map[string]string{}}}
}

// clone returns Packages with the same revisions, in which nothing is written yet.
func (p *Packages) clone(log *Log, repositories Repositories) *Packages {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := NewPackages(log, repositories, p.Options)
	c.read, c.originals = p.read, maps.Clone(p.originals)
	for k, e := range p.revisions.all {
		if e.files != nil {
			c.originals[k] = e.files
		}
		c.revisions.put(k, &entry{Revision: e.Revision})
	}
	return c
}

// Add adds a revision, or replaces it, as it is. Its files are those of Contents if they are nil. This does not count
// as a write.
func (p *Packages) Add(r revision.Revision, files map[string]string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := keyOf(&r)
	if delete(p.originals, k); files != nil {
		p.originals[k] = files
	}
	p.revisions.put(k, &entry{Revision: r})
}

// Drop removes a revision, published or not. This does not count as a write.
func (p *Packages) Drop(namespace, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.revisions.drop(key{Namespace: namespace, Name: name})
}

// BeginDeletion marks a revision as being deleted, like one that has a finalizer.
func (p *Packages) BeginDeletion(namespace, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e := p.revisions.all[key{Namespace: namespace, Name: name}]; e != nil {
		now := *e
		now.Deleting = true
		p.log.count()
		p.stamp(&now.Revision)
		p.revisions.put(keyOf(&now.Revision), &now)
	}
}

// Original returns the files that a revision had before anything was written to it: those with which it was made, if it
// did not exist.
func (p *Packages) Original(ctx context.Context, namespace, name string) (map[string]string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.original(ctx, key{Namespace: namespace, Name: name})
}

// original does as Original does. The lock must be held.
func (p *packagesState) original(ctx context.Context, k key) (map[string]string, error) {
	if files, known := p.originals[k]; known || p.Contents == nil {
		return files, nil
	}
	if kept, ok := p.read.Get(k); ok {
		if files, ok := kept.(map[string]string); ok {
			return files, nil
		}
	}
	files, err := p.Contents(ctx, k.Namespace, k.Name)
	if err == nil {
		p.read.Add(k, files)
	}
	return files, err
}

// collect removes the revisions that only an object owned that was removed, as a cluster's garbage collector does.
func (p *Packages) collect(owner metav1.Object) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.revisions.find(owner.GetNamespace(), string(packages.ByOwner), owner.GetName()) {
		if ownedOnlyBy(e.Owners, owner) {
			p.revisions.drop(keyOf(&e.Revision))
		}
	}
}

func keyOf(r *revision.Revision) key { return key{Namespace: r.Namespace, Name: r.Name} }

// Find implements packages.Known.
func (p *Packages) Find(_ context.Context, namespace string, by packages.Index, value string) (
	[]revision.Revision, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var found []*entry
	if by == packages.All {
		found = p.revisions.in(namespace)
	} else {
		found = p.revisions.find(namespace, string(by), value)
	}
	out := make([]revision.Revision, len(found))
	for i, e := range found {
		out[i] = e.Revision
	}
	return out, nil
}

// List implements packages.Lister.
func (p *Packages) List(ctx context.Context, namespace string, of revision.Package) ([]revision.Revision, error) {
	return p.Find(ctx, namespace, packages.ByPackage, of.String())
}

// Named implements packages.Known.
func (p *Packages) Named(ctx context.Context, namespace, name string) (revision.Revision, error) {
	return p.Get(ctx, namespace, name)
}

// Get implements packages.Home.
func (p *Packages) Get(_ context.Context, namespace, name string) (revision.Revision, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, err := p.get(key{Namespace: namespace, Name: name})
	if err != nil {
		return revision.Revision{}, said(err, "cannot get package revision %s", name)
	}
	return e.Revision, nil
}

// get returns a revision. The lock must be held.
func (p *packagesState) get(k key) (*entry, error) {
	e := p.revisions.all[k]
	if e == nil {
		return nil, failed(packages.ErrAbsent, "there is no package revision %s", k.Name)
	}
	return e, nil
}

// Read implements packages.Home.
func (p *Packages) Read(ctx context.Context, namespace, name string) (packages.Content, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	content, err := p.content(ctx, key{Namespace: namespace, Name: name})
	if err != nil {
		return content, said(err, "cannot read the content of %s", name)
	}
	if err := packages.CheckText(content.Files); err != nil {
		return packages.Content{}, packages.Unusable(name, v1alpha1.ReasonPackageRefused, err)
	}
	return content, nil
}

// content returns the content of a revision. The lock must be held.
func (p *packagesState) content(ctx context.Context, k key) (packages.Content, error) {
	e, err := p.get(k)
	if err != nil {
		return packages.Content{}, err
	}
	content := packages.Unread(&e.Revision)
	if content.Files = e.files; content.Files == nil {
		if content.Files, err = p.original(ctx, k); err != nil {
			return packages.Content{}, err
		}
	}
	if len(content.Files) == 0 {
		return content, failed(packages.ErrNoFiles, "it has no files: Porch may have failed to read its repository")
	}
	return content, nil
}

// failure is why a call failed: the kind of the error, and what it means if that is more.
type failure struct {
	error
	kind  error
	means func(error) v1alpha1.Condition
}

// Is reports whether the failure is of a kind.
func (f *failure) Is(kind error) bool { return errors.Is(f.kind, kind) }

func failed(kind error, format string, args ...any) error {
	return &failure{error: fmt.Errorf(format, args...), kind: kind}
}

// said returns the error of a call that failed: what could not be done, and why. What has a kind stays as it is.
func said(err error, format string, args ...any) error {
	if _, ok := errors.AsType[*packages.Error](err); ok {
		return err
	}
	e := &packages.Error{Kind: packages.ErrUnsure, Err: fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)}
	if why, ok := errors.AsType[*failure](err); ok {
		if e.Kind = why.kind; why.means != nil {
			e.Condition = why.means(e.Err)
		}
	}
	return e
}
