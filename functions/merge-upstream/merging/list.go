// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/yaml"
	kyamlschema "sigs.k8s.io/kustomize/kyaml/yaml/schema"
)

// list prepares a list that the upstream changed and that is there in the package.
func (w *walker) list(parent, s sources, key, path string, schema *openapi.ResourceSchema) {
	schema = schemaOf(schema, s)
	if !kyamlschema.IsAssociative(schema, nil, false) {
		w.atom(parent, s, key, path, false)
		return
	}
	_, keys := schema.PatchStrategyAndKeyList()
	if len(keys) == 0 { // a set of scalars, such as finalizers: nothing in it can be changed
		if !scalars(s) {
			w.atom(parent, s, key, path, true)
		}
		return
	}
	rows, ok := rowsOf(s, keys)
	if !ok {
		w.atom(parent, s, key, path, true)
		return
	}
	for _, r := range rows {
		r.completeKeys(keys)
		w.element(s, r, path+"["+r.label(keys)+"]", keys, schema.Elements())
	}
}

// hasElements reports whether a list is merged by element.
func hasElements(s sources, schema *openapi.ResourceSchema) bool {
	schema = schemaOf(schema, s)
	if !kyamlschema.IsAssociative(schema, nil, false) {
		return false
	}
	_, keys := schema.PatchStrategyAndKeyList()
	if len(keys) == 0 {
		return scalars(s)
	}
	_, ok := rowsOf(s, keys)
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

// takeList prepares a list to be replaced by the upstream's: it looks as the upstream's does, and a comment behind it
// stays if both are in one line.
func takeList(s sources) {
	if s.local.Style&s.updated.Style&yaml.FlowStyle != 0 {
		carryComments(s)
	}
	s.local.Style = s.updated.Style
}

// element prepares an element of a list whose elements have keys.
func (w *walker) element(list sources, r row, path string, keys []string, schema *openapi.ResourceSchema) {
	e := r.sources
	keep := func() {
		drop(list.original, e.original)
		drop(list.updated, e.updated)
		w.shieldAll(e.local)
	}
	switch {
	case w.rules.ours(path) || equal(e.original, e.updated) || equal(e.local, e.updated):
		keep()
	case e.local == nil:
		if e.original == nil || w.record(path, e) {
			added := copyNode(e.updated)
			list.local.Content = append(list.local.Content, added)
			w.shieldAll(added)
		}
		drop(list.original, e.original)
		drop(list.updated, e.updated)
	case e.updated == nil:
		if !equal(e.local, e.original) && !w.record(path, e) {
			keep()
			return
		}
		drop(list.original, e.original)
		drop(list.local, e.local)
	default:
		w.mapping(e, path, schema, keys...)
	}
}

func drop(list, element *yaml.Node) {
	if i := slices.Index(contentOf(list), element); element != nil && i >= 0 {
		list.Content = slices.Delete(list.Content, i, i+1)
	}
}

// row is an element of a list in the three versions.
type row struct {
	sources
	// values are those of the merge keys; empty where no version has one.
	values []string
}

// label returns how kyaml writes the element's place: name=web.
func (r row) label(keys []string) string {
	var parts []string
	for i, key := range keys {
		if r.values[i] != "" {
			parts = append(parts, key+"="+r.values[i])
		}
	}
	return strings.Join(parts, ",")
}

// rowsOf pairs the elements of a list by their merge keys, as kyaml does: a value that is missing fits any. It reports
// false if that does not tell the elements apart.
func rowsOf(s sources, keys []string) (rows []row, ok bool) {
	for version, list := range []*yaml.Node{s.local, s.original, s.updated} {
		for _, e := range contentOf(list) {
			values := mergeValues(e, keys)
			if values == nil {
				return nil, false
			}
			fits := func(r row) bool { return fit(r.values, values) }
			i := slices.IndexFunc(rows, fits)
			switch {
			case i < 0:
				i = len(rows)
				rows = append(rows, row{values: values})
			case slices.ContainsFunc(rows[i+1:], fits):
				return nil, false
			}
			slot := []**yaml.Node{&rows[i].local, &rows[i].original, &rows[i].updated}[version]
			if *slot != nil {
				return nil, false
			}
			*slot = e
			for k, value := range values {
				if value != "" {
					rows[i].values[k] = value
				}
			}
		}
	}
	return rows, true
}

// completeKeys makes merge keys that not all versions have the same in all, as they are upstream, or else here: merge3
// takes what has fewer keys for another element.
func (r row) completeKeys(keys []string) {
	if r.updated == nil && r.local == nil {
		return
	}
	for _, key := range keys[1:] {
		from := r.updated
		if present(from, key) == nil {
			from = r.local
		}
		value := present(from, key)
		for _, e := range []*yaml.Node{r.original, r.local, r.updated} {
			switch {
			case e == nil || value != nil && present(e, key) != nil:
			case value == nil:
				remove(e, key)
			default:
				remove(e, key)
				e.Content = append(e.Content, node.String(key), copyNode(value))
			}
		}
	}
}

// mergeValues returns the values of an element's merge keys; nil if it has not even the first.
func mergeValues(element *yaml.Node, keys []string) []string {
	if element.Kind != yaml.MappingNode {
		return nil
	}
	values := make([]string, len(keys))
	for i, key := range keys {
		n := present(element, key)
		if n != nil && n.Kind != yaml.ScalarNode {
			return nil
		}
		if n != nil {
			values[i] = n.Value
		}
	}
	if values[0] == "" {
		return nil
	}
	return values
}

func fit(a, b []string) bool {
	for i := range a {
		if a[i] != b[i] && a[i] != "" && b[i] != "" {
			return false
		}
	}
	return a[0] == b[0]
}

func contentOf(list *yaml.Node) []*yaml.Node {
	if list == nil {
		return nil
	}
	return list.Content
}

func scalars(s sources) bool {
	for _, list := range []*yaml.Node{s.local, s.original, s.updated} {
		for _, e := range contentOf(list) {
			if e.Kind != yaml.ScalarNode || e.Value == "" {
				return false
			}
		}
	}
	return true
}
