// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/krm"
	"k8s.io/apimachinery/pkg/types"
)

// write writes files to a directory, which it creates if needed. A file that its name or a link would put outside the
// directory is an error.
func write(directory string, files map[string]string) error {
	return within(directory, func(root *os.Root) error { return writeTo(root, files) })
}

// within opens a directory as a root, creating it if needed, and calls do with it.
func within(directory string, do func(*os.Root) error) error {
	if err := os.MkdirAll(directory, 0o750); err != nil {
		return err
	}
	root, err := os.OpenRoot(directory)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return do(root)
}

// writeTo writes files below a root.
func writeTo(root *os.Root, files map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if krm.CheckPath(name) != "" {
			return fmt.Errorf("the file %q is outside of its package", name)
		}
		if err := root.MkdirAll(filepath.Dir(filepath.FromSlash(name)), 0o750); err != nil {
			return err
		}
		if err := root.WriteFile(filepath.FromSlash(name), []byte(files[name]), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// writer returns a function that writes packages to the chosen directory and replaces earlier ones; nil if no directory
// was chosen.
func (o *options) writer() func(types.NamespacedName, map[string]string) error {
	if o.write == "" {
		return nil
	}
	namespaces := map[string]string{}
	return func(draft types.NamespacedName, files map[string]string) error {
		if other, taken := namespaces[draft.Name]; taken && other != draft.Namespace {
			return fmt.Errorf("the namespaces %s and %s both have a draft %s, and --write-to has one place for it: plan them "+
				"one after the other, each with a directory of its own", other, draft.Namespace, draft.Name)
		}
		namespaces[draft.Name] = draft.Namespace
		inside := make(map[string]string, len(files))
		for file, text := range files {
			if krm.CheckPath(file) != "" {
				return fmt.Errorf("the file %q is outside of its package", file)
			}
			if ofGit(file) {
				return fmt.Errorf("the file %q is one that git itself would read: take it out of the package", file)
			}
			inside[path.Join(draft.Name, file)] = text
		}
		return replace(o.write, draft.Name, inside)
	}
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

// replace writes files to a directory below top, and removes all other files from it.
func replace(top, directory string, files map[string]string) error {
	return within(top, func(root *os.Root) error {
		if krm.CheckPath(directory) == "" { // otherwise writeTo fails
			if err := removeOthers(root, directory, files); err != nil {
				return err
			}
		}
		return writeTo(root, files)
	})
}

// removeOthers removes the files of a directory that are not listed, and the directories that become empty. If the
// directory is a link, nothing is removed; a link inside it is removed itself.
func removeOthers(root *os.Root, directory string, files map[string]string) error {
	info, err := root.Lstat(filepath.FromSlash(directory))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.IsDir():
		return nil
	}
	stay := map[string]bool{directory: true}
	for name := range files {
		for above := path.Dir(name); above != "." && !stay[above]; above = path.Dir(above) {
			stay[above] = true
		}
	}
	var directories []string
	err = fs.WalkDir(root.FS(), directory, func(name string, entry fs.DirEntry, err error) error {
		switch _, stays := files[name]; {
		case err != nil:
			return err
		case entry.IsDir():
			directories = append(directories, name)
			return nil
		case stays:
			return nil
		}
		return root.Remove(filepath.FromSlash(name))
	})
	for _, name := range slices.Backward(directories) {
		if !stay[name] {
			err = errors.Join(err, root.Remove(filepath.FromSlash(name)))
		}
	}
	return err
}
