// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/kustomize/kyaml/openapi"
)

// kustomizeGroup is the API group of the files that kustomize reads, which no API server has.
const kustomizeGroup = "kustomize.config.k8s.io"

// kustomization is the schema of Kustomizations and Components: which of their lists merge by element, and by which
// key. Each file is named once, and each image, generator and count has one entry; "" is for lists of names. The other
// lists are single values: their order has a meaning, or their elements no key.
var kustomization = func() *openapi.ResourceSchema {
	s := &spec.Schema{}
	for field, key := range map[string]string{
		"resources": "", "bases": "", "components": "", "crds": "", "configurations": "", "generators": "",
		"transformers": "", "validators": "", "patchesStrategicMerge": "",
		"patches": "path", "images": "name", "replicas": "name", "configMapGenerator": "name", "secretGenerator": "name",
		"helmCharts": "name",
	} {
		list := spec.Schema{SchemaProps: spec.SchemaProps{Type: spec.StringOrArray{"array"}}}
		list.AddExtension("x-kubernetes-patch-strategy", "merge")
		if key != "" {
			list.AddExtension("x-kubernetes-patch-merge-key", key)
		}
		s.SetProperty(field, list)
	}
	return &openapi.ResourceSchema{Schema: s}
}()
