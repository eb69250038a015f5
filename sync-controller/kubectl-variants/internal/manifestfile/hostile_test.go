// SPDX-License-Identifier: Apache-2.0

package manifestfile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/bounds"
)

const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: fleet}\n"

// TestHostileFiles checks that an untrusted directory can be read: nothing outside of it is read, and endless or huge
// input is refused, with file and line.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	var bomb strings.Builder
	bomb.WriteString(configMap + "a0: &a0 [x]\n")
	for i := range 12 {
		fmt.Fprintf(&bomb, "a%d: &a%d [%s*a%d]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 9), i)
	}
	for name, c := range map[string]struct {
		make func(t *testing.T, dir string) error
		want string // DIR is the directory
	}{
		"link inside": {func(_ *testing.T, dir string) error {
			return os.Symlink("a.yaml", filepath.Join(dir, "b.yaml"))
		}, ""},
		"link outside": {func(t *testing.T, dir string) error {
			secret := filepath.Join(t.TempDir(), "secret.yaml")
			if err := os.WriteFile(secret, []byte(configMap), 0o600); err != nil {
				return err
			}
			return os.Symlink(secret, filepath.Join(dir, "b.yaml"))
		}, "cannot read DIR/b.yaml, which is a link: only links to files of DIR are followed: statat b.yaml: path escapes from parent"},
		"link upwards": {func(_ *testing.T, dir string) error {
			return os.Symlink("../../b.yaml", filepath.Join(dir, "b.yaml"))
		}, "cannot read DIR/b.yaml, which is a link: only links to files of DIR are followed: statat b.yaml: path escapes from parent"},
		"device": {func(_ *testing.T, dir string) error {
			return os.Symlink("/dev/zero", filepath.Join(dir, "b.yaml"))
		}, "cannot read DIR/b.yaml, which is a link: only links to files of DIR are followed: statat b.yaml: path escapes from parent"},
		"loop": {func(_ *testing.T, dir string) error {
			return os.Symlink("b.yaml", filepath.Join(dir, "b.yaml"))
		}, "cannot read DIR/b.yaml, which is a link: only links to files of DIR are followed: statat b.yaml: too many levels of symbolic links"},
		"link to a directory": {func(_ *testing.T, dir string) error {
			return os.Symlink(".", filepath.Join(dir, "b.yaml"))
		}, "cannot read DIR/b.yaml: it is no file, nor a link to one"},
		"long line": {func(_ *testing.T, dir string) error {
			return os.Truncate(filepath.Join(dir, "a.yaml"), bounds.ObjectBytes+1000)
		}, "cannot read DIR/a.yaml, line 4: the object is larger than 12 MiB: leave it out"},
		"large object": {func(_ *testing.T, dir string) error {
			line := "# " + strings.Repeat("x", 1<<20) + "\n"
			return os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(configMap+strings.Repeat(line, 13)), 0o600)
		}, "cannot read DIR/a.yaml, line 1: the object is larger than 12 MiB: leave it out"},
		"bomb": {func(_ *testing.T, dir string) error {
			return os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(bomb.String()), 0o600)
		}, "cannot read DIR/a.yaml, line 1: a5[3]: is a YAML alias (*a4) by which aliases stand for more than 100000 values: write the values out"},
		"deep": {func(_ *testing.T, dir string) error {
			return os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(configMap+"data: "+strings.Repeat("[", 20_000)), 0o600)
		}, "cannot read DIR/a.yaml, line 1: is nested deeper than 250 levels: make it flatter"},
		"many values in an item": {func(_ *testing.T, dir string) error {
			return os.WriteFile(filepath.Join(dir, "a.yaml"), []byte("apiVersion: v1\nkind: List\nitems:\n- "+
				strings.ReplaceAll(configMap, "\n", "\n  ")+"data: ["+strings.Repeat("1,", 300_000)+"]\n"), 0o600)
		}, "cannot read DIR/a.yaml, line 4: the object has 300014 values, and may have 300000: make it smaller, or split it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(configMap), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := c.make(t, dir); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, refusal(t, dir, "DIR")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
