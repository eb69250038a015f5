// SPDX-License-Identifier: Apache-2.0

package kpt

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/kpt"
	"github.com/package-variants/package-variants/e2e/internal/registry"
	"github.com/package-variants/package-variants/e2e/internal/tree"
)

// withRegistry returns kpt with the images of the functions, and the address of a registry that podman may pull from.
// It has no images.
func withRegistry(t *testing.T) (c kpt.Tool, address string) {
	t.Helper()
	c = withContainers(t)
	address = registry.Start(t).Address
	config := filepath.Join(t.TempDir(), "registries.conf")
	content := fmt.Sprintf("unqualified-search-registries = []\n[[registry]]\nlocation = %q\ninsecure = true\n", address)
	if err := os.WriteFile(config, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	c.Env = append(c.Env, "CONTAINERS_REGISTRIES_CONF="+config)
	return c, address
}

// TestPull checks that kpt runs an image that is in a registry only.
func TestPull(t *testing.T) {
	t.Parallel()
	const function, name = "apply-package-context", "apply-package-context-configmap"
	c, address := withRegistry(t)
	remote := address + "/pulled/" + function + ":v1"
	if _, err := containers.Get(t).Podman(nil, "push", "--quiet", "--tls-verify=false", image(t, function),
		"docker://"+remote); err != nil {
		t.Fatal(err)
	}
	input := tree.Load(t, "testdata", "ways", name)
	dir := write(t, input)
	if _, err := c.EvalImage(dir, remote, filepath.Join(dir, "config.yaml")); err != nil {
		t.Fatal(err)
	}
	golden(t, filepath.Join("ways", name+".diff"), input, tree.Load(t, dir))
}

// TestNoImage checks what kpt prints where there is no such image, which is in testdata/images/<case>.txt, and that the
// package stays as it was.
func TestNoImage(t *testing.T) {
	t.Parallel()
	const function = "apply-package-context"
	for name, run := range map[string]func(c kpt.Tool, dir, image, config string) (kpt.Output, error){
		"eval-never-pull": func(c kpt.Tool, dir, image, config string) (kpt.Output, error) {
			return c.EvalImage(dir, image, config, "--image-pull-policy", "Never")
		},
		"eval": func(c kpt.Tool, dir, image, config string) (kpt.Output, error) {
			return c.EvalImage(dir, image, config)
		},
		"render-never-pull": func(c kpt.Tool, dir, _, _ string) (kpt.Output, error) {
			return c.RenderImages(dir, "--image-pull-policy", "Never")
		},
		"render": func(c kpt.Tool, dir, _, _ string) (kpt.Output, error) { return c.RenderImages(dir) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, address := withRegistry(t)
			missing := address + "/package-variants/" + function + ":v0.0.0"
			files := tree.Load(t, "testdata", "ways", function+"-configmap")
			files["Kptfile"] = strings.Replace(files["Kptfile"], "exec: "+function, "image: "+missing, 1)
			stderr := fails(t, files, func(dir string) (kpt.Output, error) {
				return run(c, dir, missing, filepath.Join(dir, "config.yaml"))
			})
			tree.Golden(t, filepath.Join("testdata", "images", name+".txt"), strings.ReplaceAll(stderr, address, "REGISTRY"))
		})
	}
}

// TestNoRuntime checks what kpt prints where it finds no container runtime, which is in
// testdata/images/no-<runtime>.txt, and that the package stays as it was.
func TestNoRuntime(t *testing.T) {
	t.Parallel()
	for _, runtime := range []string{"docker", "podman"} {
		t.Run(runtime, func(t *testing.T) {
			t.Parallel()
			c := tool
			c.Env = []string{"KRM_FN_RUNTIME=" + runtime, "PATH=" + tool.Functions}
			files := tree.Load(t, "testdata", "ways", "apply-package-context-configmap")
			stderr := fails(t, files, func(dir string) (kpt.Output, error) {
				return c.EvalImage(dir, image(t, "apply-package-context"), filepath.Join(dir, "config.yaml"))
			})
			tree.Golden(t, filepath.Join("testdata", "images", "no-"+runtime+".txt"), stderr)
		})
	}
}
