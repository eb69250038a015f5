// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// walker walks over a resource in three versions, which are copies, before merge3 does: it records the conflicts, and
// leaves in the original and updated versions only what merge3 is to merge.
type walker struct {
	rules      rules
	onConflict OnConflict
	conflicts  []finding
	shielded   []*yaml.Node
	// err is the first error of merge3.
	err error
	// inSecret counts the Secrets inside of the resource that the walk is in.
	inSecret int
}

// finding is a conflict about a field.
type finding struct {
	path   string
	values sources
	taken  string
	// secret says that the values are, or could be, those of a Secret inside of the resource.
	secret bool
}

// field prepares a field of three mappings.
func (w *walker) field(parent sources, key, path string, schema *openapi.ResourceSchema) {
	s := parent.field(key)
	switch {
	case w.rules.ours(path):
		w.settle(parent, key)
		return
	case equal(s.local, s.original) && s.updated == nil && parent.sameNulls(key):
		w.nothing(parent, key)
		return
	case equal(s.original, s.updated) || equal(s.local, s.updated):
		w.settle(parent, key)
		return
	}
	// merge3 understands a null anywhere as a request to remove the field.
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

// sameNulls reports whether a key without a value is present in both the package and the original upstream, or in
// neither. It is also true if the key has a value in the package.
func (s sources) sameNulls(key string) bool {
	return present(s.local, key) != nil || (position(s.local, key) < 0) == (position(s.original, key) < 0)
}

// nothing makes a field as it is in the updated upstream, where it has no value: null or absent.
func (w *walker) nothing(parent sources, key string) {
	switch null := position(parent.updated, key) >= 0; {
	case null && (present(parent.local, key) != nil || position(parent.local, key) < 0):
		w.replace(parent, key)
	case null:
		w.settle(parent, key)
	default:
		remove(parent.original, key)
		remove(parent.local, key)
	}
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
	case s.local == nil: // merge3 would sort the keys
		w.replace(parent, key)
	case s.all(yaml.MappingNode):
		if w.mapping(s, path, schema) {
			w.settle(parent, key)
		}
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
	if s.local == nil && w.onlyLess(s, path, schema) {
		w.settle(parent, key)
		return
	}
	if s.local == nil || !isMap && !isList || isList && removed && !w.hasElements(s, path, schema) {
		w.conflict(parent, s, key, path)
		return
	}
	if removed { // keep what was added here
		s.updated = &yaml.Node{Kind: s.local.Kind, Tag: s.local.Tag}
		parent.updated.Content = append(parent.updated.Content, node.String(key), s.updated)
	}
	switch {
	case !isMap:
		w.list(parent, s, key, path, schema)
	case w.mapping(s, path, schema):
		w.settle(parent, key)
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
	taken := SideLocal
	if takeUpstream = w.onConflict == TakeUpstream || w.onConflict == ""; takeUpstream {
		taken = SideUpstream
	}
	w.note(path, s, taken)
	return takeUpstream
}

// note adds a conflict to the results.
func (w *walker) note(path string, s sources, taken string) {
	w.conflicts = append(w.conflicts, finding{path: path, taken: taken, secret: w.inSecret > 0 || s.hasSecret(),
		values: sources{copyNode(s.original), copyNode(s.local), copyNode(s.updated)}})
}

// scalar prepares a scalar to be replaced by the upstream's: a comment that the upstream did not change stays the
// package's, and so do its quotes.
func (w *walker) scalar(parent, s sources, key string) {
	if s.original != nil && s.original.Value == s.updated.Value {
		w.replace(parent, key) // only the type differs, which merge3 does not notice
		return
	}
	carryComments(s)
	s.local.Style = styleFor(s.local, s.updated)
	s.updated.Style = s.local.Style
}

// carryKeyComments keeps the comments at a key that both sides added: merge3 takes the upstream's key. Comments below a
// field are always the package's, because they would be read back in another place than they were written.
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
