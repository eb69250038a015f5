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
)

// listFile is the file of --write-to that lists the files which the plan wrote there, one path a line. It tells them
// apart from people's files.
const listFile = ".kubectl-variants-plan"

// write replaces the packages that an earlier plan wrote, if a directory was chosen. It fails, before it removes or
// writes anything, if the directory is not that of an earlier plan, or if a package's directory has a file that no plan
// wrote.
func (o *output) write() error {
	if o.directory == "" {
		return nil
	}
	return within(o.directory, func(root *os.Root) error {
		earlier, err := o.earlier(root)
		if err != nil {
			return err
		}
		directories, err := o.check(root, earlier)
		if err != nil {
			return err
		}
		if err := remove(root, earlier, directories); err != nil {
			return err
		}
		// The list comes first: if writing fails, the next plan knows the files that were written before.
		list := strings.Join(append(slices.Sorted(maps.Keys(o.files)), ""), "\n")
		if err := root.WriteFile(listFile, []byte(list), 0o600); err != nil {
			return err
		}
		return writeTo(root, o.files)
	})
}

// earlier returns the files that an earlier plan wrote; none for an empty directory.
func (o *output) earlier(root *os.Root) (map[string]bool, error) {
	list, err := root.ReadFile(listFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, o.checkEmpty(root)
	}
	if err != nil {
		return nil, err
	}
	files := map[string]bool{}
	for name := range strings.Lines(string(list)) {
		name = strings.TrimRight(name, "\r\n")
		if krm.CheckPath(name) != "" || path.Clean(name) != name || !strings.Contains(name, "/") || ofGit(name) {
			return nil, fmt.Errorf("%s has a line that names no file of a package, %q: name a new or empty directory by "+
				"--write-to", filepath.Join(o.directory, listFile), name)
		}
		files[name] = true
	}
	return files, nil
}

// checkEmpty returns an error for a directory that has anything in it.
func (o *output) checkEmpty(root *os.Root) error {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil || len(entries) == 0 {
		return err
	}
	return fmt.Errorf("%s has %s, and no list of what an earlier plan wrote (%s): name a new or empty directory by "+
		"--write-to", o.directory, entries[0].Name(), listFile)
}

// check returns the directories of earlier and new packages, each before those in it. A file in them that is not among
// the earlier ones is an error.
func (o *output) check(root *os.Root, earlier map[string]bool) ([]string, error) {
	packages := map[string]bool{}
	for _, name := range slices.AppendSeq(slices.Collect(maps.Keys(earlier)), maps.Keys(o.files)) {
		directory, _, _ := strings.Cut(name, "/")
		packages[directory] = true
	}
	var directories []string
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		info, err := root.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, err
		case !info.IsDir(): // WalkDir would follow a link
			return nil, o.inTheWay(name)
		}
		err = fs.WalkDir(root.FS(), name, func(name string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir():
				directories = append(directories, name)
				return nil
			case earlier[name] && entry.Type().IsRegular():
				return nil
			}
			return o.inTheWay(name)
		})
		if err != nil {
			return nil, err
		}
	}
	return directories, nil
}

// inTheWay returns the error for a file that no plan wrote.
func (o *output) inTheWay(name string) error {
	return fmt.Errorf("%s is in the way, and no plan wrote it: move it out of there, or name another directory by "+
		"--write-to", filepath.Join(o.directory, filepath.FromSlash(name)))
}

// remove removes files, and directories with nothing else in them.
func remove(root *os.Root, files map[string]bool, directories []string) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := root.Remove(filepath.FromSlash(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, name := range slices.Backward(directories) {
		if err := root.Remove(filepath.FromSlash(name)); err != nil {
			return err
		}
	}
	return nil
}
