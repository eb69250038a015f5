// SPDX-License-Identifier: Apache-2.0

// Package fntest runs KRM functions in tests, from ResourceList to ResourceList as an orchestrator would.
package fntest

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kptdev/krm-functions-sdk/go/fn"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// UpdateEnv is the environment variable that makes Golden rewrite the expected files; `make golden` sets it.
const UpdateEnv = "UPDATE_GOLDEN"

// Files are the files of a package, by path.
type Files map[string]string

// Items returns the resources in the files as an orchestrator hands them to a function, ordered by path.
func Items(t testing.TB, files Files) fn.KubeObjects {
	t.Helper()
	var items fn.KubeObjects
	for _, path := range slices.Sorted(maps.Keys(files)) {
		objects, err := fn.ReadKubeObjectsFromFile(path, files[path])
		if err != nil {
			t.Fatalf("cannot read %s: %v", path, err)
		}
		items = append(items, objects...)
	}
	return items
}

// Nodes returns the resources in the files as nodes.
func Nodes(t testing.TB, files Files) []*yaml.RNode {
	t.Helper()
	return Items(t, files).CopyToResourceNodes()
}

// List returns a ResourceList with the resources in the files and the functionConfig, which may be empty.
func List(t testing.TB, config string, files Files) []byte {
	t.Helper()
	rl := &fn.ResourceList{Items: Items(t, files)}
	if strings.TrimSpace(config) != "" {
		object, err := fn.ParseKubeObject([]byte(config))
		if err != nil {
			t.Fatalf("cannot read the functionConfig: %v", err)
		}
		rl.FunctionConfig = object
	}
	out, err := rl.ToYAML()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Run runs the function on a ResourceList, and returns what its binary would: standard output, standard error and the
// exit code.
func Run(f krm.Function, list []byte) (stdout []byte, stderr string, code int) {
	var out, errOut bytes.Buffer
	code = krm.Run(f, bytes.NewReader(list), &out, &errOut)
	return out.Bytes(), errOut.String(), code
}

// Parse reads a ResourceList.
func Parse(t testing.TB, list []byte) *fn.ResourceList {
	t.Helper()
	rl, err := fn.ParseResourceList(list)
	if err != nil {
		t.Fatalf("output is no ResourceList: %v\n%s", err, list)
	}
	return rl
}

// Fails runs the function on the files, expects it to refuse them with exactly the sentence wanted, and checks what
// holds for every failure: exit code 1, the sentence on standard error and in error results, the items as they came.
func Fails(t *testing.T, f krm.Function, config string, files Files, want string) {
	t.Helper()
	list := List(t, config, files)
	stdout, stderr, code := Run(f, list)
	if code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	if diff := cmp.Diff(strings.TrimSpace(want), strings.TrimSpace(stderr)); diff != "" {
		t.Errorf("standard error (-want +got):\n%s", diff)
	}
	out := Parse(t, stdout)
	var messages []string
	for _, r := range out.Results {
		if r.Severity != fn.Error {
			t.Errorf("result of severity %q, want error", r.Severity)
		}
		messages = append(messages, r.Message)
	}
	if diff := cmp.Diff(strings.TrimSpace(stderr), strings.Join(messages, "\n")); diff != "" {
		t.Errorf("standard error and results differ (-stderr +results):\n%s", diff)
	}
	if diff := cmp.Diff(Parse(t, list).Items.String(), out.Items.String()); diff != "" {
		t.Errorf("a failure changed the items (-before +after):\n%s", diff)
	}
}

// Golden runs the function on each directory below dir: the package in it, with the functionConfig in _fnconfig.yaml,
// must give the ResourceList in _expected.yaml, and the same items once more when it is run on that.
func Golden(t *testing.T, dir string, f krm.Function) {
	t.Helper()
	cases, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Fatalf("no cases in %s", dir)
	}
	for _, c := range cases {
		t.Run(c.Name(), func(t *testing.T) {
			t.Parallel()
			golden(t, filepath.Join(dir, c.Name()), f)
		})
	}
}

func golden(t *testing.T, dir string, f krm.Function) {
	t.Helper()
	config, err := os.ReadFile(filepath.Join(dir, "_fnconfig.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := Run(f, List(t, string(config), ReadDir(t, dir)))
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	compare(t, filepath.Join(dir, "_expected.yaml"), stdout)
	again := Parse(t, stdout)
	again.Results = nil
	list, err := again.ToYAML()
	if err != nil {
		t.Fatal(err)
	}
	second, _, _ := Run(f, list)
	if diff := cmp.Diff(again.Items.String(), Parse(t, second).Items.String()); diff != "" {
		t.Errorf("a second run changed the package (-first +second):\n%s", diff)
	}
}

func compare(t *testing.T, path string, got []byte) {
	t.Helper()
	if os.Getenv(UpdateEnv) != "" {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (make golden writes it)", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// ReadDir returns the files of the package in dir; those whose names begin with "_" belong to the test.
func ReadDir(t testing.TB, dir string) Files {
	t.Helper()
	files := Files{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), "_") || !fn.IsKrmResourceFile(path) {
			return err
		}
		content, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(rel)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
