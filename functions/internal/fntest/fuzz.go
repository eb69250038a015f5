// SPDX-License-Identifier: Apache-2.0

package fntest

import (
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

// TryList is List for input that may be nonsense: it reports false where no orchestrator could make a ResourceList.
func TryList(config string, files Files) (list []byte, ok bool) {
	defer func() {
		if recover() != nil { // the SDK panics on aliases in the fields that it reads and sorts by
			ok = false
		}
	}()
	rl := &fn.ResourceList{}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		objects, err := fn.ReadKubeObjectsFromFile(path, files[path])
		if err != nil {
			return nil, false
		}
		rl.Items = append(rl.Items, objects...)
	}
	object, err := fn.ParseKubeObject([]byte(config))
	if err != nil {
		return nil, false
	}
	rl.FunctionConfig = object
	list, err = rl.ToYAML()
	if err != nil {
		return nil, false
	}
	// What does not survive a round trip without any function says nothing about one.
	noop, _, code := Run(Noop, list)
	return list, code == 0 && string(noop) == string(list)
}

// Noop is the function that does nothing.
var Noop krm.Function = func(_ *yaml.RNode, items []*yaml.RNode) (krm.Output, error) {
	return krm.Output{Items: items}, nil
}

// TryPackage runs the function on the files of a package, which may be nonsense, and checks what holds for every run.
// It returns what the function wrote, or false if it refused or no orchestrator could make a ResourceList.
func TryPackage(t *testing.T, f krm.Function, config string, files Files) (stdout []byte, ok bool) {
	t.Helper()
	list, ok := TryList(config, files)
	if !ok {
		return nil, false
	}
	stdout, stderr, code := Run(f, list)
	CheckOutcome(t, f, stdout, stderr, code)
	return stdout, code == 0
}

// CheckOutcome checks what holds for every run of a function: it ends with 0 or 1; with 1, it says why; with 0, a run
// on its output changes nothing.
func CheckOutcome(t *testing.T, f krm.Function, stdout []byte, stderr string, code int) {
	t.Helper()
	switch {
	case code != 0 && code != 1, (code == 0) != (stderr == ""):
		t.Fatalf("exit code %d with standard error %q", code, stderr)
	case strings.Contains(stderr, "cannot process the ResourceList"):
		t.Fatalf("panic: %s", stderr)
	case code == 1:
		return
	}
	again := Parse(t, stdout)
	again.Results = nil
	list, err := again.ToYAML()
	if err != nil {
		t.Fatal(err)
	}
	second, stderr, code := Run(f, list)
	if code != 0 {
		t.Fatalf("a second run failed: %s", stderr)
	}
	twice := Parse(t, second)
	if diff := cmp.Diff(again.Items.String(), twice.Items.String()); diff != "" {
		t.Errorf("a second run changed the package (-first +second):\n%s", diff)
	}
}

// FuzzInput fuzzes a function with whole ResourceLists, made of the golden cases below dir: for any input, the function
// ends with 0 or 1, says why if it is 1, writes a ResourceList, and does not panic.
func FuzzInput(f *testing.F, dir string, function krm.Function) {
	f.Helper()
	cases, err := os.ReadDir(dir)
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range cases {
		path := filepath.Join(dir, c.Name())
		config, err := os.ReadFile(filepath.Join(path, "_fnconfig.yaml"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(List(f, string(config), ReadDir(f, path)))
	}
	f.Add([]byte("kind: ResourceList\nitems: null\nfunctionConfig: null\n"))
	f.Add([]byte("kind: ResourceList\nitems: [null, [], &a {x: *a}, {kind: *a, metadata: *a}]\n"))
	f.Fuzz(func(t *testing.T, list []byte) {
		stdout, stderr, code := Run(function, list)
		switch {
		case code != 0 && code != 1, (code == 0) != (stderr == ""):
			t.Errorf("exit code %d with standard error %q", code, stderr)
		case strings.Contains(stderr, "cannot process the ResourceList"):
			t.Errorf("panic: %s", stderr)
		}
		if _, err := fn.ParseResourceList(stdout); err != nil && code == 0 {
			t.Errorf("output is no ResourceList: %v\n%s", err, stdout)
		}
	})
}
