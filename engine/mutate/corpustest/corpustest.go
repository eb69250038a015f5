// SPDX-License-Identifier: Apache-2.0

// Package corpustest gives tests of the runtimes the awkward packages that the functions are also tested on with the
// real kpt, and what a variant of them asks for.
package corpustest

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// dir returns the directory of the corpus, from that of a test of any module of the workspace.
func dir(t *testing.T) string {
	t.Helper()
	root := ".."
	for range 10 {
		if _, err := os.Stat(filepath.Join(root, "go.work")); err == nil {
			return filepath.Join(root, "e2e", "corpus", "testdata")
		}
		root = filepath.Join(root, "..")
	}
	t.Fatal("the test is in no workspace with a corpus")
	return ""
}

// Packages returns the files of each package by their paths in it. Too few packages end the test.
func Packages(t *testing.T) map[string]map[string]string {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(dir(t), "[0-9][0-9]-*"))
	if err != nil || len(dirs) < 30 {
		t.Fatalf("%d packages, %v", len(dirs), err)
	}
	packages := map[string]map[string]string{}
	for _, dir := range dirs {
		packages[filepath.Base(dir)] = read(t, dir)
	}
	return packages
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

// Variant returns the variant of the packages.
func Variant(t *testing.T) *v1alpha1.PackageVariant {
	t.Helper()
	config, err := os.ReadFile(filepath.Join(dir(t), "config", "variant.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var pv v1alpha1.PackageVariant
	if err := yaml.UnmarshalStrict(config, &pv); err != nil {
		t.Fatal(err)
	}
	return &pv
}

// Objects returns the objects that the variant injects.
func Objects(t *testing.T) []map[string]any {
	t.Helper()
	objects := make([]map[string]any, 2)
	for i, text := range []string{
		`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "eu-endpoints", "namespace": "fleet"}, ` +
			`"data": {"api": "api.eu.example.com", "feature": "on", "port": "0443"}}`,
		`{"apiVersion": "example.com/v1", "kind": "Team", "metadata": {"name": "eu-team"}, ` +
			`"spec": {"lead": "yes", "onCall": 7, "members": [{"name": "ada", "admin": true}]}}`,
	} {
		// of apimachinery: it tells integers from floats, as the API does
		if err := json.Unmarshal([]byte(text), &objects[i]); err != nil {
			t.Fatal(err)
		}
	}
	return objects
}
