// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"path"
	"strings"

	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/internal/pkgtree"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/resid"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// resultSchema returns the schema of the API version that a resource has after the merge, so that a second merge merges
// its lists in the same way.
func (m *merged) resultSchema(s sources) *openapi.ResourceSchema {
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
	schema := schemaFor(yaml.TypeMeta{APIVersion: result, Kind: node.GetString(s.local, yaml.KindField)})
	if schema == nil {
		return &openapi.ResourceSchema{Schema: &spec.Schema{}}
	}
	return schema
}

// schemaByFile returns the schema of a document of which the file says what it is: of a Kptfile, and of a Kustomization
// without a type, which kustomize knows by the name of its file; nil of another one.
func schemaByFile(file string, body *yaml.Node) *openapi.ResourceSchema {
	switch name := path.Base(file); {
	case name == pkgtree.KptfileName:
		return kptfileSchema()
	case (name == "kustomization.yaml" || name == "kustomization.yml") && node.GetString(body, yaml.APIVersionField) == "":
		return kustomization
	}
	return nil
}

// schemaFor returns the schema of a type of the Kubernetes API; nil for another type. kyaml reads all schemas when it
// is first asked for one, which takes longer than most merges: it is asked only where it can know the answer.
func schemaFor(meta yaml.TypeMeta) *openapi.ResourceSchema {
	group, _ := resid.ParseGroupVersion(meta.APIVersion)
	if group == kustomizeGroup {
		return kustomization
	}
	if meta.Kind == "" || strings.Contains(group, ".") && !strings.HasSuffix(group, ".k8s.io") {
		return nil
	}
	return openapi.SchemaForResourceType(meta)
}

// schemaOf returns the schema of values: the one that their place has, or else that of the resource that they are.
func schemaOf(schema *openapi.ResourceSchema, s sources) *openapi.ResourceSchema {
	for _, n := range s.versions() {
		if schema != nil {
			return schema
		}
		meta := yaml.TypeMeta{APIVersion: node.GetString(n, yaml.APIVersionField), Kind: node.GetString(n, yaml.KindField)}
		if meta.APIVersion != "" {
			schema = schemaFor(meta)
		}
	}
	return schema
}

// sub returns the schema of a field; nil if there is none.
func sub(schema *openapi.ResourceSchema, key string) *openapi.ResourceSchema {
	if schema == nil {
		return nil
	}
	switch field, known := schema.Schema.Properties[key]; {
	case known && field.Ref.String() == "":
		return &openapi.ResourceSchema{Schema: &field}
	case !known && schema.Schema.AdditionalProperties == nil:
		return nil
	}
	return schema.Field(key)
}

// elementsOf returns the schema of the elements of a list; nil if there is none.
func elementsOf(schema *openapi.ResourceSchema) *openapi.ResourceSchema {
	if schema.Schema.Items == nil {
		return nil
	}
	return schema.Elements()
}
