// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"slices"

	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// union is a set of fields of a map that exclude each other.
type union struct {
	// keys are the alternatives; with are fields that belong to one of the alternatives.
	keys, with []string
}

// functionUnions are the unions of the functions in a Kptfile.
var functionUnions = []union{
	{keys: []string{"image", "exec"}},
	{keys: []string{"configMap", "configPath", "configRef"}},
}

// unions are the unions of the Kubernetes API.
var unions = []union{
	{keys: []string{"exec", "httpGet", "tcpSocket", "grpc", "sleep"}},
	{keys: []string{"value", "valueFrom"}},
	{keys: []string{"fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"}},
	{keys: []string{"service", "resource"}},
	{keys: []string{"rollingUpdate"}, with: []string{"type"}},
	{keys: []string{"awsElasticBlockStore", "azureDisk", "azureFile", "cephfs", "cinder", "configMap", "csi",
		"downwardAPI", "emptyDir", "ephemeral", "fc", "flexVolume", "flocker", "gcePersistentDisk", "gitRepo", "glusterfs",
		"hostPath", "image", "iscsi", "local", "nfs", "persistentVolumeClaim", "photonPersistentDisk",
		"portworxVolume", "projected", "quobyte", "rbd", "scaleIO", "secret", "storageos", "vsphereVolume"}},
}

// unionsIn returns the unions that have fields in a map. For a type without a schema, these are the map that one side
// removed and the map that it added in its place.
func (w *walker) unionsIn(s sources, schema *openapi.ResourceSchema) []union {
	if w.rules.kptfile {
		return functionUnions
	}
	var out []union
	for _, u := range unions {
		if s.hasMap(u.keys) {
			out = append(out, u)
		}
	}
	if schema != nil && len(schema.Schema.Properties) > 0 {
		return out
	}
	var replaced []string
	for _, version := range []*yaml.Node{s.updated, s.local} {
		gone, added := onlyIn(s.original, version), onlyIn(version, s.original)
		if len(gone) == 1 && len(added) == 1 {
			replaced = append(replaced, gone[0], added[0])
		}
	}
	if len(replaced) > 0 {
		slices.Sort(replaced)
		out = append(out, union{keys: slices.Compact(replaced)})
	}
	return out
}

// hasMap reports whether one of the fields is a map in a version.
func (s sources) hasMap(keys []string) bool {
	for _, m := range s.versions() {
		for i := 1; m != nil && i < len(m.Content); i += 2 {
			if m.Content[i].Kind == yaml.MappingNode && slices.Contains(keys, m.Content[i-1].Value) {
				return true
			}
		}
	}
	return false
}

// onlyIn returns the keys whose values are maps in one version and that the other version lacks.
func onlyIn(a, b *yaml.Node) []string {
	var out []string
	for i := 1; a != nil && i < len(a.Content); i += 2 {
		if a.Content[i].Kind == yaml.MappingNode && present(b, a.Content[i-1].Value) == nil {
			out = append(out, a.Content[i-1].Value)
		}
	}
	return out
}

// alternatives takes all fields of a union from one side if both sides changed them and now have different
// alternatives. It returns the fields that it has merged.
func (w *walker) alternatives(s sources, path string, schema *openapi.ResourceSchema) (merged []string) {
	if path == "" || s.original == nil && s.updated == nil {
		return nil
	}
	for _, u := range w.unionsIn(s, schema) {
		keys := slices.Concat(u.keys, u.with)
		part := sources{only(s.original, keys), only(s.local, keys), only(s.updated, keys)}
		if slices.ContainsFunc(keys, func(key string) bool { return slices.Contains(merged, key) }) ||
			part.local == nil || part.updated == nil || sameKeys(part.local, part.updated, u.keys) ||
			!part.haveOneOf(u.keys) || node.Equal(part.original, part.updated) || node.Equal(part.original, part.local) {
			continue
		}
		if w.record(path, part, "") {
			put(s.local, keys, part.updated)
			w.changed = true
		}
		merged = append(merged, keys...)
	}
	return merged
}

// haveOneOf reports whether no version has several of the keys.
func (s sources) haveOneOf(keys []string) bool {
	for _, m := range s.versions() {
		found := 0
		for _, key := range keysOf(m) {
			if slices.Contains(keys, key) {
				found++
			}
		}
		if found > 1 {
			return false
		}
	}
	return true
}

// only returns a map with some of the fields of another one; nil if it has none of them.
func only(m *yaml.Node, keys []string) *yaml.Node {
	out := &yaml.Node{Kind: yaml.MappingNode, Tag: yaml.NodeTagMap}
	for i := 0; m != nil && i+1 < len(m.Content); i += 2 {
		if slices.Contains(keys, m.Content[i].Value) && present(m, m.Content[i].Value) != nil {
			out.Content = append(out.Content, yaml.CopyYNode(m.Content[i]), yaml.CopyYNode(m.Content[i+1]))
		}
	}
	if len(out.Content) == 0 {
		return nil
	}
	return out
}

// sameKeys reports whether two maps have the same subset of some keys.
func sameKeys(a, b *yaml.Node, keys []string) bool {
	return !slices.ContainsFunc(keys, func(key string) bool {
		return (present(a, key) == nil) != (present(b, key) == nil)
	})
}

// put replaces the fields of a map that have one of the keys by other fields.
func put(m *yaml.Node, keys []string, fields *yaml.Node) {
	at := len(m.Content)
	for i := len(m.Content) - 2; i >= 0; i -= 2 {
		if slices.Contains(keys, m.Content[i].Value) {
			m.Content, at = slices.Delete(m.Content, i, i+2), i
		}
	}
	m.Content = slices.Insert(m.Content, min(at, len(m.Content)), fields.Content...)
}
