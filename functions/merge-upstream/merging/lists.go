// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Schema says how the lists in a value are merged. The zero value is that of a type which has no schema.
type Schema struct{ of *openapi.ResourceSchema }

// SchemaOf returns the schema of a resource in a file of a package.
func SchemaOf(file string, resource *yaml.Node) Schema {
	if schema := schemaByFile(file, resource); schema != nil {
		return Schema{schema}
	}
	return Schema{schemaOf(nil, sources{local: resource})}
}

// Field returns the schema of a field of a map.
func (s Schema) Field(of *yaml.Node, name string) Schema {
	return Schema{sub(schemaOf(s.of, sources{local: of}), name)}
}

// Elements returns the schema of the elements of a list.
func (s Schema) Elements() Schema {
	if s.of == nil {
		return s
	}
	return Schema{elementsOf(s.of)}
}

// Keys returns the fields by which the elements of a list are told from each other, none of scalars, and whether each
// element is merged by itself. Otherwise the list is one value.
func (s Schema) Keys(list *yaml.Node) (keys []string, byElement bool) {
	versions := sources{local: list}
	if !new(walker).hasElements(versions, "", s.of) {
		return nil, false
	}
	if !versions.areScalars() {
		_, keys = s.of.PatchStrategyAndKeyList()
	}
	return keys, true
}
