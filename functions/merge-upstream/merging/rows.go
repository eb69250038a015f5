// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"cmp"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// The versions of a list, as indices.
const (
	localVersion = iota
	originalVersion
	updatedVersion
)

// row is an element of a list in the three versions.
type row struct {
	sources
	// at is the position of the element in each version; -1 if the version does not have it.
	at [3]int
	// label says in the path of a field which element it is, as kyaml writes it: name=web.
	label string
	// own says that only the package has the element: its position says nothing about the order of the others.
	own bool
	// uncertain says that the element could as well be another one of the same image.
	uncertain bool
	// unnamed says that the element is a function without a name: what was removed here stays removed, and what was
	// changed here stays, whatever the upstream did.
	unnamed bool
	// front says that a variant put the element in front of all others.
	front bool
}

func newRow() row { return row{at: [3]int{-1, -1, -1}} }

// has reports whether a version has the element.
func (r *row) has(version int) bool { return r.at[version] >= 0 }

// set notes an element of a version.
func (r *row) set(version, at int, element *yaml.Node) {
	r.at[version] = at
	switch version {
	case localVersion:
		r.local = element
	case originalVersion:
		r.original = element
	case updatedVersion:
		r.updated = element
	}
}

// name returns a short name for an element: its label without the names of the keys.
func (r *row) name() string {
	var parts []string
	for _, part := range strings.Split(r.label, ",") {
		if _, value, keyed := strings.Cut(part, "="); keyed {
			part = value
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "/")
}

// areScalars reports whether all elements of a list are scalars.
func (s sources) areScalars() bool {
	for _, list := range s.versions() {
		if slices.ContainsFunc(contentOf(list), func(e *yaml.Node) bool { return e.Kind != yaml.ScalarNode }) {
			return false
		}
	}
	return true
}

// versions returns the list in each version, at its index.
func (s sources) versions() [3]*yaml.Node { return [3]*yaml.Node{s.local, s.original, s.updated} }

// rowsOf pairs the elements of a list by their merge keys. It returns false if the keys do not identify the elements.
func rowsOf(s sources, keys []string) (rows []row, ok bool) {
	names, ok := portNames(s, keys)
	if !ok {
		return nil, false
	}
	places := map[string]int{}
	for version, list := range s.versions() {
		for at, e := range contentOf(list) {
			values, id := mergeValues(e, keys)
			if values == nil {
				return nil, false
			}
			label := labelOf(keys, values)
			if port, known := names[portName(e)]; known {
				if id = "name\x00" + port.protocol + port.name; port.name != "" {
					label = "name=" + port.name
				}
			}
			i, known := places[id]
			if !known {
				i, places[id] = len(rows), len(rows)
				rows = append(rows, newRow())
				rows[i].label = label
			}
			r := &rows[i]
			if r.has(version) {
				return nil, false
			}
			if r.set(version, at, e); strings.HasPrefix(label, r.label+",") {
				r.label = label // with a value that the others do not write
			}
		}
	}
	return rows, true
}

// protocol is the merge key that ports have in addition to their number.
const protocol = "protocol"

// keyDefaults are the values that the API gives to merge keys which are not written.
var keyDefaults = map[string]string{protocol: "TCP"}

// mergeValues returns the values of an element's merge keys as they are written, and what identifies the element; nil
// if it has not even the first. Without keys, the list is a set of scalars, such as finalizers, and the element is the
// value.
func mergeValues(element *yaml.Node, keys []string) (values []string, id string) {
	if len(keys) == 0 && element.Kind == yaml.ScalarNode && element.Value != "" {
		return []string{element.Value}, element.Value
	}
	if len(keys) == 0 || element.Kind != yaml.MappingNode {
		return nil, ""
	}
	values = make([]string, len(keys))
	for i, key := range keys {
		n := present(element, key)
		if n != nil && n.Kind != yaml.ScalarNode {
			return nil, ""
		}
		if n != nil {
			values[i] = n.Value
		}
		id += cmp.Or(values[i], keyDefaults[key]) + "\x00"
	}
	if values[0] == "" {
		return nil, ""
	}
	return values, id
}

// labelOf returns the label of an element as kyaml writes it in a path: name=web, or the value of a scalar.
func labelOf(keys, values []string) string {
	if len(keys) == 0 {
		return values[0]
	}
	var parts []string
	for i, key := range keys {
		if values[i] != "" {
			parts = append(parts, key+"="+values[i])
		}
	}
	return strings.Join(parts, ",")
}
