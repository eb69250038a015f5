// SPDX-License-Identifier: Apache-2.0

// Package base reads which objects the manifests had at a base: a git revision or another directory. An object that the
// base has and the manifests no longer have is about to be deleted.
package base

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/snapshot"
)

// Base has the objects of a base.
type Base struct {
	Objects []snapshot.Object
	// Notes name the files that could not be read, each with what this means for the plan.
	Notes []string
}

// Read returns the objects of a base. A base is a directory or file that replaces paths, or a git revision, from which
// the same paths are read. A file of the base that cannot be read becomes a note, as it cannot be corrected there. Read
// fails for a path that is neither in the base nor here, and for a name that may be a path or a revision.
func Read(ctx context.Context, base string, paths []string) (*Base, error) {
	_, err := os.Stat(base)
	isPath := err == nil
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("cannot read --base: %w", err)
	case isPath && isBare(base):
		if g, err := openGit(ctx, paths[0], base); err == nil {
			return nil, fmt.Errorf("--base %s is a path and a git revision (%.12s): write ./%s for the path, or that commit",
				base, g.commit, base)
		}
	}
	b := &Base{}
	if isPath {
		return b, b.addDirectory(base)
	}
	for _, path := range paths {
		if err := b.addRevision(ctx, path, base); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// isBare reports whether a path may be the name of a branch.
func isBare(path string) bool { return !filepath.IsAbs(path) && !strings.HasPrefix(path, ".") }

// addDirectory adds the objects of a directory and all below it, or of one file.
func (b *Base) addDirectory(directory string) error {
	return filepath.WalkDir(directory, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("cannot read --base: %w", err)
		}
		inside, err := filepath.Rel(directory, name)
		if err != nil {
			return err
		}
		if entry.IsDir() || inside != "." && !snapshot.IsRead(filepath.ToSlash(inside)) {
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

// addRevision adds the objects that a path had in a git revision.
func (b *Base) addRevision(ctx context.Context, path, revision string) error {
	if path == "-" {
		return fmt.Errorf("the standard input has no git revision %s: name files by -f, or a directory by --base", revision)
	}
	g, err := openGit(ctx, path, revision)
	if err != nil {
		return err
	}
	files, err := g.files(ctx)
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); files == nil && errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no file or directory %s, neither here nor in %s", path, revision)
	}
	for _, f := range files {
		name := revision + ":" + filepath.ToSlash(filepath.Join(path, f.name))
		if f.err != nil {
			b.unread(name, f.err)
			continue
		}
		b.add(name, bytes.NewReader(f.text))
	}
	return nil
}

// add adds the objects of a file.
func (b *Base) add(name string, text io.Reader) {
	found, err := snapshot.ReadIdentities(name, text)
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
