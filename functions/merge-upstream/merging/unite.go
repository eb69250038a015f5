// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"github.com/package-variants/package-variants/functions/internal/node"
)

// unite pairs the elements of a list that are one to people although a side changed their merge keys: a port that has
// another number and still the same name. It pairs only what the original version has, and a name only if no version
// has it twice.
func unite(rows []row) []row {
	named := map[string]*row{} // all elements of a name, in one row; nil if they are not one to people
	for i := range rows {
		for version, name := range rows[i].names() {
			switch one, known := named[name]; {
			case name == "":
			case !known && rows[i].sameName():
				r := newRow()
				r.set(version, rows[i].at[version], rows[i].versions()[version])
				named[name] = &r
			case one != nil && !one.has(version) && rows[i].sameName():
				one.set(version, rows[i].at[version], rows[i].versions()[version])
			default:
				named[name] = nil
			}
		}
	}
	var united []row
	for i := range rows {
		r := rows[i]
		one := named[r.anyName()]
		switch {
		case one == nil || !one.has(originalVersion) || one.at == r.at:
			united = append(united, r)
		case one.label == "":
			one.label = "name=" + r.anyName()
			united = append(united, *one)
		}
	}
	return united
}

// names returns the field name of an element in each version; "" where there is none.
func (r *row) names() (names [3]string) {
	for version, element := range r.versions() {
		if element != nil {
			names[version] = node.GetString(element, "name")
		}
	}
	return names
}

// anyName returns the name of an element in one of its versions; "" if none has one.
func (r *row) anyName() string {
	for _, name := range r.names() {
		if name != "" {
			return name
		}
	}
	return ""
}

// sameName reports whether an element has the same name in all versions that have the element.
func (r *row) sameName() bool {
	for version, name := range r.names() {
		if r.has(version) && name != r.anyName() {
			return false
		}
	}
	return true
}
