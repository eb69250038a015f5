// SPDX-License-Identifier: Apache-2.0

package functionrunner

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/functions/inject-config/injection"
	"github.com/package-variants/package-variants/sync-controller/internal/mutate"
	"sigs.k8s.io/yaml"
)

// corpus are the awkward packages that the functions are held to with the real kpt.
const corpus = "../../../e2e/corpus/testdata"

// TestCorpus holds that of each package of the corpus, functions that run by image make what they make in this process,
// byte for byte, or fail with the same message; and that a second run has nothing to do.
func TestCorpus(t *testing.T) {
	t.Parallel()
	dirs, err := filepath.Glob(filepath.Join(corpus, "[0-9][0-9]-*"))
	if err != nil || len(dirs) < 30 {
		t.Fatalf("%d packages, %v", len(dirs), err)
	}
	runtime, request := start(t, nil), corpusRequest(t)
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			files := readPackage(t, dir)
			expectSame(t, runtime, files, request)
		})
	}
}

// expectSame fails the test unless the runtime makes of a package what mutate.Builtin does.
func expectSame(t *testing.T, runtime mutate.Runtime, files map[string]string, request mutate.Request) {
	t.Helper()
	want, wantErr := mutate.Apply(t.Context(), mutate.Builtin{}, files, request)
	got, err := mutate.Apply(t.Context(), runtime, files, request)
	if diff := cmp.Diff(fmt.Sprint(wantErr), fmt.Sprint(err)); diff != "" {
		t.Errorf("error (-builtin +by image):\n%s", diff)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcome (-builtin +by image):\n%s", diff)
	}
}

func corpusRequest(t *testing.T) mutate.Request {
	t.Helper()
	config, err := os.ReadFile(filepath.Join(corpus, "config", "variant.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var pv v1alpha1.PackageVariant
	if err := yaml.UnmarshalStrict(config, &pv); err != nil {
		t.Fatal(err)
	}
	objects := map[injection.Candidate]string{
		{APIVersion: "v1", Kind: "ConfigMap", Name: "eu-endpoints"}:   `{apiVersion: v1, kind: ConfigMap, metadata: {name: eu-endpoints, namespace: fleet}, data: {api: api.eu.example.com, feature: "on", port: "0443"}}`,
		{APIVersion: "example.com/v1", Kind: "Team", Name: "eu-team"}: `{apiVersion: example.com/v1, kind: Team, metadata: {name: eu-team}, spec: {lead: "yes", onCall: 7, members: [{name: ada, admin: true}]}}`,
	}
	return mutate.Request{Name: pv.Name, Namespace: "fleet", Spec: &pv.Spec, Objects: func(_ context.Context, candidates []injection.Candidate) ([]map[string]any, error) {
		var found []map[string]any
		for _, c := range candidates {
			var object map[string]any
			if err := yaml.Unmarshal([]byte(objects[c]), &object); err != nil {
				return nil, err
			}
			if object != nil {
				found = append(found, object)
			}
		}
		return found, nil
	}}
}

// readPackage returns the files of a package of the corpus by their path.
func readPackage(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if path == ".expected" {
				return fs.SkipDir
			}
			return err
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
