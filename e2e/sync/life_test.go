// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
)

func dependsOn(dependencies ...variant.Dependency) func(*variant.Spec) {
	return func(s *variant.Spec) { s.DependsOn = dependencies }
}
