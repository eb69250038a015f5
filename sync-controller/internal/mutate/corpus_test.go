// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"sigs.k8s.io/yaml"
)

// corpus are the awkward packages that the functions are held to with the real kpt.
const corpus = "../../../e2e/corpus/testdata"

// TestCorpus holds that of each package of the corpus, the functions either refuse it or find nothing to do in what they
// made of it.
func TestCorpus(t *testing.T) {
	t.Parallel()
	config, err := os.ReadFile(filepath.Join(corpus, "config", "variant.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var pv v1alpha1.PackageVariant
	if err := yaml.UnmarshalStrict(config, &pv); err != nil {
		t.Fatal(err)
	}
	r := request(t, &pv.Spec,
		`{apiVersion: v1, kind: ConfigMap, metadata: {name: eu-endpoints, namespace: fleet}, data: {api: api.eu.example.com, feature: "on", port: "0443"}}`,
		`{apiVersion: example.com/v1, kind: Team, metadata: {name: eu-team}, spec: {lead: "yes", onCall: 7, members: [{name: ada, admin: true}]}}`)
	r.Name = pv.Name
	dirs, err := filepath.Glob(filepath.Join(corpus, "[0-9][0-9]-*"))
	if err != nil || len(dirs) < 30 {
		t.Fatalf("%d packages, %v", len(dirs), err)
	}
	refused := 0
	for _, dir := range dirs {
		files := read(t, dir)
		if _, err := Apply(t.Context(), Builtin{}, files, r); err != nil {
			refused++
			continue
		}
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			if out := apply(t, files, r); out.Files["Kptfile"] == "" {
				t.Error("the Kptfile does not change")
			}
		})
	}
	if refused == 0 || refused > len(dirs)/4 {
		t.Errorf("%d of %d packages are refused", refused, len(dirs))
	}
}

func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".expected":
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		text, err := fs.ReadFile(root, path)
		files[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
