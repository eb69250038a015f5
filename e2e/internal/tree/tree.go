// SPDX-License-Identifier: Apache-2.0

// Package tree compares directories with each other and with golden files.
package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Tree is the content of a directory's files, by path with slashes.
type Tree map[string]string

// Read returns the files below dir. Files and directories with one of the given names are left out.
func Read(dir string, leaveOut ...string) (Tree, error) {
	t := Tree{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if slices.Contains(leaveOut, entry.Name()) {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if entry.IsDir() {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(dir, path)
		t[filepath.ToSlash(relative)] = string(content)
		return err
	})
	return t, err
}

// Load returns the files of the directory whose path has these elements. An error ends the test.
func Load(t testing.TB, elem ...string) Tree {
	t.Helper()
	files, err := Read(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Write writes the files below dir.
func (t Tree) Write(dir string) error {
	for name, content := range t {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Add returns a tree that also has the files of other, below the given directory.
func (t Tree) Add(dir string, other Tree) Tree {
	sum := maps.Clone(t)
	for name, content := range other {
		sum[dir+"/"+name] = content
	}
	return sum
}

// gitNoise matches the parts of a diff that depend on git, or that repeat other parts.
var gitNoise = regexp.MustCompile(`(?m)^(diff --git|index) .*\n|^(@@ .* @@).*$`)

// Diff returns the changes from one tree to another as a unified diff; empty if they are equal.
func Diff(from, to Tree) (string, error) {
	if maps.Equal(from, to) {
		return "", nil
	}
	dir, err := os.MkdirTemp("", "diff")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := errors.Join(changed(from, to).Write(filepath.Join(dir, "a")),
		changed(to, from).Write(filepath.Join(dir, "b"))); err != nil {
		return "", err
	}
	cmd := exec.Command("git", "-c", "core.quotePath=false", "diff", "--no-index", "--no-color", "--no-ext-diff",
		"--no-renames",
		"--no-prefix", "--diff-algorithm=myers", "--text", "--unified=3", "a", "b")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
		err = nil // there are differences
	}
	if err != nil {
		return "", fmt.Errorf("cannot compare by git: %w", err)
	}
	return gitNoise.ReplaceAllString(string(out), "$2"), nil
}

// changed returns the files of t that are missing or different in other.
func changed(t, other Tree) Tree {
	files := Tree{".keep": ""}
	for name, content := range t {
		if have, ok := other[name]; !ok || have != content {
			files[name] = content
		}
	}
	return files
}

// Golden compares got with the file at path. With UPDATE_GOLDEN in the environment it writes the file instead; review
// the changes. A missing file and an empty got are equal.
func Golden(t *testing.T, path, got string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := update(path, got); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := readGolden(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("not what %s says (-want +got):\n%s", path, diff)
	}
}

// readGolden returns the content of a golden file. It is empty if the file does not exist, since empty texts have no
// file.
func readGolden(path string) (string, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(content), err
}

func update(path, content string) error {
	if content == "" {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(content), 0o644)
}
