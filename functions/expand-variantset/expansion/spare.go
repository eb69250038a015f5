// SPDX-License-Identifier: Apache-2.0

package expansion

import "github.com/package-variants/package-variants/api/v1alpha1/variant"

// Spared are the variants that a set keeps because targets fail or select nothing, although no target makes them.
type Spared struct {
	// All reports that any variant of the set may belong to such a target, so that none is removed.
	All bool

	downstreams map[variant.Downstream]bool
}

// Spare returns which variants a set keeps, by the downstreams of its failing targets and of the variants that it has
// made. An unknown downstream is zero. empty reports whether a selector selects nothing, and allowEmpty is not set. The
// function and the controller follow this one rule:
//
//   - A failing target keeps the variants for its downstream, whatever their names.
//   - Where there is none, the target may have had any other variant before its template, or what its expressions see,
//     changed. No variant is removed then.
//   - Neither is one where a selector selects nothing: a label may have been lost.
func Spare(failing, made []variant.Downstream, empty bool) Spared {
	there := make(map[variant.Downstream]bool, len(made))
	for _, d := range made {
		there[d] = true
	}
	s := Spared{All: empty, downstreams: make(map[variant.Downstream]bool, len(failing))}
	for _, d := range failing {
		if d == unknown || !there[d] {
			s.All = true
			continue
		}
		s.downstreams[d] = true
	}
	return s
}

// Of reports whether a variant for a downstream is known to belong to a target that fails. No other target may take
// it over.
func (s Spared) Of(d variant.Downstream) bool { return s.downstreams[d] }

// Keeps reports whether a variant for a downstream is kept if no target makes it.
func (s Spared) Keeps(d variant.Downstream) bool { return s.All || s.Of(d) }
