// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/internal/node"
)

// steeringKeys refuses keys with which the template at path, or its result, would steer Porch.
func steeringKeys(path string, labels, annotations map[string]string) variant.FieldErrors {
	return slices.Concat(variant.SteeringKeys(node.Join(path, "labels"), labels),
		variant.SteeringKeys(node.Join(path, "annotations"), annotations))
}

// mapExprs refuses entries that are not well-formed, and plain keys and values that a check refuses in a map. Keys and
// values that expressions give are checked after they are evaluated.
func (v *validator) mapExprs(path string, exprs []v1alpha2.MapExpr,
	checks ...func(path string, of map[string]string) variant.FieldErrors) {
	for i, e := range exprs {
		at := node.Index(path, i)
		v.exactlyOne(at, "key", "keyExpr", e.Key, e.KeyExpr)
		atMostOne(v, at, "value", "valueExpr", e.Value, e.ValueExpr)
		for _, check := range checks {
			if e.Key != nil {
				v.each(node.Join(at, "key"), check("", map[string]string{*e.Key: ""}))
			}
			if e.Value != nil {
				v.each(node.Join(at, "value"), check("", map[string]string{"a": *e.Value}))
			}
		}
	}
}

// each adds errors about a single field.
func (v *validator) each(path string, errs variant.FieldErrors) {
	for _, err := range errs {
		v.errorf(path, "%s", err.Reason)
	}
}
