// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"strings"

	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/internal/pkgtree"
)

// conditionPrefix begins the types of the conditions and readiness gates of injection points (a Porch convention).
const conditionPrefix = "config.injection."

const (
	statusTrue  = "True"
	statusFalse = "False"
)

// condition is an entry of status.conditions in a Kptfile.
type condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// gate is an entry of info.readinessGates in a Kptfile.
type gate struct {
	ConditionType string `json:"conditionType"`
}

// report writes a condition for each point into the root Kptfile, and a readiness gate for each required one. It
// removes those of points that no longer exist. Conditions and gates of others stay, and so does a gate of an optional
// point: a person may have added it. Package pkgtree says why this is not done by the SDK's kptfileko.
func report(e *node.Editor, points []point, conditions []condition) error {
	var entries, gates []node.Entry
	isOptional := map[string]bool{}
	for i, p := range points {
		entries = append(entries, node.Entry{ID: p.conditionType(), Value: conditions[i]})
		if p.required {
			gates = append(gates, node.Entry{ID: p.conditionType(), Value: gate{ConditionType: p.conditionType()}})
		}
		isOptional[p.conditionType()] = !p.required
	}
	isOurs := func(t string) bool { return IsConditionType(t) && !isOptional[t] }
	if err := set(e, "info", "readinessGates", gates, node.Owned{Key: "conditionType", Is: isOurs}); err != nil {
		return err
	}
	return set(e, "status", "conditions", entries, node.Owned{Key: "type", Is: IsConditionType})
}

// set makes the entries the injection's elements of a list of the Kptfile. A list that this empties is removed, and so
// is its section.
func set(e *node.Editor, section, list string, entries []node.Entry, owned node.Owned) error {
	top, err := e.Top(section)
	if err != nil {
		return err
	}
	field, err := top.Sub(list)
	if err != nil {
		return err
	}
	owned.Order = pkgtree.KptfileOrder
	emptied, err := field.SetOwned(owned, entries)
	if err != nil || !emptied {
		return err
	}
	return field.RemoveWithEmptied()
}

// IsConditionType reports whether a type of conditions and readiness gates is one of those that the function writes:
// for a kind, which begins with a capital letter, and a name. A type that only begins the same way belongs to a person.
func IsConditionType(t string) bool {
	point, ours := strings.CutPrefix(t, conditionPrefix)
	kind, name, found := strings.Cut(point, ".")
	return ours && found && kind != "" && kind[0] >= 'A' && kind[0] <= 'Z' && name != ""
}
