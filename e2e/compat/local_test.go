// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/package-variants/package-variants/local/manifests"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// wrongValues are values that few fields may have.
var wrongValues = []any{nil, "", "A_B", "a/b", "-a", int64(-1), int64(5e9), true, []any{}, []any{nil}, map[string]any{},
	strings.Repeat("a", 300), "name", "v0"}

// TestLocal checks that the home of files takes no manifest that an API server refuses: manifests with each field of our
// kinds, in each of which one value is another one, is missing, or is there many times.
func TestLocal(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../../api/v1alpha*/testdata/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	servers := map[string]server{"PackageVariant": newServer(t, filepath.Join(crdDir, variantCRD)),
		"PackageVariantSet": newServer(t, filepath.Join(crdDir, variantSetCRD))}
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			object := map[string]any{}
			if err := yaml.Unmarshal(text, &object); err != nil || object["kind"] == nil {
				t.Skip("it is no object")
			}
			delete(object, "status")
			in := servers[fmt.Sprint(object["kind"])]
			refused := 0
			for what, changed := range variations(object["spec"]) {
				manifest, err := json.Marshal(map[string]any{"apiVersion": object["apiVersion"], "kind": object["kind"],
					"metadata": object["metadata"], "spec": changed})
				if err != nil {
					t.Fatal(err)
				}
				asked := &unstructured.Unstructured{}
				var why error
				if err := asked.UnmarshalJSON(manifest); err != nil {
					t.Fatal(err)
				}
				asked.SetNamespace("fleet")
				if refused := in.create(t, asked); len(refused) > 0 {
					why = refused.ToAggregate()
				}
				m, err := manifests.Read(fstest.MapFS{"a.json": {Data: manifest}}, "DIR")
				if why != nil && err == nil && len(m.Problems) == 0 {
					t.Errorf("%s is taken, and an API server refuses it: %v", what, why)
				}
				if why != nil {
					refused++
				}
			}
			if refused == 0 {
				t.Error("the API server refuses nothing")
			}
		})
	}
}

// variations returns what a value becomes if one value in it is another one, is missing, or is there many times, by what
// was done.
func variations(of any) map[string]any {
	all := map[string]any{}
	for i, wrong := range wrongValues {
		all[fmt.Sprintf("= value %d", i)] = wrong
	}
	within := func(key any, value any, put func(any) any) {
		for what, changed := range variations(value) {
			all[fmt.Sprintf("%v %s", key, what)] = put(changed)
		}
	}
	switch value := of.(type) {
	case map[string]any:
		for key, each := range value {
			within(key, each, func(changed any) any {
				other := maps.Clone(value)
				other[key] = changed
				return other
			})
			without := maps.Clone(value)
			delete(without, key)
			all[key+" is missing"] = without
		}
	case []any:
		for i, each := range value {
			within(i, each, func(changed any) any {
				other := slices.Clone(value)
				other[i] = changed
				return other
			})
		}
		if len(value) > 0 {
			all["twice"], all["many times"] = slices.Concat(value, value), slices.Repeat(value[:1], 1100)
		}
	}
	return all
}
