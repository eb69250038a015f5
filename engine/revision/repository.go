// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The kinds by which Porch's API has package revisions and Repositories.
var (
	Kind           = schema.GroupVersionKind{Group: "porch.kpt.dev", Version: "v1alpha1", Kind: "PackageRevision"}
	RepositoryKind = schema.GroupVersionKind{Group: "config.porch.kpt.dev", Version: "v1alpha1", Kind: "Repository"}
)

// Repository is what is known about a Repository.
type Repository struct {
	// Ready reports whether Porch can use it, Message says why not. Reading reports whether it is not ready because Porch
	// is reading it, as newer Porch says on each read.
	Ready   bool   `json:"-"` // what only delays is in no hash
	Reading bool   `json:"-"`
	Message string `json:"-"`
	// Migrated reports whether another version of Porch's API serves its packages, which are then unknown here.
	Migrated bool
	// Deleting reports whether it is being deleted, and not gone yet.
	Deleting bool
	// Deployment reports whether packages in it are deployed: Porch then adds a package context to each clone.
	Deployment bool
	// Address is that of its git repository, Branch and Directory are where it has its packages there; "" for one without
	// a git repository.
	Address, Branch, Directory string
}

// Overlaps reports whether one of two Repositories has its packages in the directory of the other one, or in the same
// directory, on the same branch of a git repository.
func (r *Repository) Overlaps(other *Repository) bool {
	if r.Address == "" || Canonical(r.Address) != Canonical(other.Address) || r.Branch != other.Branch {
		return false
	}
	return strings.HasPrefix(r.Root(), other.Root()) || strings.HasPrefix(other.Root(), r.Root())
}

// Root returns the directory of the packages in the git repository, between slashes.
func (r *Repository) Root() string { return rooted(r.Directory) }

func rooted(directory string) string { return strings.TrimSuffix(path.Join("/", directory), "/") + "/" }

// Keys returns the keys under which an index has a Repository: that of its directory, and those of all directories in
// which that lies.
func (r *Repository) Keys() (keys []string) {
	if r.Address == "" {
		return nil
	}
	at, root := Canonical(r.Address), r.Root()
	for _, directory := range ancestors(root) {
		keys = append(keys, "in "+at+directory)
	}
	return append(keys, "in "+at+root, "at "+at+root)
}

// KeysAround returns the keys of the Repositories in whose directory another one of the same git repository lies, is,
// or which lie in that one.
func KeysAround(address, directory string) (keys []string) {
	if address == "" {
		return nil
	}
	at, root := Canonical(address), rooted(directory)
	for _, directory := range ancestors(root) {
		keys = append(keys, "at "+at+directory)
	}
	return append(keys, "in "+at+root)
}

// ancestors returns the directories in which a rooted one lies, the outermost first.
func ancestors(root string) (all []string) {
	for i := range len(root) - 1 {
		if root[i] == '/' {
			all = append(all, root[:i+1])
		}
	}
	return all
}
