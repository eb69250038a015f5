// SPDX-License-Identifier: Apache-2.0

package kpt

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/kpt"
	"github.com/package-variants/package-variants/e2e/internal/podman"
	"github.com/package-variants/package-variants/e2e/internal/tree"
)

// containers runs the images of the functions.
var containers podman.Shared

// withContainers returns kpt with the images of the functions, in podman. Without podman the test is skipped.
func withContainers(t *testing.T) kpt.Tool {
	t.Helper()
	c := tool
	c.Env = append([]string{"KRM_FN_RUNTIME=podman"}, containers.Get(t).Env()...)
	return c
}

// image returns the name of a function's image.
func image(t *testing.T, function string) string {
	t.Helper()
	if function == "noop" {
		return podman.Noop
	}
	images, err := podman.ImagesFromEnv()
	if err != nil {
		t.Fatal(err)
	}
	return images.Ref(function)
}

// named replaces images by executables in what was printed.
func named(t *testing.T, printed string) string {
	t.Helper()
	for _, function := range functions {
		printed = strings.ReplaceAll(printed, image(t, function), function)
	}
	return printed
}

// byImage returns the files with images in place of executables.
func byImage(t *testing.T, files tree.Tree) tree.Tree {
	t.Helper()
	return replaceAll(files, func(function string) (string, string) {
		return "exec: " + function,
			"image: " + image(t, function)
	})
}

// byExec undoes what byImage does.
func byExec(t *testing.T, files tree.Tree) tree.Tree {
	t.Helper()
	return replaceAll(files, func(function string) (string, string) {
		return "image: " + image(t, function),
			"exec: " + function
	})
}

func replaceAll(files tree.Tree, replacement func(function string) (from, to string)) tree.Tree {
	files = maps.Clone(files)
	for _, function := range append([]string{"noop"}, functions...) {
		from, to := replacement(function)
		for name, content := range files {
			files[name] = strings.ReplaceAll(content, from, to)
		}
	}
	return files
}

// TestGoldenCases runs each golden case of each function's own tests by executable and by image, which must do the
// same.
func TestGoldenCases(t *testing.T) {
	t.Parallel()
	for _, function := range functions {
		configs, err := filepath.Glob(filepath.Join("..", "..", "functions", function, "testdata", "*", "_fnconfig.yaml"))
		if err != nil || len(configs) == 0 {
			t.Fatalf("no cases of %s: %v", function, err)
		}
		for _, config := range configs {
			dir := filepath.Dir(config)
			t.Run(function+"/"+filepath.Base(dir), func(t *testing.T) {
				t.Parallel()
				files := tree.Load(t, dir)
				files["config.yaml"] = files["_fnconfig.yaml"]
				delete(files, "_fnconfig.yaml")
				delete(files, "_expected.yaml")
				got, _, err := ways["eval-image"](t, files, function)
				if err != nil {
					t.Fatal(err)
				}
				want, _, err := ways["eval"](t, files, function)
				if err != nil {
					t.Fatal(err)
				}
				equal(t, "the image does not do what the executable does", want, got)
			})
		}
	}
}
