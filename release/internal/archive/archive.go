// SPDX-License-Identifier: Apache-2.0

// Package archive writes tar archives that depend only on the files in them: not on the order in which they are given,
// nor on their times and owners.
package archive

import (
	"archive/tar"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"time"
)

// File is a file of an archive.
type File struct {
	// Name is its path, with slashes, relative to the root of the archive.
	Name string
	// Executable is whether it is a program.
	Executable bool
	// Data is its content.
	Data []byte
}

// Read returns the files of a directory and of those below it, by name. Links and other files that are not regular are
// errors.
func Read(fsys fs.FS) ([]File, error) {
	var files []File
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s: is no regular file, which is all that an archive can hold", name)
		}
		data, err := fs.ReadFile(fsys, name)
		files = append(files, File{Name: name, Executable: info.Mode()&0o100 != 0, Data: data})
		return err
	})
	return files, err
}

// Write writes files as a tar archive, by name, each after the directories that it is in. All belong to root and are
// readable by everyone; their time is the beginning of Unix time.
func Write(w io.Writer, files []File) error {
	files = slices.SortedFunc(slices.Values(files), func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	tw := tar.NewWriter(w)
	written := map[string]bool{".": true}
	for _, f := range files {
		if err := writeDirectories(tw, path.Dir(f.Name), written); err != nil {
			return err
		}
		header := &tar.Header{Typeflag: tar.TypeReg, Name: f.Name, Size: int64(len(f.Data)), Mode: 0o644,
			ModTime: time.Unix(0, 0)}
		if f.Executable {
			header.Mode = 0o755
		}
		if err := tw.WriteHeader(header); err != nil {
			return err
		}
		if _, err := tw.Write(f.Data); err != nil {
			return err
		}
	}
	return tw.Close()
}

func writeDirectories(tw *tar.Writer, dir string, written map[string]bool) error {
	if written[dir] {
		return nil
	}
	if err := writeDirectories(tw, path.Dir(dir), written); err != nil {
		return err
	}
	written[dir] = true
	return tw.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755, ModTime: time.Unix(0, 0)})
}

// Parse returns the regular files of a tar archive, in its order.
func Parse(r io.Reader) ([]File, error) {
	var files []File
	tr := tar.NewReader(r)
	for {
		header, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(tr)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", header.Name, err)
		}
		files = append(files, File{Name: header.Name, Executable: header.Mode&0o100 != 0, Data: data})
	}
}
