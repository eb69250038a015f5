// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const manifest = `apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: {name: web}
spec:
  upstream: {repo: blueprints, package: web, revision: 1}
  downstream: {repo: edge, package: web}
  pipeline: {mutators: [{name: namespace, image: "` + image + `", configMap: {namespace: site}}]}
`

// podman stands for the program by which kpt runs functions: it runs the one of the test, whatever the image.
const podman = "#!/bin/sh\n[ \"$1\" != run ] || exec \"$TOOLS_BIN/set-namespace\"\n"

// TestRender checks that a plan has the files of a draft as Porch renders them, by the real kpt.
func TestRender(t *testing.T) {
	w := newWorld(t, "render")
	w.Publish("blueprints", "web", "v1", settings("1", "web:1"))
	dir := t.TempDir()
	file, planned := filepath.Join(dir, "web.yaml"), filepath.Join(dir, "planned")
	if err := os.WriteFile(file, []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "podman"), []byte(podman), 0o700); err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=" + w.path + ":" + dir + ":" + os.Getenv("PATH"), "KRM_FN_RUNTIME=podman"}
	got := w.kubectlWith(env, "variants", "plan", "-f", file, "--render", "--write-to", planned)
	if got.code != 1 || got.errOut != "" {
		t.Fatalf("the plan is %+v", got)
	}
	if got := w.kubectl("apply", "-f", file); got.code != 0 {
		t.Fatal(got.errOut)
	}
	w.target("web", "edge.web.packagevariant-1")
	made := w.Files("edge.web.packagevariant-1")
	if !strings.Contains(made["settings.yaml"], "namespace: site") {
		t.Errorf("Porch has not run the pipeline:\n%s", made["settings.yaml"])
	}
	foreseen := map[string]string{}
	for path := range made {
		data, err := os.ReadFile(filepath.Join(planned, "edge.web.packagevariant-1", path))
		if err != nil {
			t.Error(err)
		}
		foreseen[path] = string(data)
	}
	if diff := cmp.Diff(made, foreseen); diff != "" {
		t.Errorf("the plan has other files than Porch makes (-Porch +plan):\n%s", diff)
	}
}
