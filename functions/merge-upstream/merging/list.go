// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"slices"

	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/yaml"
	kyamlschema "sigs.k8s.io/kustomize/kyaml/yaml/schema"
)

// list merges a list that the upstream changed and that the package has.
func (w *walker) list(s sources, path string, schema *openapi.ResourceSchema) {
	schema = schemaOf(schema, s)
	if !kyamlschema.IsAssociative(schema, nil, false) {
		w.atom(s, path, "")
		return
	}
	rows, ok := w.rows(s, path, schema)
	if !ok {
		w.atom(s, path, "the keys of its elements are missing, there twice, or those of others on the other side")
		return
	}
	if s.original != nil {
		w.collection(s)
	}
	defer w.enter(s.local)()
	merged := make([]*yaml.Node, len(rows))
	for i, r := range rows {
		place := path + "[" + r.label + "]"
		rows[i].own = r.own || w.rules.ours(place)
		merged[i] = w.element(r, place, elementsOf(schema))
	}
	w.setElements(s.local, w.arranged(rows, merged, path))
}

// setElements sets the elements of a list.
func (w *walker) setElements(list *yaml.Node, elements []*yaml.Node) {
	w.changed = w.changed || !slices.Equal(list.Content, elements)
	list.Content = elements
}

// rows pairs the elements of a list that is merged by element; false if it cannot be.
func (w *walker) rows(s sources, path string, schema *openapi.ResourceSchema) ([]row, bool) {
	if w.rules.kptfile && isPipeline(path) {
		return functionRows(s)
	}
	_, keys := schema.PatchStrategyAndKeyList()
	if s.areScalars() { // kustomize has taken names of files in place of patches
		keys = nil
	}
	return rowsOf(s, keys)
}

// hasElements reports whether a list is merged by element.
func (w *walker) hasElements(s sources, path string, schema *openapi.ResourceSchema) bool {
	schema = schemaOf(schema, s)
	if !kyamlschema.IsAssociative(schema, nil, false) {
		return false
	}
	_, ok := w.rows(s, path, schema)
	return ok
}

// atom merges a list as one value; reason says why, if it is a list that is merged by element elsewhere.
func (w *walker) atom(s sources, path, reason string) {
	switch {
	case node.Equal(s.local, s.updated): // but perhaps for its comments and quotes
	case node.Equal(s.original, s.updated), !node.Equal(s.original, s.local) && !w.record(path, s, reason):
		return
	case node.Equal(s.original, s.local) && !w.removes(pair{value: lacking(s.original, s.updated)},
		pair{value: lacking(s.local, s.updated)}, lacking(s.updated, s.original), path):
		return
	}
	if s.original != nil {
		w.collection(s)
	}
	defer w.enter(s.local)()
	here, before := node.PlacesOf(s.local, 1), node.PlacesOf(&yaml.Node{Content: contentOf(s.original)}, 1)
	elements := make([]*yaml.Node, len(s.updated.Content))
	for i, n := range s.updated.Content {
		e := sources{original: before.Take(n), local: here.Take(n), updated: n}
		if e.local == nil {
			elements[i] = w.copy(n)
			continue
		}
		elements[i] = w.value(e, path, nil)
		w.mergeStyle(e, elements[i])
	}
	w.setElements(s.local, elements)
}

// lacking returns a list of the elements that a list has and another one lacks; nil if there are none.
func lacking(list, other *yaml.Node) *yaml.Node {
	out, places := &yaml.Node{Kind: yaml.SequenceNode, Tag: yaml.NodeTagSeq}, node.PlacesOf(other, 1)
	for _, e := range list.Content {
		if places.Take(e) == nil {
			out.Content = append(out.Content, e)
		}
	}
	if len(out.Content) == 0 {
		return nil
	}
	return out
}

// element merges an element of a list; nil if the element is removed.
func (w *walker) element(r row, path string, schema *openapi.ResourceSchema) *yaml.Node {
	e := r.sources
	switch {
	case w.rules.ours(path) || sameNode(e.original, e.updated) || sameNode(e.local, e.updated):
		w.anchors.pair(e.local, e.updated)
		return e.local
	case e.local == nil || e.updated == nil:
		return w.missing(r, path, schema)
	case r.uncertain && !node.Equal(e.original, e.updated) && !node.Equal(e.original, e.local):
		if w.record(path, e, "another function with the same image could be this one") {
			return w.take(e)
		}
		return e.local
	}
	merged := w.value(e, path, schema)
	w.mergeStyle(e, merged)
	return merged
}

// missing merges an element that a side does not have.
func (w *walker) missing(r row, path string, schema *openapi.ResourceSchema) *yaml.Node {
	e := r.sources
	switch {
	case r.unnamed && e.original != nil && (e.local == nil) != (e.updated == nil):
		if w.isOneSided(e, path, schema) {
			return nil
		}
		w.note(path, e, SideLocal, "")
	case e.local == nil:
		if w.adds(e, path, schema) {
			return w.copy(e.updated)
		}
	case e.original == nil:
	case node.Equal(e.local, e.original):
		if w.removes(pair{value: e.original}, pair{value: e.local}, nil, path) {
			return nil
		}
	case w.record(path, e, ""):
		return nil
	}
	return e.local
}

// isOneSided reports whether only one side changed an element that the other one removed.
func (w *walker) isOneSided(e sources, path string, schema *openapi.ResourceSchema) bool {
	if e.local == nil {
		return w.onlyLess(e, path, schema)
	}
	return node.Equal(e.original, e.local)
}

func contentOf(list *yaml.Node) []*yaml.Node {
	if list == nil {
		return nil
	}
	return list.Content
}
