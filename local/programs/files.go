// SPDX-License-Identifier: Apache-2.0

// Package programs runs the user's programs over the files of packages, in temporary directories: the one that shows
// differences, and kpt.
package programs

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Write writes the files of a package to a directory name that it makes in dir. A path that leads out of it is an
// error, and so is one that git itself would read.
func Write(dir, name string, files map[string]string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if err := root.Mkdir(name, 0o700); err != nil {
		return err
	}
	for path, text := range files {
		if !filepath.IsLocal(filepath.FromSlash(path)) {
			return fmt.Errorf("%s has the file %q, which is not in the package", name, path)
		}
		if ofGit(path) {
			return fmt.Errorf("%s has the file %q, which git itself would read: take it out of the package", name, path)
		}
		file := filepath.Join(name, filepath.FromSlash(path))
		if err := root.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return err
		}
		if err := root.WriteFile(file, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// ofGit reports whether a file is in a git directory, or replaces one: git would run commands that it names. File
// systems may treat names as equal that differ in case, in trailing dots and blanks, or by Windows' short name.
func ofGit(file string) bool {
	return slices.ContainsFunc(strings.Split(strings.ReplaceAll(file, `\`, "/"), "/"), func(part string) bool {
		part, _, _ = strings.Cut(part, ":") // a stream of a file, on Windows
		part = strings.ToLower(strings.TrimRight(part, ". "))
		return part == ".git" || part == "git~1"
	})
}

// Read returns the files below a directory. A link that leads out of the directory is an error.
func Read(directory string) (map[string]string, error) {
	root, err := os.OpenRoot(directory)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	files := map[string]string{}
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := root.ReadFile(name)
		files[name] = string(data)
		return err
	})
	return files, err
}
