// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// walker merges the fields of a resource. It edits a copy of the package's version, into which it brings what the
// upstream changed: values, comments, quotes and anchors, each by itself.
type walker struct {
	rules      rules
	onConflict OnConflict
	conflicts  []finding
	// comments says which comments of the upstream to bring.
	comments commentSet
	// inSecret counts the Secrets inside of the resource that the walk is in, inFlow the maps and lists in flow style.
	inSecret, inFlow int
	// otherPlace says that only one of the upstream's versions is the first in its file, so that the comment above it may
	// be that of the file.
	otherPlace bool
	// changed reports whether the walk changed anything.
	changed bool
	anchors anchors
}

// finding is a conflict about a field.
type finding struct {
	path   string
	values sources
	taken  string
	// reason says why the values cannot be merged further; empty where it is plain.
	reason string
	// secret says that the values are, or could be, those of a Secret inside of the resource.
	secret bool
}

// field merges a field of three maps. It returns the field as it is after the merge, without a key if it is not there.
func (w *walker) field(f field, path string, schema *openapi.ResourceSchema) pair {
	v := f.values()
	switch {
	case w.rules.ours(path) || identical(f.original, f.updated) || identical(f.local, f.updated):
		w.anchors.pair(v.local, v.updated)
		return f.local
	case v.local == nil:
		return w.missingHere(f, path, schema)
	case v.updated == nil:
		return w.missingUpstream(f, path, schema)
	}
	return w.pairStyle(f, w.value(v, path, schema), path)
}

// missingHere merges a field that the package does not have.
func (w *walker) missingHere(f field, path string, schema *openapi.ResourceSchema) pair {
	if w.adds(f.values(), path, schema) {
		return pair{yaml.CopyYNode(f.updated.key), w.copy(f.updated.value)}
	}
	return pair{}
}

// adds reports whether a value that the package does not have is added to it.
func (w *walker) adds(s sources, path string, schema *openapi.ResourceSchema) bool {
	switch {
	case s.updated == nil || s.original != nil && w.onlyLess(s, path, schema):
		return false
	case s.original == nil:
		return true
	}
	return w.record(path, s, "")
}

// missingUpstream merges a field of the package that the upstream does not have.
func (w *walker) missingUpstream(f field, path string, schema *openapi.ResourceSchema) pair {
	v := f.values()
	switch {
	case v.original == nil:
		return f.local
	case node.Equal(v.local, v.original):
		if w.removes(f.original, f.local, nil, path) {
			return pair{}
		}
		return f.local
	}
	schema = schemaOf(schema, v)
	parts := v.all(yaml.MappingNode) && !w.isFixed(schema) || v.all(yaml.SequenceNode) && w.hasElements(v, path, schema)
	switch {
	case parts: // what was added here stays
		v.updated = &yaml.Node{Kind: v.local.Kind, Tag: v.local.Tag, Style: v.local.Style}
		w.value(v, path, schema)
		if len(v.local.Content) > 0 {
			return f.local
		}
	case !w.onlyLess(sources{original: v.original, updated: v.local}, path, schema) && !w.record(path, v, ""):
		return f.local
	}
	return pair{}
}

// removes reports whether a value that the upstream removed, or replaced by another one, and that has no other value
// here, is removed. If its comments were changed here, that is a conflict.
func (w *walker) removes(original, local pair, updated *yaml.Node, path string) bool {
	after := newComments(original, local)
	if len(after) == 0 || w.rules.written(path) {
		return true
	}
	commented := node.String(commentedBy + strings.Join(after, ", "))
	return w.record(path, sources{original: original.value, local: commented, updated: updated}, "")
}

// isFixed reports whether a schema names the fields of a map. Such a map has a meaning as a whole: what remains of a
// probe without its handler is no probe.
func (w *walker) isFixed(schema *openapi.ResourceSchema) bool {
	return schema != nil && len(schema.Schema.Properties) > 0 && !w.rules.kptfile
}

// value merges a value that both the package and the upstream have. It returns the package's node, or a copy of the
// upstream's in its place.
func (w *walker) value(s sources, path string, schema *openapi.ResourceSchema) *yaml.Node {
	switch {
	case s.all(yaml.MappingNode):
		if s.original != nil {
			w.collection(s)
		}
		w.mapping(s, path, schema)
		return s.local
	case s.all(yaml.SequenceNode):
		w.list(s, path, schema)
		return s.local
	case node.Equal(s.original, s.updated) || node.Equal(s.local, s.updated):
		return s.local
	case !node.Equal(s.original, s.local) && !w.record(path, s, ""):
		return s.local
	}
	return w.take(s)
}

// take puts the upstream's value in the place of the package's.
func (w *walker) take(s sources) *yaml.Node {
	w.changed = true
	if !s.all(yaml.ScalarNode) {
		c := w.copy(s.updated)
		w.anchors.pair(c, s.local)
		return c
	}
	if s.local.ShortTag() != s.updated.ShortTag() || s.local.Style == 0 && node.String(s.updated.Value).Style != 0 {
		s.local.Style = s.updated.Style
	}
	s.local.Tag, s.local.Value = s.updated.Tag, s.updated.Value
	return s.local
}

// copy returns a copy of a value of the upstream.
func (w *walker) copy(n *yaml.Node) *yaml.Node {
	c := yaml.CopyYNode(n)
	w.anchors.pair(c, n)
	return c
}

// record notes a conflict, unless it is about what the package's own functions write, and reports whether the
// upstream's value is taken.
func (w *walker) record(path string, s sources, reason string) (takeUpstream bool) {
	if w.rules.written(path) {
		return false
	}
	taken := SideLocal
	if takeUpstream = w.onConflict == TakeUpstream; takeUpstream {
		taken = SideUpstream
	}
	w.note(path, s, taken, reason)
	return takeUpstream
}

// note adds a conflict to the results.
func (w *walker) note(path string, s sources, taken, reason string) {
	w.conflicts = append(w.conflicts, finding{path: path, taken: taken, reason: reason,
		secret: w.inSecret > 0 || s.hasSecret(),
		values: sources{yaml.CopyYNode(s.original), yaml.CopyYNode(s.local), yaml.CopyYNode(s.updated)}})
}

// onlyLess reports whether a side, as updated, only removed fields and elements of a value. Then it is no conflict if
// the other one removed all of it.
func (w *walker) onlyLess(s sources, path string, schema *openapi.ResourceSchema) bool {
	if s.original == nil || s.updated == nil {
		return s.updated == nil
	}
	s.local = nil
	schema = schemaOf(schema, s)
	switch {
	case s.all(yaml.MappingNode):
		return !slices.ContainsFunc(keysOf(s.updated), func(key string) bool {
			return !w.onlyLess(s.field(key), node.Join(path, key), sub(schema, key))
		})
	case s.all(yaml.SequenceNode) && w.hasElements(s, path, schema):
		rows, _ := w.rows(s, path, schema)
		return !slices.ContainsFunc(rows, func(r row) bool {
			return !w.onlyLess(r.sources, path+"["+r.label+"]", elementsOf(schema))
		})
	}
	return node.Equal(s.original, s.updated)
}
