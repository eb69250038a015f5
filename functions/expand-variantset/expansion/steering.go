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

// steeringExprs refuses such keys if expressions give their values. Keys that expressions give are checked after they
// are evaluated.
func (v *validator) steeringExprs(path string, exprs []v1alpha2.MapExpr) {
	for i, e := range exprs {
		if e.Key == nil {
			continue
		}
		for _, err := range variant.SteeringKeys("", map[string]string{*e.Key: ""}) {
			v.errorf(node.Join(node.Index(path, i), "key"), "is %q, which %s", *e.Key, err.Reason)
		}
	}
}
