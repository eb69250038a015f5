// SPDX-License-Identifier: Apache-2.0

package kpt

import (
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/tree"
)

// TestExamples runs the functions of each example in all ways: they must make the same change, that in
// testdata/examples/<example>.diff, and no change when they run again. What the READMEs say is tested elsewhere.
func TestExamples(t *testing.T) {
	t.Parallel()
	fleet := example(t, "variant-of-a-fleet/cluster")
	fleet["config.yaml"] = example(t, "variant-of-a-fleet")["set.yaml"]
	for name, c := range map[string]struct {
		files     tree.Tree
		functions []string
	}{
		"apply-package-context-simple": {configured(example(t, "apply-package-context-simple"), "variant.yaml"),
			[]string{"apply-package-context"}},
		"prepend-pipeline-cleanup": {configured(example(t, "prepend-pipeline-cleanup"), "variant.yaml"),
			[]string{"prepend-pipeline"}},
		"inject-config-simple": {configured(example(t, "inject-config-simple"), "variant.yaml"),
			[]string{"inject-config"}},
		"inject-config-two-points": {configured(example(t, "inject-config-two-points"), "variant.yaml"),
			[]string{"inject-config"}},
		"expand-variantset-simple": {configured(example(t, "expand-variantset-simple"), "set.yaml"),
			[]string{"expand-variantset"}},
		"variant-of-a-fleet": {fleet, []string{"expand-variantset"}},
		"variant-of-a-fleet.chain": {chained(t, fleet), []string{"apply-package-context", "prepend-pipeline",
			"inject-config"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			input := listed(c.files, c.functions)
			want := inWay(t, "eval", input, c.functions)
			golden(t, path.Join("examples", name+".diff"), input, want)
			for way := range ways {
				t.Run(way, func(t *testing.T) {
					t.Parallel()
					got := inWay(t, way, input, c.functions)
					equal(t, "the result differs from that of eval", want, got)
					if !repeats(way) || way == "render" && slices.Contains(c.functions, "prepend-pipeline") {
						return // the next render runs the functions that this one prepended
					}
					equal(t, "a second run changes the package", got, inWay(t, way, got, c.functions))
				})
			}
		})
	}
}

// inWay runs the functions one after the other; a render runs all at once.
func inWay(t *testing.T, way string, files tree.Tree, functions []string) tree.Tree {
	t.Helper()
	if slices.Contains(renders, way) {
		return render(t, way, files)
	}
	for _, function := range functions {
		result, _, err := ways[way](t, files, function)
		if err != nil {
			t.Fatal(err)
		}
		files = result
	}
	return files
}

// listed returns the files with the functions as the Kptfile's pipeline.
func listed(files tree.Tree, functions []string) tree.Tree {
	files = maps.Clone(files)
	files["Kptfile"] += "pipeline:\n  mutators:\n"
	for _, function := range functions {
		files["Kptfile"] += "    - exec: " + function + "\n      configPath: config.yaml\n"
	}
	return files
}

// example returns the KRM files of a directory of the examples, without a pipeline of their own.
func example(t *testing.T, dir string) tree.Tree {
	t.Helper()
	files := tree.Load(t, "..", "..", "examples", dir)
	for name := range files {
		if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "later/") || path.Ext(name) == ".md" {
			delete(files, name)
		}
	}
	files["Kptfile"], _, _ = strings.Cut(files["Kptfile"], "pipeline:")
	if files["Kptfile"] == "" {
		files["Kptfile"] = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: " + path.Base(dir) + "\n"
	}
	return files
}

// configured makes a file of the package its config.yaml.
func configured(files tree.Tree, config string) tree.Tree {
	files["config.yaml"] = files[config]
	delete(files, config)
	return files
}

// chained returns the blueprint of the fleet's variants, with the first of them as its config.
func chained(t *testing.T, fleet tree.Tree) tree.Tree {
	t.Helper()
	expanded := inWay(t, "eval", fleet, []string{"expand-variantset"})
	blueprint := example(t, "variant-of-a-fleet/blueprint")
	for _, name := range slices.Sorted(maps.Keys(expanded)) {
		if strings.HasPrefix(name, "packagevariants/") {
			blueprint["config.yaml"] = expanded[name]
			return blueprint
		}
	}
	t.Fatalf("no variants: %q", slices.Sorted(maps.Keys(expanded)))
	return nil
}
