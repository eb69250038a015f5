// SPDX-License-Identifier: Apache-2.0

// Package packages is the port by which the engine sees packages: what a home of packages, such as Porch or a git
// repository, has to offer. The package contract says, in scenarios, how every home behaves.
package packages

import (
	"context"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Home has the revisions of packages. A write names the version that was decided on where it has one, and then fails
// with ErrStale, without any effect, if the revision has another one by now. Every error of a call is of one of the
// five kinds below, or of a context that has ended.
type Home interface {
	// Get returns the revision of that name as it is now.
	Get(ctx context.Context, namespace, name string) (revision.Revision, error)
	// Read returns the files of a revision, and the version that they have. A revision without files is ErrUnsure.
	Read(ctx context.Context, namespace, name string) (Content, error)
	// Ask makes a draft under the name that its workspace gives it. If there is a revision of that name, the error is
	// ErrStale.
	Ask(ctx context.Context, d Draft) (revision.Revision, error)
	// Save replaces all files of a draft that was read, and returns what the home made of them.
	Save(ctx context.Context, read Content, files map[string]string) (Content, error)
	// Move gives a revision another lifecycle, and returns it. A draft is proposed, a proposed revision is published or
	// becomes a draft again, and a published revision is proposed for deletion, which gives it the owners of r, or kept by
	// the move back.
	Move(ctx context.Context, r *revision.Revision, to revision.Lifecycle) (revision.Revision, error)
	// Own gives a revision owners in place of those that it has, and adds labels and annotations. Its files stay.
	Own(ctx context.Context, r *revision.Revision, owners []metav1.OwnerReference, m Metadata) error
	// Delete removes a revision that is not published. One that is gone already is no error.
	Delete(ctx context.Context, r *revision.Revision) error
}

// Lister is a Home that lists, for what people ask.
type Lister interface {
	Home
	// List returns the revisions of a package, by name, as far as the home knows them: what was just written may be
	// missing.
	List(ctx context.Context, namespace string, of revision.Package) ([]revision.Revision, error)
}

// Known are the revisions that are known without asking the home, as of some moments ago. What is returned is only
// read.
type Known interface {
	// Find returns the revisions in a namespace that have a value in an index, by name; in all namespaces for "".
	Find(ctx context.Context, namespace string, by Index, value string) ([]revision.Revision, error)
	// Named returns the revision of that name, or ErrAbsent.
	Named(ctx context.Context, namespace, name string) (revision.Revision, error)
}

// Index is what revisions are found by.
type Index string

// The indexes of revisions.
const (
	// ByPackage finds them by their package, as revision.Package writes it.
	ByPackage Index = "package"
	// Inside finds them by the packages in which theirs lies; see revision.Package.Ancestors.
	Inside Index = "inside"
	// ByOwner finds them by the name of a PackageVariant that owns them.
	ByOwner Index = "owner"
	// ByLock finds them by the keys of their lock; see revision.Lock.Keys.
	ByLock Index = "lock"
	// All finds all of them, by the value "". A home needs no index for it.
	All Index = "all"
)

// Indexes are all indexes but All, with the values that a revision has in each.
var Indexes = map[Index]func(*revision.Revision) []string{
	ByPackage: func(r *revision.Revision) []string { return []string{r.Package.String()} },
	Inside:    func(r *revision.Revision) []string { return revision.Names(r.Package.Ancestors()) },
	ByOwner:   func(r *revision.Revision) []string { return revision.Variants(r.Owners) },
	ByLock: func(r *revision.Revision) []string {
		if r.Lock == nil {
			return nil
		}
		return r.Lock.Keys()
	},
}

// Metadata are labels and annotations.
type Metadata struct {
	Labels, Annotations map[string]string
}

// Draft is what to make.
type Draft struct {
	Namespace string
	Package   revision.Package
	// Workspace names the draft within its package.
	Workspace string
	Metadata
	// Owner is the variant whose draft it is; zero for a person's.
	Owner revision.Owner
	// Task is how the draft is made: as a clone, an upgrade or an edit.
	Task revision.Task
}

// Owners returns the owner of a draft as its revision has it.
func (d *Draft) Owners() []metav1.OwnerReference {
	if d.Owner.Name == "" {
		return nil
	}
	return []metav1.OwnerReference{d.Owner.Reference()}
}

// Content are the files of a revision.
type Content struct {
	Namespace, Name string
	// Package and Workspace are those of the revision.
	Package   revision.Package
	Workspace string
	// Files are the contents of the files, by their paths, with slashes, in the package.
	Files map[string]string
	// Version is the one of the revision with these files. Nothing else may be read from it.
	Version string
	// Unrendered says that the package's pipeline has not run since the draft was made: a save of the files runs it.
	Unrendered bool
	// RenderStatus is what the functions of the package's pipeline reported when the files were saved.
	RenderStatus v1alpha1.RenderStatus
	// Conflicts are those of a draft that is saved over this content. A home in which a save has a message names them
	// there.
	Conflicts []v1alpha1.Conflict
}

// Unread returns the content of a draft as r has it, without its files, which were not read: a save replaces them all,
// unless the draft has changed since.
func Unread(r *revision.Revision) Content {
	return Content{Namespace: r.Namespace, Name: r.Name, Package: r.Package, Workspace: r.Workspace, Version: r.Version}
}
