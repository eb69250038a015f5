// SPDX-License-Identifier: Apache-2.0

package merging_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
)

// TestHistory merges unchanged packages over each step of the history of a catalog, and checks that they become equal
// to their upstream, in values and order, without a conflict. CATALOG=DIR names the clone of a git repository with kpt
// packages; without it, the history is the one in testdata/history.
func TestHistory(t *testing.T) {
	t.Parallel()
	var histories []history
	if dir := os.Getenv("CATALOG"); dir != "" {
		histories = catalog(t, dir)
	} else {
		histories = sample(t)
	}
	steps, pipelines := 0, 0
	for _, pkg := range histories {
		t.Run(pkg.name, func(t *testing.T) {
			for i := range pkg.versions[1:] {
				v := pkg.versions[i : i+2]
				steps++
				if v[0].files["Kptfile"] != v[1].files["Kptfile"] {
					pipelines++
				}
				for name, made := range makers {
					follow(t, v[0].name+" to "+v[1].name+", "+name, made(v[0].files), v[0].files, v[1].files)
				}
			}
		})
	}
	t.Logf("%d steps of %d packages, %d of them with another Kptfile", steps, len(histories), pipelines)
	if steps == 0 {
		t.Error("no package has two versions")
	}
}

// follow merges a package over a step and compares it with its upstream.
func follow(t *testing.T, step string, local, original, updated files) {
	t.Helper()
	options := merging.Options{OnConflict: merging.Stop}
	got, conflicts, err := merging.Merge(original, updated, local, options)
	if err != nil {
		t.Errorf("%s: %v: %v", step, err, told(conflicts))
		return
	}
	want, merged := contents(updated), contents(got)
	for _, file := range slices.Sorted(maps.Keys(both(want, merged))) {
		if diff := cmp.Diff(want[file], merged[file]); diff != "" {
			t.Errorf("%s: %s: -upstream +merged:\n%s", step, file, diff)
		}
	}
	areUnsettled(t, got, conflicts)
	again, _, err := merging.Merge(original, updated, got, options)
	if diff := cmp.Diff(got, again); diff != "" || err != nil {
		t.Errorf("%s: a second merge changes it: %v\n%s", step, err, diff)
	}
}

// both returns a map that has the keys of two.
func both(a, b files) files {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// history is a package in each of its versions, the oldest first.
type history struct {
	name     string
	versions []version
}

type version struct {
	name  string
	files files
}

// sample returns the history in testdata: <package>/<version>/.
func sample(t *testing.T) []history {
	t.Helper()
	root := filepath.Join("testdata", "history")
	var out []history
	for _, pkg := range entries(t, root) {
		h := history{name: pkg}
		for _, name := range entries(t, filepath.Join(root, pkg)) {
			v := version{name: name, files: files{}}
			dir := filepath.Join(root, pkg, name)
			err := filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				text, err := os.ReadFile(file)
				name, _ := filepath.Rel(dir, file)
				v.files[filepath.ToSlash(name)] = string(text)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			h.versions = append(h.versions, v)
		}
		out = append(out, h)
	}
	return out
}

func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// catalog returns the histories of all packages, and subpackages, that a git repository ever had.
func catalog(t *testing.T, dir string) []history {
	t.Helper()
	added := git(t, dir, "log", "--format=", "--name-only", "--diff-filter=A", "--no-renames", "--", "Kptfile", "*/Kptfile")
	kptfiles := strings.Fields(string(added))
	slices.Sort(kptfiles)
	var out []history
	for _, kptfile := range slices.Compact(kptfiles) {
		h := history{name: path.Dir(kptfile)}
		commits := git(t, dir, "log", "--format=%h", "--reverse", "--first-parent", "--", h.name)
		for _, commit := range strings.Fields(string(commits)) {
			v := version{name: commit, files: checkout(t, dir, commit, h.name)}
			last := len(h.versions) - 1
			if v.files["Kptfile"] != "" && (last < 0 || !cmp.Equal(h.versions[last].files, v.files)) {
				h.versions = append(h.versions, v)
			}
		}
		if len(h.versions) > 1 {
			out = append(out, h)
		}
	}
	return out
}

// checkout returns the files of a package at a commit; none if it was not there.
func checkout(t *testing.T, repository, commit, pkg string) files {
	t.Helper()
	out := files{}
	if len(git(t, repository, "ls-tree", commit, "--", path.Join(pkg, "Kptfile"))) == 0 {
		return out
	}
	for archive := tar.NewReader(bytes.NewReader(git(t, repository, "archive", commit, "--", pkg))); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		text, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimPrefix(h.Name, pkg+"/")] = string(text)
	}
}

func git(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, stderr.String()))
	}
	return out
}
