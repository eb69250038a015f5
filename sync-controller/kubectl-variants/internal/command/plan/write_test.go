// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/local/programs"
	"k8s.io/apimachinery/pkg/types"
)

// writePackage adds a package to an output, and writes it.
func writePackage(directory, name string, files map[string]string) error {
	o := newOutput(directory)
	if err := o.add(types.NamespacedName{Name: name}, files); err != nil {
		return err
	}
	return o.write()
}

// put writes a file, with the directories that it is in.
func put(t *testing.T, text string, path ...string) {
	t.Helper()
	file := filepath.Join(path...)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// TestWriteInside checks that packages are written to the chosen directory and nowhere else.
func TestWriteInside(t *testing.T) {
	t.Parallel()
	const way = " is in the way, and no plan wrote it: move it out of there, or name another directory by --write-to"
	for name, c := range map[string]struct{ pkg, file, want string }{
		"plain":            {"web", "a/x.yaml", ""},
		"file":             {"web", "../../../x.yaml", `the file "../../../x.yaml" is outside of its package`},
		"file of the next": {"web", "../other/x.yaml", `the file "../other/x.yaml" is outside of its package`},
		"absolute":         {"web", "/etc/x.yaml", `the file "/etc/x.yaml" is outside of its package`},
		"package":          {"../../web", "x.yaml", `the file "../../web/x.yaml" is outside of its package`},
		"of git":           {"web", ".git/config", `the file ".git/config" is one that git itself would read: take it out of the package`},
		"of git, below":    {"web", "a/.GIT./hooks/x", `the file "a/.GIT./hooks/x" is one that git itself would read: take it out of the package`},
		"in place of git":  {"web", `a\git~1`, `the file "a\\git~1" is one that git itself would read: take it out of the package`},
		"git's own lists":  {"web", ".gitignore", ""},
		"on Windows":       {"web", `..\..\x.yaml`, `the file "..\\..\\x.yaml" is outside of its package`},
		"through a link":   {"link", "x.yaml", "/a/out/link" + way},
		"over a link":      {"site", "file.yaml", "/a/out/site/file.yaml" + way},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			out := filepath.Join(top, "a", "out")
			put(t, "site/file.yaml\n", out, listFile)
			if err := os.Mkdir(filepath.Join(out, "site"), 0o700); err != nil {
				t.Fatal(err)
			}
			for from, to := range map[string]string{filepath.Join(out, "link"): top,
				filepath.Join(out, "site", "file.yaml"): filepath.Join(top, "x.yaml")} {
				if name == "plain" || name == "git's own lists" {
					break
				}
				if err := os.Symlink(to, from); err != nil {
					t.Fatal(err)
				}
			}
			err := writePackage(out, c.pkg, map[string]string{c.file: "text"})
			if c.want == "" {
				if text, readErr := os.ReadFile(filepath.Join(out, c.pkg, c.file)); err != nil || string(text) != "text" {
					t.Errorf("%q, %v, %v", text, err, readErr)
				}
			} else if err == nil || !strings.HasSuffix(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
			entries, err := os.ReadDir(top)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, entry := range entries {
				names = append(names, entry.Name())
			}
			if diff := cmp.Diff([]string{"a"}, names); diff != "" {
				t.Errorf("beside the directory (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWriteAgain checks that nothing of an earlier plan stays, neither in a package nor a package of its own, and that
// what stands beside the packages stays.
func TestWriteAgain(t *testing.T) {
	t.Parallel()
	top := filepath.Join(t.TempDir(), "out")
	if err := writePackage(top, "gone", map[string]string{"Kptfile": "1"}); err != nil {
		t.Fatal(err)
	}
	put(t, "mine", top, "mine")
	for _, files := range []map[string]string{
		{"Kptfile": "1", "old.yaml": "1", "a/b/old.yaml": "1", "was/a-directory.yaml": "1", "was-a-file": "1", "c/x.yaml": "1"},
		{"Kptfile": "2", "was": "2", "was-a-file/x.yaml": "2", "c/x.yaml": "2"},
		{"Kptfile": "2", "was": "2", "was-a-file/x.yaml": "2", "c/x.yaml": "2"},
	} {
		if err := writePackage(top, "site", files); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"mine": "mine"}
		for name, text := range files {
			want["site/"+name] = text
		}
		got := filesOfDir(t, top)
		delete(got, listFile)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
	}
	if err := newOutput(top).write(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"mine": "mine", listFile: ""}, filesOfDir(t, top)); diff != "" {
		t.Errorf("files after a plan without drafts (-want +got):\n%s", diff)
	}
}

// TestWriteKeeps checks that a file that no plan wrote is an error, and that nothing is removed or written then.
func TestWriteKeeps(t *testing.T) {
	t.Parallel()
	const way = " is in the way, and no plan wrote it: move it out of there, or name another directory by --write-to"
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no list": {map[string]string{"site/own.txt": "mine"}, "TOP has site, and no list of what an earlier plan wrote " +
			"(.kubectl-variants-plan): name a new or empty directory by --write-to"},
		"in the package": {map[string]string{listFile: "site/Kptfile\n", "site/Kptfile": "1", "site/own.txt": "mine"}, "TOP/site/own.txt" + way},
		"in an earlier package": {map[string]string{listFile: "old/Kptfile\n", "old/Kptfile": "1", "old/a/own.txt": "mine"},
			"TOP/old/a/own.txt" + way},
		"in a new package": {map[string]string{listFile: "old/Kptfile\n", "old/Kptfile": "1", "site/own.txt": "mine"}, "TOP/site/own.txt" + way},
		"in place of it":   {map[string]string{listFile: "old/Kptfile\n", "old/Kptfile": "1", "site": "mine"}, "TOP/site" + way},
		"a list of other files": {map[string]string{listFile: "../x\n", "site/Kptfile": "1"},
			`TOP/.kubectl-variants-plan has a line that names no file of a package, "../x": name a new or empty directory by --write-to`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			for file, text := range c.files {
				put(t, text, top, file)
			}
			err := writePackage(top, "site", map[string]string{"Kptfile": "2"})
			if err == nil || strings.ReplaceAll(err.Error(), top, "TOP") != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if diff := cmp.Diff(c.files, filesOfDir(t, top)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWriteNamespaces checks that two namespaces with the same draft name are an error.
func TestWriteNamespaces(t *testing.T) {
	t.Parallel()
	o := newOutput(t.TempDir())
	if err := o.add(types.NamespacedName{Namespace: "fleet", Name: "site"}, nil); err != nil {
		t.Error(err)
	}
	const want = "the namespaces fleet and other both have a draft site, and --write-to has one place for it: plan them one " +
		"after the other, each with a directory of its own"
	if err := o.add(types.NamespacedName{Namespace: "other", Name: "site"}, nil); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// filesOfDir returns the files of a directory.
func filesOfDir(t *testing.T, directory string) map[string]string {
	t.Helper()
	files, err := programs.Read(directory)
	if err != nil {
		t.Fatal(err)
	}
	return files
}
