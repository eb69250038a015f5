// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
)

// TestWriteInside checks that packages are written to the chosen directory and nowhere else.
func TestWriteInside(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ pkg, file, want string }{
		"plain":            {"site/web", "a/x.yaml", ""},
		"file":             {"site/web", "../../../x.yaml", `the file "../../../x.yaml" is outside of its package`},
		"file of the next": {"site/web", "../other/x.yaml", `the file "../other/x.yaml" is outside of its package`},
		"absolute":         {"site/web", "/etc/x.yaml", `the file "/etc/x.yaml" is outside of its package`},
		"package":          {"../../web", "x.yaml", `the file "../../web/x.yaml" is outside of its package`},
		"of git":           {"site/web", ".git/config", `the file ".git/config" is one that git itself would read: take it out of the package`},
		"of git, below":    {"site/web", "a/.GIT./hooks/x", `the file "a/.GIT./hooks/x" is one that git itself would read: take it out of the package`},
		"in place of git":  {"site/web", `a\git~1`, `the file "a\\git~1" is one that git itself would read: take it out of the package`},
		"git's own lists":  {"site/web", ".gitignore", ""},
		"on Windows":       {"site/web", `..\..\x.yaml`, `the file "..\\..\\x.yaml" is outside of its package`},
		"through a link":   {"link", "x.yaml", "path escapes from parent"},
		"over a link":      {"site", "file.yaml", "path escapes from parent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			out := filepath.Join(top, "a", "out")
			if err := os.MkdirAll(filepath.Join(out, "site"), 0o700); err != nil {
				t.Fatal(err)
			}
			for from, to := range map[string]string{filepath.Join(out, "link"): top,
				filepath.Join(out, "site", "file.yaml"): filepath.Join(top, "x.yaml")} {
				if err := os.Symlink(to, from); err != nil {
					t.Fatal(err)
				}
			}
			o := &options{write: out}
			err := o.writer()(types.NamespacedName{Name: c.pkg}, map[string]string{c.file: "text"})
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

// TestWriteAgain checks that nothing of an earlier package stays in a draft's directory, that other files stay, and
// that two namespaces write to different places.
func TestWriteAgain(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	beside := filepath.Join(top, "beside")
	draft := types.NamespacedName{Namespace: "fleet", Name: "site"}
	for _, files := range []map[string]string{
		{"Kptfile": "1", "old.yaml": "1", "a/b/old.yaml": "1", "was/a-directory.yaml": "1", "was-a-file": "1", "c/x.yaml": "1"},
		{"Kptfile": "2", "was": "2", "was-a-file/x.yaml": "2", "c/x.yaml": "2"},
	} {
		o := &options{write: filepath.Join(top, "out")}
		if err := o.writer()(draft, files); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(files, filesOfDir(t, filepath.Join(o.write, "site"))); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
		if err := os.WriteFile(beside, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(beside, filepath.Join(o.write, "site", "link")); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(o.write, "mine"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := &options{write: filepath.Join(top, "out")}
	write := o.writer()
	if err := write(draft, nil); err != nil {
		t.Error(err)
	}
	const want = "the namespaces fleet and other both have a draft site, and --write-to has one place for it: plan them one " +
		"after the other, each with a directory of its own"
	if err := write(types.NamespacedName{Namespace: "other", Name: "site"}, nil); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	for _, name := range []string{beside, filepath.Join(top, "out", "mine")} {
		if _, err := os.Stat(name); err != nil {
			t.Errorf("what is no file of the package is gone: %v", err)
		}
	}
}

// filesOfDir returns the files of a directory.
func filesOfDir(t *testing.T, directory string) map[string]string {
	t.Helper()
	files, err := read(directory)
	if err != nil {
		t.Fatal(err)
	}
	return files
}
