// SPDX-License-Identifier: Apache-2.0

package merging

import (
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
	// values are those of the merge keys; empty where no version has one.
	values []string
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

// versions returns the list in each version, at its index.
func (s sources) versions() [3]*yaml.Node { return [3]*yaml.Node{s.local, s.original, s.updated} }

// rowsOf pairs the elements of a list by their merge keys, as kyaml does: a missing value matches any. It returns false
// if the keys do not identify the elements.
func rowsOf(s sources, keys []string) (rows []row, ok bool) {
	p := keyed{of: map[string]*sameFirst{}}
	for version, list := range s.versions() {
		for at, e := range contentOf(list) {
			values := mergeValues(e, keys)
			if values == nil {
				return nil, false
			}
			i, ok := p.find(values)
			if !ok || p.rows[i].has(version) {
				return nil, false
			}
			p.rows[i].set(version, at, e)
		}
	}
	for i := range p.rows {
		p.rows[i].label = labelOf(keys, p.rows[i].values)
	}
	return unite(p.rows), true
}

// keyed are the rows of a list whose elements have keys, by the value of the first one.
type keyed struct {
	rows []row
	of   map[string]*sameFirst
}

// sameFirst are rows with the same value of the first key. Those that have values for all keys are found by these.
type sameFirst struct {
	all      []int
	complete map[string]int
}

// find returns the row that matches the values, or a new one if none does; false if several match.
func (p *keyed) find(values []string) (at int, ok bool) {
	same := p.of[values[0]]
	if same == nil {
		same = &sameFirst{complete: map[string]int{}}
		p.of[values[0]] = same
	}
	found := -1
	if isComplete(values) && len(same.complete) == len(same.all) {
		if i, known := same.complete[strings.Join(values, "\x00")]; known {
			return i, true
		}
	} else {
		for _, i := range same.all {
			if !fit(p.rows[i].values, values) {
				continue
			}
			if found >= 0 {
				return 0, false
			}
			found = i
		}
	}
	if found < 0 {
		found = len(p.rows)
		p.rows = append(p.rows, newRow())
		p.rows[found].values = make([]string, len(values))
		same.all = append(same.all, found)
	}
	known := p.rows[found].values
	for k, value := range values {
		if value != "" {
			known[k] = value
		}
	}
	if isComplete(known) {
		same.complete[strings.Join(known, "\x00")] = found
	}
	return found, true
}

func isComplete(values []string) bool { return !slices.Contains(values, "") }

// mergeValues returns the values of an element's merge keys; nil if it has not even the first. Without keys, the list
// is a set of scalars, such as finalizers, and the element is the value.
func mergeValues(element *yaml.Node, keys []string) []string {
	if len(keys) == 0 && element.Kind == yaml.ScalarNode && element.Value != "" {
		return []string{element.Value}
	}
	if len(keys) == 0 || element.Kind != yaml.MappingNode {
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
