// SPDX-License-Identifier: Apache-2.0

package kpt

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/tree"
)

// TestPipelines renders each package of testdata/pipelines in each way, and again. They have subpackages with pipelines
// of their own, and other functions before and after ours. The first render must make the change in
// testdata/pipelines/<case>.diff, the second none.
func TestPipelines(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(filepath.Join("testdata", "pipelines"))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		name := entry.Name()
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			input := tree.Load(t, "testdata", "pipelines", name)
			for _, way := range renders {
				t.Run(way, func(t *testing.T) {
					rendered := render(t, way, input)
					golden(t, filepath.Join("pipelines", name+".diff"), input, rendered)
					if repeats(way) {
						equal(t, "a second render changes the package", rendered, render(t, way, rendered))
					}
				})
			}
		})
	}
}

// TestPrependedFunctionsRun checks that functions which prepend-pipeline puts into the pipeline that it stands in run
// from the next render on, and that a config without a pipeline removes them.
func TestPrependedFunctionsRun(t *testing.T) {
	t.Parallel()
	for _, way := range renders {
		t.Run(way, func(t *testing.T) {
			input := tree.Load(t, "testdata", "prepended", "package")
			first := render(t, way, input)
			golden(t, filepath.Join("prepended", "first-render.diff"), input, first)
			second := render(t, way, first)
			golden(t, filepath.Join("prepended", "second-render.diff"), first, second)
			equal(t, "a third render changes the package", second, render(t, way, second))

			without := maps.Clone(second)
			without["variant.yaml"], _, _ = strings.Cut(second["variant.yaml"], "  pipeline:\n")
			without["variant.yaml"] += "  packageContext: {}\n"
			removed := render(t, way, without)
			if removed["Kptfile"] != input["Kptfile"] {
				t.Errorf("the Kptfile is not what it was before:\n%s", removed["Kptfile"])
			}
			equal(t, "a render after the removal changes the package", removed, render(t, way, removed))
		})
	}
}

// TestExpansionFollowsTheSnapshot checks that the variants' files come and go with the Repositories in the package.
func TestExpansionFollowsTheSnapshot(t *testing.T) {
	t.Parallel()
	const (
		function = "expand-variantset"
		north    = "packagevariants/default/web-edge-1-web-north-sr4g3vy2n8.yaml"
		south    = "packagevariants/default/web-edge-2-web-south-4hj80dh187.yaml"
	)
	input := tree.Load(t, "testdata", "ways", function+"-set")
	for name, run := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			both, _, err := run(t, input, function)
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range []string{north, south} {
				if both[file] == "" {
					t.Errorf("there is no %s", file)
				}
			}
			both[north] = strings.Replace(both[north], "  name:", "  # Our first.\n  name:", 1)
			one := maps.Clone(both)
			delete(one, "cluster/edge-2.yaml")
			delete(one, south)
			before := maps.Clone(both)
			delete(before, "cluster/edge-2.yaml")
			got, _, err := run(t, before, function)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "a Repository went, but not its variant alone", one, got)
			got["cluster/edge-2.yaml"] = both["cluster/edge-2.yaml"]
			got, _, err = run(t, got, function)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "the Repository came back, but not its variant alone", both, got)
		})
	}
}
