// SPDX-License-Identifier: Apache-2.0

package git

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"
)

// FS returns the files below a tree. What is no file and no directory, such as a symbolic link or a submodule, is there
// by its mode and cannot be opened. Each directory is read once. It is for one goroutine.
func (r *Repository) FS(tree Hash) fs.FS { return &treeFS{r, tree, map[string]*listing{}} }

// treeFS implements fs.FS, fs.ReadDirFS, fs.StatFS and fs.ReadLinkFS.
type treeFS struct {
	in   *Repository
	tree Hash
	// known are the directories that were read, by their names.
	known map[string]*listing
}

// listing is a directory.
type listing struct {
	entries []Entry
	byName  map[string]int
}

// info is what a tree says of an entry. It implements fs.FileInfo and fs.DirEntry.
type info struct {
	in *treeFS
	Entry
	size int64
}

func (i *info) Name() string               { return i.Entry.Name }
func (i *info) Size() int64                { return i.size }
func (i *info) ModTime() time.Time         { return time.Time{} }
func (i *info) IsDir() bool                { return i.Entry.Mode == Directory }
func (i *info) Type() fs.FileMode          { return i.Mode().Type() }
func (i *info) Sys() any                   { return nil }
func (i *info) Info() (fs.FileInfo, error) { return i.in.sized(i) }

// Mode implements fs.FileInfo.
func (i *info) Mode() fs.FileMode {
	switch i.Entry.Mode {
	case Directory:
		return fs.ModeDir | 0o755
	case Link:
		return fs.ModeSymlink | 0o777
	case Module:
		return fs.ModeIrregular
	}
	return 0o644
}

// sized returns the entry with its size, which is known only of files.
func (f *treeFS) sized(i *info) (*info, error) {
	if !i.Mode().IsRegular() {
		return i, nil
	}
	size, err := f.in.Size(i.Hash)
	if err != nil {
		return nil, err
	}
	i.size = size
	return i, nil
}

// find returns the entry of a name.
func (f *treeFS) find(verb, name string) (*info, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: verb, Path: name, Err: fs.ErrInvalid}
	}
	if name == "." {
		return &info{in: f, Entry: Entry{Mode: Directory, Name: ".", Hash: f.tree}}, nil
	}
	in, err := f.list(path.Dir(name))
	if err != nil {
		return nil, &fs.PathError{Op: verb, Path: name, Err: err}
	}
	i, there := in.byName[path.Base(name)]
	if !there {
		return nil, &fs.PathError{Op: verb, Path: name, Err: fs.ErrNotExist}
	}
	return &info{in: f, Entry: in.entries[i]}, nil
}

// list returns a directory.
func (f *treeFS) list(name string) (*listing, error) {
	if l := f.known[name]; l != nil {
		return l, nil
	}
	tree := f.tree
	if name != "." {
		in, err := f.list(path.Dir(name))
		if err != nil {
			return nil, err
		}
		i, there := in.byName[path.Base(name)]
		if !there || in.entries[i].Mode != Directory {
			return nil, fs.ErrNotExist
		}
		tree = in.entries[i].Hash
	}
	entries, err := f.in.Tree(tree)
	if err != nil {
		return nil, err
	}
	l := &listing{entries, make(map[string]int, len(entries))}
	for i, e := range entries {
		l.byName[e.Name] = i
	}
	f.known[name] = l
	return l, nil
}

// Stat implements fs.StatFS. A symbolic link is not followed.
func (f *treeFS) Stat(name string) (fs.FileInfo, error) {
	i, err := f.find("stat", name)
	if err != nil {
		return nil, err
	}
	return f.sized(i)
}

// Lstat implements fs.ReadLinkFS.
func (f *treeFS) Lstat(name string) (fs.FileInfo, error) { return f.Stat(name) }

// ReadLink implements fs.ReadLinkFS.
func (f *treeFS) ReadLink(name string) (string, error) {
	i, err := f.find("readlink", name)
	if err == nil && i.Entry.Mode != Link {
		err = &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	if err != nil {
		return "", err
	}
	texts, err := f.in.Blobs([]Hash{i.Hash})
	return texts[i.Hash], err
}

// ReadDir implements fs.ReadDirFS.
func (f *treeFS) ReadDir(name string) ([]fs.DirEntry, error) {
	i, err := f.find("readdir", name)
	if err != nil {
		return nil, err
	}
	if !i.IsDir() {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fmt.Errorf("it is no directory")}
	}
	in, err := f.list(path.Clean(name))
	if err != nil {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: err}
	}
	out := make([]fs.DirEntry, len(in.entries))
	for j, e := range in.entries {
		out[j] = &info{in: f, Entry: e}
	}
	return out, nil
}

// Open implements fs.FS, for files.
func (f *treeFS) Open(name string) (fs.File, error) {
	i, err := f.find("open", name)
	if err != nil {
		return nil, err
	}
	if !i.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("it is no file")}
	}
	texts, err := f.in.Blobs([]Hash{i.Hash})
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	i.size = int64(len(texts[i.Hash]))
	return &file{i, strings.NewReader(texts[i.Hash])}, nil
}

// file is an open file.
type file struct {
	info *info
	io.Reader
}

// Stat implements fs.File.
func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }

// Close implements fs.File.
func (*file) Close() error { return nil }
