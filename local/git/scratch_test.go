// SPDX-License-Identifier: Apache-2.0

package git_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/package-variants/package-variants/local/git/gittest"
)

// TestSweep removes from the cache what was killed a while ago, and nothing that may be in use.
func TestSweep(t *testing.T) {
	t.Parallel()
	remote := gittest.NewRemote(t, "packages")
	cache := t.TempDir()
	openIn(t, cache, remote.Address())
	long := time.Now().Add(-25 * time.Hour)
	for _, name := range []string{"scratch-old/refs/new", "new-old/objects", "scratch-young/refs", "other-old/refs"} {
		if err := os.MkdirAll(filepath.Join(cache, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if top, _, _ := strings.Cut(name, "/"); strings.HasSuffix(top, "-old") {
			if err := os.Chtimes(filepath.Join(cache, top), long, long); err != nil {
				t.Fatal(err)
			}
		}
	}
	openIn(t, cache, remote.Address())
	var left []string
	for _, name := range []string{"scratch-old", "new-old", "scratch-young", "other-old"} {
		if _, err := os.Stat(filepath.Join(cache, name)); !errors.Is(err, fs.ErrNotExist) {
			left = append(left, name)
		}
	}
	wantEqual(t, []string{"scratch-young", "other-old"}, left)
}
