// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// TestKeys has lists of resources, and by which keys their elements are merged.
func TestKeys(t *testing.T) {
	t.Parallel()
	const pod, flux, kptfile = "{apiVersion: v1, kind: Pod, ", "{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, ", "{apiVersion: kpt.dev/v1, kind: Kptfile, "
	for text, want := range map[string]string{
		pod + "spec: {containers: [{name: a}]}}":                              "name",
		pod + "spec: {containers: [{image: a}]}}":                             "one value",
		pod + "spec: {containers: [{name: a, args: [a]}]}}":                   "name, one value",
		pod + "spec: {containers: [{name: a, ports: [{containerPort: 1}]}]}}": "name, containerPort+protocol",
		pod + "metadata: {finalizers: [a/b]}}":                                "scalars",
		flux + "spec: {healthChecks: [{kind: Deployment, name: a}]}}":         "one value",
		kptfile + "pipeline: {mutators: [{name: a, image: b}]}}":              "name",
		"{images: [{name: a}], resources: [a]}":                               "name, scalars",
		"{spec: {a: [{name: a}]}}":                                            "one value",
	} {
		root, err := yaml.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		var walk func(n *yaml.Node, schema Schema)
		walk = func(n *yaml.Node, schema Schema) {
			for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
				walk(n.Content[i+1], schema.Field(n, n.Content[i].Value))
			}
			if n.Kind != yaml.SequenceNode {
				return
			}
			keys, byElement := schema.Keys(n)
			switch {
			case !byElement:
				got = append(got, "one value")
			case keys == nil:
				got = append(got, "scalars")
			default:
				got = append(got, strings.Join(keys, "+"))
			}
			walk(n.Content[0], schema.Elements())
		}
		file := "kustomization.yaml"
		if strings.HasPrefix(text, kptfile) {
			file = "Kptfile"
		}
		walk(root.YNode(), SchemaOf(file, root.YNode()))
		if all := strings.Join(got, ", "); all != want {
			t.Errorf("%s: %s, want %s", text, all, want)
		}
	}
}
