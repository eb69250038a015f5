// SPDX-License-Identifier: Apache-2.0

package component

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAll checks which programs of this repository are released.
func TestAll(t *testing.T) {
	t.Parallel()
	got, err := All("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if got[i].Description == "" {
			t.Errorf("%s has no description", got[i].Name)
		}
		got[i].Description = ""
	}
	function := func(name string) Component {
		return Component{Name: name, Module: "functions", Package: "./" + name, Path: "/usr/local/bin/function",
			License: "Apache-2.0"}
	}
	want := []Component{
		function("apply-package-context"), function("expand-variantset"), function("inject-config"),
		function("merge-upstream"), function("prepend-pipeline"),
		{Name: "sync-controller", Module: "sync-controller", Package: ".", Path: "/usr/local/bin/sync-controller",
			License: "Apache-2.0"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestAllErrors(t *testing.T) {
	t.Parallel()
	const kptfile, metadata = "sync-controller/config/Kptfile", "functions/f/metadata.yaml"
	const good, described = "description: d\nlicense: Apache-2.0\n", "info: {description: d}\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"another directory": {nil, ": has no functions/*/metadata.yaml: it is not the root of the repository"},
		"no license": {map[string]string{metadata: "description: d", kptfile: described},
			"/functions/f/metadata.yaml: description and license must be set: they are what the image is labelled with"},
		"no description": {map[string]string{metadata: "license: MIT", kptfile: described},
			"/functions/f/metadata.yaml: description and license must be set: they are what the image is labelled with"},
		"metadata is no YAML": {map[string]string{metadata: "a: b: c", kptfile: described},
			"/functions/f/metadata.yaml: error converting YAML to JSON: yaml: mapping values are not allowed in this context"},
		"no controller": {map[string]string{metadata: good},
			"/sync-controller/config/Kptfile: no such file or directory"},
		"controller without a description": {
			map[string]string{metadata: good, kptfile: "info: {}"},
			"/sync-controller/config/Kptfile: info.description must be set: it is what the image is labelled with",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			for file, content := range c.files {
				path := filepath.Join(root, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want := root + c.want
			if name == "no controller" {
				want = "open " + want
			}
			if _, err := All(root); err == nil || err.Error() != want {
				t.Errorf("got %v\nwant %s", err, want)
			}
		})
	}
}
