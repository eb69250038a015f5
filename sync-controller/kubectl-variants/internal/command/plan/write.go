// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/krm"
	"k8s.io/apimachinery/pkg/types"
)

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
			return outsideError(name)
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

// output has the packages of a plan that are to be written to a directory.
type output struct {
	directory string
	// files are the files of all packages, by path. namespaces are those of the drafts, by name.
	files, namespaces map[string]string
}

// newOutput returns an empty output for a directory, "" if none was chosen.
func newOutput(directory string) *output {
	return &output{directory: directory, files: map[string]string{}, namespaces: map[string]string{}}
}

// adder returns add; nil if no directory was chosen.
func (o *output) adder() func(types.NamespacedName, map[string]string) error {
	if o.directory == "" {
		return nil
	}
	return o.add
}

// add adds the package of a draft. Nothing is written yet.
func (o *output) add(draft types.NamespacedName, files map[string]string) error {
	if other, taken := o.namespaces[draft.Name]; taken && other != draft.Namespace {
		return fmt.Errorf("the namespaces %s and %s both have a draft %s, and --write-to has one place for it: plan them "+
			"one after the other, each with a directory of its own", other, draft.Namespace, draft.Name)
	}
	o.namespaces[draft.Name] = draft.Namespace
	for file, text := range files {
		if ofGit(file) {
			return fmt.Errorf("the file %q is one that git itself would read: take it out of the package", file)
		}
		inside := path.Join(draft.Name, file)
		if krm.CheckPath(file) != "" {
			return outsideError(file)
		}
		if krm.CheckPath(inside) != "" {
			return outsideError(inside)
		}
		o.files[inside] = text
	}
	return nil
}

// outsideError returns the error for a file that its path puts outside of its package.
func outsideError(file string) error {
	return fmt.Errorf("the file %q is outside of its package", file)
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
