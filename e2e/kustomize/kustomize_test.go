// SPDX-License-Identifier: Apache-2.0

package kustomize

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/tree"

	"github.com/google/go-cmp/cmp"
)

// TestSameAsKpt builds each package that kpt is tested with, with the function as a transformer. That must give what
// kustomize builds, without functions, of the package that kpt has run the function on: so all that differs from what
// kpt writes is what kustomize does to any resource (comments go, keys are sorted). In a second layer the function must
// change nothing.
func TestSameAsKpt(t *testing.T) {
	t.Parallel()
	ways := filepath.Join("..", "kpt", "testdata", "ways")
	dirs, err := filepath.Glob(filepath.Join(ways, "*", "Kptfile"))
	if err != nil || len(dirs) < 8 {
		t.Fatalf("found the packages %q: %v", dirs, err)
	}
	for _, kptfile := range dirs {
		name := filepath.Base(filepath.Dir(kptfile))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			function := name[:strings.LastIndex(name, "-")]
			input := buildable(tree.Load(t, ways, name))
			after := byKpt(t, input, function)
			after["kustomization.yaml"] = kustomization(resources(after))
			want := must(t, after, ".")
			before := input.Add(".", tree.Tree{"kustomization.yaml": kustomization(resources(input))})
			if must(t, before, ".") == want {
				t.Error("the function changes nothing that kustomize builds")
			}

			layers := tree.Tree{}.Add("once", input).Add("once", tree.Tree{
				"kustomization.yaml": kustomization(resources(input), "config.yaml"),
			}).Add("twice", tree.Tree{
				"config.yaml": "", "kustomization.yaml": kustomization([]string{"../once"}, "config.yaml"),
			})
			for _, layer := range []string{"once", "twice"} {
				layers[layer+"/config.yaml"] = configFor(function, input["config.yaml"])
				b := build(t, layers, layer, plugins, executables)
				if diff := cmp.Diff(want, b.stdout); diff != "" || b.code != 0 {
					t.Errorf("%s: exit code %d, %s (-want +got):\n%s", layer, b.code, b.stderr, diff)
				}
			}
		})
	}
}

// TestOneAfterTheOther builds a package with three functions that read the same PackageVariant. They stand in layers:
// kustomize takes a config of one kind and name only once in a kustomization.
func TestOneAfterTheOther(t *testing.T) {
	t.Parallel()
	functions := []string{"apply-package-context", "prepend-pipeline", "inject-config"}
	input := buildable(tree.Load(t, "..", "kpt", "testdata", "pipelines", "all-of-one-variant"))
	input["config.yaml"] = input["variant.yaml"]
	delete(input, "variant.yaml")
	after := byKpt(t, input, functions...)
	after["kustomization.yaml"] = kustomization(resources(after))
	want := must(t, after, ".")

	layers := tree.Tree{}.Add("package", input)
	layers["package/kustomization.yaml"] = kustomization(resources(input))
	below := "../package"
	for _, function := range functions {
		layers[function+"/config.yaml"] = configFor(function, input["config.yaml"])
		layers[function+"/kustomization.yaml"] = kustomization([]string{below}, "config.yaml")
		below = "../" + function
	}
	if diff := cmp.Diff(want, build(t, layers, "inject-config", plugins, executables).stdout); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestGenerator expands a set as a generator, which gets no resources: the snapshot stands in the config. It must give
// the variants that kpt writes.
func TestGenerator(t *testing.T) {
	t.Parallel()
	input := tree.Load(t, "..", "kpt", "testdata", "ways", "expand-variantset-typed")
	after := byKpt(t, input, "expand-variantset")
	maps.DeleteFunc(after, func(name, _ string) bool { return !strings.HasPrefix(name, "packagevariants/") })
	after["kustomization.yaml"] = kustomization(resources(after))
	want := must(t, after, ".")

	config := configFor("expand-variantset", input["config.yaml"]) + "resources:\n"
	for _, name := range resources(input) {
		if strings.HasPrefix(name, "cluster/") {
			config += "- " + strings.ReplaceAll(strings.TrimSpace(input[name]), "\n", "\n  ") + "\n"
		}
	}
	files := tree.Tree{"config.yaml": config, "kustomization.yaml": "generators:\n- config.yaml\n"}
	if diff := cmp.Diff(want, must(t, files, ".")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
