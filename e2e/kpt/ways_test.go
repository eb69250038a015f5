// SPDX-License-Identifier: Apache-2.0

package kpt

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/tree"
)

// TestWays runs each package of testdata/ways in all ways, and again. The function is the one that the package's name
// begins with; it stands in the pipeline of the root Kptfile too. Eval must make the change in
// testdata/ways/<case>.diff, and the other ways the same one. Where kpt itself makes a difference,
// testdata/ways/<case>.<way>.diff is what it makes of the result of eval: in a pipe, it leaves out comments that stand
// before a file's first line with an empty line between, and leaves new fields where the function puts them.
func TestWays(t *testing.T) {
	t.Parallel()
	dirs, err := filepath.Glob(filepath.Join("testdata", "ways", "*", "Kptfile"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no packages: %v", err)
	}
	for _, kptfile := range dirs {
		name := filepath.Base(filepath.Dir(kptfile))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			input := tree.Load(t, "testdata", "ways", name)
			function := name[:strings.LastIndex(name, "-")]
			want, _, err := ways["eval"](t, input, function)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, filepath.Join("ways", name+".diff"), input, want)
			for way, run := range ways {
				t.Run(way, func(t *testing.T) {
					t.Parallel()
					got, _, err := run(t, input, function)
					if err != nil {
						t.Fatal(err)
					}
					golden(t, filepath.Join("ways", name+"."+way+".diff"), want, got)
					if !repeats(way) {
						return
					}
					again, _, err := run(t, got, function)
					if err != nil {
						t.Fatal(err)
					}
					equal(t, "a second run changes the package", got, again)
				})
			}
		})
	}
}
