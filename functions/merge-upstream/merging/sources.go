// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"slices"

	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// sources are a value in the three versions; nil where it does not exist.
type sources struct{ original, local, updated *yaml.Node }

// field returns the values of a key in three mappings.
func (s sources) field(key string) sources {
	return sources{valueOf(s.original, key), valueOf(s.local, key), valueOf(s.updated, key)}
}

func valueOf(m *yaml.Node, key string) *yaml.Node {
	if i := position(m, key); i >= 0 {
		return m.Content[i+1]
	}
	return nil
}

// present returns the value of a key unless it is null.
func present(m *yaml.Node, key string) *yaml.Node {
	if i := position(m, key); i >= 0 && !node.IsNull(m.Content[i+1]) {
		return m.Content[i+1]
	}
	return nil
}

// all reports whether all existing values have the kind.
func (s sources) all(kind yaml.Kind) bool {
	for _, n := range s.versions() {
		if n != nil && n.Kind != kind {
			return false
		}
	}
	return true
}

// keysOf returns the keys of a mapping.
func keysOf(m *yaml.Node) []string {
	var keys []string
	for i := 0; m != nil && i+1 < len(m.Content); i += 2 {
		keys = append(keys, m.Content[i].Value)
	}
	return keys
}

func position(m *yaml.Node, key string) int {
	for i := 0; m != nil && i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return i
		}
	}
	return -1
}

func remove(m *yaml.Node, key string) {
	if i := position(m, key); i >= 0 {
		m.Content = slices.Delete(m.Content, i, i+2)
	}
}

// removeAnnotations removes some annotations of a resource, and their map if it becomes empty.
func removeAnnotations(body *yaml.Node, which func(key string) bool) {
	metadata := present(body, yaml.MetadataField)
	list := present(metadata, "annotations")
	for _, key := range keysOf(list) {
		if which(key) {
			remove(list, key)
		}
	}
	if list != nil && len(list.Content) == 0 {
		remove(metadata, "annotations")
	}
}
