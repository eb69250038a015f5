// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"github.com/package-variants/package-variants/functions/internal/node"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// schemaOf returns the schema of the API version that a resource has after the merge, so that a second merge merges its
// lists in the same way.
func (m *merged) schemaOf(s sources) *openapi.ResourceSchema {
	version := func(n *yaml.Node) string { return node.GetString(n, yaml.APIVersionField) }
	original, local, updated := version(s.original), version(s.local), version(s.updated)
	if local == updated && (s.original == nil || original == local) {
		return nil
	}
	kept := original == updated || original != local && !m.takesUpstream()
	result := updated
	if kept {
		result = local
	}
	schema := openapi.SchemaForResourceType(yaml.TypeMeta{APIVersion: result,
		Kind: node.GetString(s.local, yaml.KindField)})
	if schema == nil {
		return &openapi.ResourceSchema{Schema: &spec.Schema{}}
	}
	return schema
}
