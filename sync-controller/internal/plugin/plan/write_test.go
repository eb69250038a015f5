// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWriteInside holds that packages are written to the directory asked for, and nowhere else.
func TestWriteInside(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ pkg, file, want string }{
		"plain":            {"site/web", "a/x.yaml", ""},
		"file":             {"site/web", "../../../x.yaml", `the file "../../../x.yaml" is outside of its package`},
		"file of the next": {"site/web", "../other/x.yaml", `the file "../other/x.yaml" is outside of its package`},
		"absolute":         {"site/web", "/etc/x.yaml", `the file "/etc/x.yaml" is outside of its package`},
		"package":          {"../../web", "x.yaml", `the file "../../web/x.yaml" is outside of its package`},
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
			err := o.writer()(c.pkg, map[string]string{c.file: "text"})
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
