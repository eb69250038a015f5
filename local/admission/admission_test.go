// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"fmt"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestCheck says why objects are refused; "<nil>" for those that are taken. TestLocal of e2e/compat compares with the
// API server's own code.
func TestCheck(t *testing.T) {
	t.Parallel()
	const set = "apiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\n"
	for text, want := range map[string]string{
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a:b}\nspec: 1":                        "<nil> <nil>",
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a/b}":                                 `<nil> metadata.name: Invalid value: "a/b": may not contain '/'`,
		"apiVersion: v1\nkind: ConfigMap\nmetadata: []":                                          "<nil> metadata: it is no map",
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: }":                         "<nil> <nil>",
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {a: [], b: }}":        "<nil> metadata.annotations[a]: YAML takes it for [], which is no string: put it in quotes",
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, finalizers: a}":                    "<nil> metadata.finalizers is a string, but must be a list",
		set + "metadata: {name: a}\nspec: {targets: [{}], maxDeletions: 10%}":                    "<nil> <nil>",
		set + "metadata: {name: a}\nspec: {targets: [{}], maxDeletions: }":                       `spec.maxDeletions must be of type integer,string: "null" <nil>`,
		set + "metadata: {name: a}\nspec: {targets: [{template: {adoptionPolicy: x, a: 1}}, 1]}": `spec.targets[0].template.adoptionPolicy should be one of [adoptNone adoptExisting]; spec.targets[1] must be of type object: "number" <nil>`,
	} {
		object := map[string]any{}
		if err := yaml.Unmarshal([]byte(text), &object); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(CheckSchema(object), " ", CheckMetadata(object, false)); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", text, got, want)
		}
	}
}
