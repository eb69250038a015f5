// SPDX-License-Identifier: Apache-2.0

// Package base reads which objects the manifests had before a change, from a directory. An object that the base has and
// the manifests no longer have is about to be deleted.
package base

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/manifestfile"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Base has the objects of a base.
type Base struct {
	Objects []manifestfile.Object
	// Notes name the files that could not be read, each with what this means for the plan.
	Notes []string
}

// Read returns the objects of a directory and all below it, or of one file. A file that cannot be read becomes a note,
// as it cannot be corrected there.
func Read(path string) (*Base, error) {
	b := &Base{}
	return b, filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && name == path {
			return fmt.Errorf("there is no directory %s for --base: a git revision becomes one by git worktree add DIR REVISION",
				path)
		}
		if err != nil {
			return fmt.Errorf("cannot read --base: %w", err)
		}
		inside, err := filepath.Rel(path, name)
		if err != nil {
			return err
		}
		if entry.IsDir() || inside != "." && !manifestfile.IsRead(filepath.ToSlash(inside)) {
			return nil
		}
		file, err := os.Open(name) //nolint:gosec // the user names it
		if err != nil {
			b.unread(name, err)
			return nil
		}
		defer func() { _ = file.Close() }()
		b.add(name, file)
		return nil
	})
}

// add adds the objects of a file.
func (b *Base) add(name string, text io.Reader) {
	found, err := manifestfile.ReadIdentities(name, text)
	b.Objects = append(b.Objects, found...)
	if err != nil {
		b.unread(name, err)
	}
}

// unread notes that a file is not read to its end.
func (b *Base) unread(name string, err error) {
	said := strings.TrimPrefix(err.Error(), "cannot read "+name+", ")
	b.Notes = append(b.Notes, fmt.Sprintf("%s cannot be read (%s): look for yourself whether an object was removed "+
		"from it", name, said))
}

// identity identifies an object: the version of its API and its file do not count.
type identity struct {
	kind            schema.GroupKind
	namespace, name string
}

// identityOf returns the identity of an object. An object without a namespace gets the given one.
func identityOf(o manifestfile.Object, namespace string) identity {
	return identity{o.GetObjectKind().GroupVersionKind().GroupKind(), cmp.Or(o.GetNamespace(), namespace), o.GetName()}
}

// Gone returns the objects of the base that the manifests do not have, each once, in the order of the base. Objects
// without a namespace are taken to be in the given one.
func (b *Base) Gone(manifests []manifestfile.Object, namespace string) []manifestfile.Object {
	seen := map[identity]bool{}
	for _, m := range manifests {
		seen[identityOf(m, namespace)] = true
	}
	var gone []manifestfile.Object
	for _, o := range b.Objects {
		if id := identityOf(o, namespace); !seen[id] && id.name != "" {
			seen[id] = true
			gone = append(gone, o)
		}
	}
	return gone
}
