// SPDX-License-Identifier: Apache-2.0

// Package programs runs the user's programs over the files of packages, in temporary directories: the one that shows
// differences, and kpt.
package programs

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/package-variants/package-variants/local/git"
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
		if git.OfGit(path) {
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
