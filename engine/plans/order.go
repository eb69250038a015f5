// SPDX-License-Identifier: Apache-2.0

package plans

import (
	"maps"
	"slices"

	"github.com/package-variants/package-variants/engine/objects"
	"k8s.io/apimachinery/pkg/types"
)

// sorted returns records in the order of their keys.
func sorted[V any](m map[types.NamespacedName]V) []V {
	out := make([]V, 0, len(m))
	for _, key := range slices.SortedFunc(maps.Keys(m), objects.CompareKeys) {
		out = append(out, m[key])
	}
	return out
}
