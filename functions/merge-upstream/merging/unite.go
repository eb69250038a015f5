// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"cmp"

	"github.com/package-variants/package-variants/functions/internal/node"
)

// unite pairs list elements that people see as the same although a side changed their merge keys, such as a port with
// another number and the same name. It pairs only elements that the original version has, and a name only if no version
// has it twice.
func unite(rows []row) []row {
	named := map[string]*row{} // all elements of a name, in one row; nil if they cannot be paired
	for i := range rows {
		names, same := rows[i].names()
		for version, name := range names {
			one, known := named[name]
			if !known {
				one = new(newRow())
			}
			switch {
			case name == "":
				continue
			case one == nil || !same || one.has(version):
				one = nil
			default:
				one.set(version, rows[i].at[version], rows[i].versions()[version])
			}
			named[name] = one
		}
	}
	var united []row
	for i := range rows {
		names, _ := rows[i].names()
		name := cmp.Or(names[:]...)
		switch one := named[name]; {
		case one == nil || !one.has(originalVersion) || one.at == rows[i].at:
			united = append(united, rows[i])
		case one.label == "":
			one.label = "name=" + name
			united = append(united, *one)
		}
	}
	return united
}

// names returns the field name of an element in each version, "" where there is none, and whether it is the same in all
// versions that have the element.
func (r *row) names() (names [3]string, same bool) {
	for version, element := range r.versions() {
		if element != nil {
			names[version] = node.GetString(element, "name")
		}
	}
	one := cmp.Or(names[:]...)
	same = true
	for version := range names {
		same = same && (!r.has(version) || names[version] == one)
	}
	return names, same
}
