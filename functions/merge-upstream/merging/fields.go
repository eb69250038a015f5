// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"cmp"
	"slices"

	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/kustomize/kyaml/yaml/merge3"
	"sigs.k8s.io/kustomize/kyaml/yaml/walk"
)

// merge merges three mappings, a resource or an element of a list. The local one must exist.
func (w *walker) merge(s sources, path string, schema *openapi.ResourceSchema) *yaml.Node {
	if w.mapping(s, path, schema) {
		w.unshield(s.local)
		return s.local
	}
	return w.merge3(s, schema)
}

// merge3 has merge3 merge what the walk left in three mappings.
func (w *walker) merge3(s sources, schema *openapi.ResourceSchema) *yaml.Node {
	merged, err := walk.Walker{
		Visitor: merge3.Visitor{}, VisitKeysAsScalars: true, Schema: schema,
		Sources: walk.Sources{yaml.NewRNode(s.local), rnode(s.original), yaml.NewRNode(s.updated)},
	}.Walk()
	if err != nil || merged == nil {
		w.err = cmp.Or(w.err, err)
		return s.local
	}
	w.unshield(merged.YNode())
	return merged.YNode()
}

// maxFields limits the size of maps that merge3 merges as a whole, because it searches all keys for each key.
const maxFields = 100

// mapping walks over the fields of three mappings, and merges them if they are large. The local one must exist.
func (w *walker) mapping(s sources, path string, schema *openapi.ResourceSchema) (merged bool) {
	schema = schemaOf(schema, s)
	if path != "" && s.areSecret() {
		w.inSecret++
		defer func() { w.inSecret-- }()
	}
	keys := keysOf(s.local, s.original, s.updated)
	if len(keys) > maxFields {
		w.large(s, keys, path, schema)
		return true
	}
	settled := w.alternatives(s, path, schema)
	for _, key := range keys {
		if !slices.Contains(settled, key) {
			w.field(s, key, node.Join(path, key), sub(schema, key))
		}
	}
	return false
}

// onlyLess reports whether the upstream only removed fields and elements of a value. Then it is no conflict if the
// package removed all of it.
func (w *walker) onlyLess(s sources, path string, schema *openapi.ResourceSchema) bool {
	if s.original == nil || s.updated == nil {
		return s.updated == nil
	}
	schema = schemaOf(schema, s)
	switch {
	case s.all(yaml.MappingNode):
		return !slices.ContainsFunc(keysOf(s.updated), func(key string) bool {
			return !w.onlyLess(s.field(key), node.Join(path, key), sub(schema, key))
		})
	case s.all(yaml.SequenceNode) && w.hasElements(s, path, schema):
		rows, _ := w.rows(s, path, schema)
		return !slices.ContainsFunc(rows, func(r row) bool {
			return !w.onlyLess(r.sources, path+"["+r.label+"]", schema.Elements())
		})
	}
	return equal(s.original, s.updated)
}

// large merges mappings with many keys, in parts.
func (w *walker) large(s sources, keys []string, path string, schema *openapi.ResourceSchema) {
	of := [3]map[string]int{}
	for version, m := range s.versions() {
		of[version] = map[string]int{}
		for i := 0; i+1 < len(contentOf(m)); i += 2 {
			of[version][m.Content[i].Value] = i
		}
	}
	var content []*yaml.Node
	for part := range slices.Chunk(keys, maxFields) {
		var some [3]*yaml.Node
		for version, m := range s.versions() {
			some[version] = &yaml.Node{Kind: yaml.MappingNode, Tag: yaml.NodeTagMap}
			for _, key := range part {
				if i, found := of[version][key]; found {
					some[version].Content = append(some[version].Content, m.Content[i:i+2]...)
				}
			}
		}
		fields := sources{local: some[localVersion], original: some[originalVersion], updated: some[updatedVersion]}
		for _, key := range part {
			w.field(fields, key, node.Join(path, key), sub(schema, key))
		}
		content = append(content, w.merge3(fields, schema).Content...)
	}
	s.local.Content = content
}

// schemaOf returns the schema by which merge3 walks over the values.
func schemaOf(schema *openapi.ResourceSchema, s sources) *openapi.ResourceSchema {
	w := walk.Walker{Schema: schema}
	for _, n := range []*yaml.Node{s.local, s.original, s.updated} {
		if n != nil {
			w.Sources = append(w.Sources, yaml.NewRNode(n))
		}
	}
	return w.GetSchema()
}

func sub(schema *openapi.ResourceSchema, key string) *openapi.ResourceSchema {
	if schema == nil {
		return nil
	}
	return schema.Field(key)
}
