// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"slices"

	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/kustomize/kyaml/yaml/walk"
)

// sources are a value in the three versions; nil where there is none.
type sources struct{ original, local, updated *yaml.Node }

// field returns the values of a key of three mappings. Null is as good as nothing.
func (s sources) field(key string) sources {
	return sources{present(s.original, key), present(s.local, key), present(s.updated, key)}
}

func present(m *yaml.Node, key string) *yaml.Node {
	if i := position(m, key); i >= 0 && !node.IsNull(m.Content[i+1]) {
		return m.Content[i+1]
	}
	return nil
}

// all reports whether those of the values that there are have the kind.
func (s sources) all(kind yaml.Kind) bool {
	for _, n := range []*yaml.Node{s.original, s.local, s.updated} {
		if n != nil && n.Kind != kind {
			return false
		}
	}
	return true
}

// walker walks over a resource in three versions, which are copies, before merge3 does: it records the conflicts, and
// leaves in the original and updated versions only what merge3 is to merge.
type walker struct {
	rules      rules
	onConflict OnConflict
	conflicts  []finding
	shielded   []*yaml.Node
}

// finding is a conflict about a field.
type finding struct {
	path   string
	values sources
	taken  string
}

// mapping walks over the fields of three mappings, of which the local one is there. The merge keys are left alone: by
// them, merge3 finds the elements of a list.
func (w *walker) mapping(s sources, path string, schema *openapi.ResourceSchema, mergeKeys ...string) {
	schema = schemaOf(schema, s)
	for _, key := range keysOf(s.local, s.original, s.updated) {
		if !slices.Contains(mergeKeys, key) {
			w.field(s, key, node.Join(path, key), sub(schema, key))
		}
	}
}

func (w *walker) field(parent sources, key, path string, schema *openapi.ResourceSchema) {
	s := parent.field(key)
	if w.rules.ours(path) || equal(s.original, s.updated) || equal(s.local, s.updated) {
		w.settle(parent, key)
		return
	}
	// merge3 takes a null for a wish to have the field removed, wherever it stands.
	for _, m := range []*yaml.Node{parent.original, parent.updated} {
		if present(m, key) == nil {
			remove(m, key)
		}
	}
	carryKeyComments(parent, key)
	if equal(s.local, s.original) {
		w.follow(parent, s, key, path, schema)
		return
	}
	w.both(parent, s, key, path, schema)
}

// settle keeps a field as it is in the package.
func (w *walker) settle(parent sources, key string) {
	remove(parent.original, key)
	remove(parent.updated, key)
	if i := position(parent.local, key); i >= 0 {
		w.shield(parent.local, i+1)
	}
}

// follow prepares a field that only the upstream changed.
func (w *walker) follow(parent, s sources, key, path string, schema *openapi.ResourceSchema) {
	switch {
	case s.updated == nil:
		remove(parent.original, key)
		remove(parent.local, key)
	case s.local == nil: // merge3 would sort the keys
		w.replace(parent, key)
	case s.all(yaml.MappingNode):
		w.mapping(s, path, schema)
	case s.all(yaml.SequenceNode):
		w.list(parent, s, key, path, schema)
	case s.all(yaml.ScalarNode):
		w.scalar(parent, s, key)
	default:
		w.replace(parent, key)
	}
}

// both prepares a field that both sides changed.
func (w *walker) both(parent, s sources, key, path string, schema *openapi.ResourceSchema) {
	isMap, isList := s.all(yaml.MappingNode), s.all(yaml.SequenceNode)
	removed := s.updated == nil
	if s.local == nil || !isMap && !isList || isList && removed && !hasElements(s, schema) {
		w.conflict(parent, s, key, path)
		return
	}
	if removed { // what was added here stays
		s.updated = &yaml.Node{Kind: s.local.Kind, Tag: s.local.Tag}
		parent.updated.Content = append(parent.updated.Content, node.String(key), s.updated)
	}
	if isMap {
		w.mapping(s, path, schema)
	} else {
		w.list(parent, s, key, path, schema)
	}
	if removed && len(s.local.Content) == 0 {
		remove(parent.original, key)
		remove(parent.local, key)
		remove(parent.updated, key)
	}
}

// conflict records that a field has three values, and prepares the one that is taken.
func (w *walker) conflict(parent, s sources, key, path string) {
	if !w.record(path, s) {
		w.settle(parent, key)
		return
	}
	switch {
	case s.updated == nil:
		remove(parent.original, key)
		remove(parent.local, key)
	case s.local == nil:
		w.replace(parent, key)
	case s.all(yaml.ScalarNode):
		w.scalar(parent, s, key)
	case s.all(yaml.SequenceNode):
		takeList(s)
	default:
		w.replace(parent, key)
	}
}

// record notes a conflict, unless it is about what the package's own functions write, and reports whether the
// upstream's value is taken.
func (w *walker) record(path string, s sources) (takeUpstream bool) {
	if w.rules.written(path) {
		return false
	}
	f := finding{path: path, values: sources{copyNode(s.original), copyNode(s.local), copyNode(s.updated)},
		taken: SideLocal}
	takeUpstream = w.onConflict == TakeUpstream || w.onConflict == ""
	if takeUpstream {
		f.taken = SideUpstream
	}
	w.conflicts = append(w.conflicts, f)
	return takeUpstream
}

// scalar prepares a scalar to be replaced by the upstream's: a comment that the upstream did not change stays the
// package's, and so do its quotes.
func (w *walker) scalar(parent, s sources, key string) {
	if s.original != nil && s.original.Value == s.updated.Value {
		w.replace(parent, key) // of another type, which merge3 does not see
		return
	}
	carryComments(s)
	s.local.Style = styleFor(s.local, s.updated)
	s.updated.Style = s.local.Style
}

// carryKeyComments keeps the comments at a key that both sides added: merge3 takes the upstream's key. Comments below a
// field, which are read back in another place than they are written for, are the package's in any case.
func carryKeyComments(parent sources, key string) {
	i, j, k := position(parent.local, key), position(parent.updated, key), position(parent.original, key)
	if i < 0 || j < 0 {
		return
	}
	local, updated := parent.local.Content[i:i+2], parent.updated.Content[j:j+2]
	for n := range 2 {
		updated[n].FootComment = local[n].FootComment
		if k >= 0 {
			parent.original.Content[k+n].FootComment = local[n].FootComment
		}
	}
	if k < 0 && local[0].HeadComment+local[0].LineComment != "" {
		updated[0].HeadComment, updated[0].LineComment = local[0].HeadComment, local[0].LineComment
	}
}

func carryComments(s sources) {
	var was yaml.Node
	if s.original != nil {
		was = *s.original
	}
	for _, c := range []struct{ was, local, updated *string }{
		{&was.HeadComment, &s.local.HeadComment, &s.updated.HeadComment},
		{&was.LineComment, &s.local.LineComment, &s.updated.LineComment},
		{&was.FootComment, &s.local.FootComment, &s.updated.FootComment},
	} {
		if *c.updated == *c.was {
			*c.updated = *c.local
		}
	}
}

// replace puts the upstream's value in the place of the local one.
func (w *walker) replace(parent sources, key string) {
	from := position(parent.updated, key)
	value := copyNode(parent.updated.Content[from+1])
	if i := position(parent.local, key); i >= 0 {
		parent.local.Content[i+1] = value
	} else {
		parent.local.Content = append(parent.local.Content, copyNode(parent.updated.Content[from]), value)
	}
	w.settle(parent, key)
}

// keysOf returns the keys of mappings, in the order of the first that has them.
func keysOf(mappings ...*yaml.Node) []string {
	var keys []string
	seen := map[string]bool{}
	for _, m := range mappings {
		for i := 0; m != nil && i+1 < len(m.Content); i += 2 {
			if key := m.Content[i].Value; !seen[key] {
				seen[key] = true
				keys = append(keys, key)
			}
		}
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
