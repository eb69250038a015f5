// SPDX-License-Identifier: Apache-2.0

package podman

import (
	"fmt"
	"io"
	"strings"

	"github.com/nephio-project/porch/third_party/GoogleContainerTools/kpt-functions-catalog/functions/go/apply_replacements"
	"github.com/nephio-project/porch/third_party/GoogleContainerTools/kpt-functions-catalog/functions/go/set_namespace"
	"github.com/nephio-project/porch/third_party/GoogleContainerTools/kpt-functions-catalog/functions/go/starlark/starlark"
	"github.com/nephio-project/porch/third_party/GoogleContainerTools/kpt-functions-sdk/go/fn"
)

// builtins are the functions that Porch v1.5 runs in its own process instead of in its function-runner.
var builtins = []struct {
	function fn.ResourceListProcessorFunc
	// versions are the names and versions of its images that Porch runs itself.
	versions []string
}{
	{apply_replacements.ApplyReplacements, []string{"apply-replacements:v0.1.1", "apply-replacements:v0.1",
		"apply-replacements@sha256:85913d4ec8db62053eb060ff1b7e26d13ff8853b75cae4d0461b8a1c7ddd4947"}},
	{set_namespace.Run, []string{"set-namespace:v0.4.1", "set-namespace:v0.4",
		"set-namespace@sha256:f930d9248001fa763799cc81cf2d89bbf83954fc65de0db20ab038a21784f323"}},
	{starlark.Process, []string{"starlark:v0.4.3", "starlark:v0.4",
		"starlark@sha256:6ba3971c64abcd6c3d93039d45721bb5ab496c7fbbc9ac1e685b11577f368ce0"}},
}

// registries are where Porch's functions are: Porch's default, and kpt's, which kpt adds to names without a registry
// before this program sees them.
var registries = []string{"gcr.io/kpt-fn/", "ghcr.io/kptdev/krm-functions-catalog/"}

// builtin returns the function that Porch runs itself for an image; nil if the function-runner runs it.
func builtin(image string) fn.ResourceListProcessor {
	for _, registry := range registries {
		image = strings.TrimPrefix(image, registry)
	}
	for _, b := range builtins {
		for _, version := range b.versions {
			if version == image {
				return b.function
			}
		}
	}
	return nil
}

// execute runs a function as Porch does in its process: a panic is an error.
func execute(function fn.ResourceListProcessor, in io.Reader, out io.Writer) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the function panicked: %v", p)
		}
	}()
	return fn.Execute(function, in, out)
}
