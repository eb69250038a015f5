// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/yaml"
	kyamlschema "sigs.k8s.io/kustomize/kyaml/yaml/schema"
)

// list merges a list that the upstream changed and that the package has.
func (w *walker) list(parent, s sources, key, path string, schema *openapi.ResourceSchema) {
	schema = schemaOf(schema, s)
	if !kyamlschema.IsAssociative(schema, nil, false) {
		w.atom(parent, s, key, path, false)
		return
	}
	rows, ok := w.rows(s, path, schema)
	if !ok {
		w.atom(parent, s, key, path, true)
		return
	}
	merged := make([]*yaml.Node, len(rows))
	for i, r := range rows {
		place := path + "[" + r.label + "]"
		rows[i].own = r.own || w.rules.ours(place)
		if r.guessed && r.updated == nil { // it may have been added here
			w.note(place, r.sources, SideLocal)
			merged[i] = r.local
			continue
		}
		merged[i] = w.element(r.sources, place, schema.Elements())
	}
	s.local.Content = w.arranged(rows, merged, path)
	w.settle(parent, key)
}

// rows pairs the elements of a list that is merged by element; false if it cannot be.
func (w *walker) rows(s sources, path string, schema *openapi.ResourceSchema) ([]row, bool) {
	if w.rules.kptfile && isPipeline(path) {
		return functionRows(s)
	}
	_, keys := schema.PatchStrategyAndKeyList()
	if len(keys) == 0 { // a set of scalars, such as finalizers
		return scalarRows(s)
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

// atom prepares a list that is merged as one value; replace keeps it from merge3.
func (w *walker) atom(parent, s sources, key, path string, replace bool) {
	switch {
	case !equal(s.local, s.original) && !w.record(path, s):
		w.settle(parent, key)
	case replace:
		w.replace(parent, key)
	default:
		takeList(s)
	}
}

// takeList prepares a list to be replaced by the upstream's: it gets the upstream's style, and keeps a comment after it
// if both lists are on one line.
func takeList(s sources) {
	if s.local.Style&s.updated.Style&yaml.FlowStyle != 0 {
		carryComments(s)
	}
	s.local.Style = s.updated.Style
}

// element merges an element of a list; nil if the element is removed.
func (w *walker) element(e sources, path string, schema *openapi.ResourceSchema) *yaml.Node {
	switch {
	case w.rules.ours(path) || equal(e.original, e.updated) || equal(e.local, e.updated):
		return e.local
	case e.local == nil && w.onlyLess(e, path, schema):
		return nil
	case e.local == nil:
		if e.original == nil || w.record(path, e) {
			return e.updated
		}
		return nil
	case e.updated == nil:
		if !equal(e.local, e.original) && !w.record(path, e) {
			return e.local
		}
		return nil
	}
	return w.merge(e, path, schema)
}

func contentOf(list *yaml.Node) []*yaml.Node {
	if list == nil {
		return nil
	}
	return list.Content
}
