// SPDX-License-Identifier: Apache-2.0

package plans

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

func sortedSets(m map[types.NamespacedName]*setRecord) []*setRecord {
	out := make([]*setRecord, 0, len(m))
	for _, s := range m {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b *setRecord) int { return compareKeys(a.key, b.key) })
	return out
}

func sortedRecords(m map[types.NamespacedName]*record) []*record {
	out := make([]*record, 0, len(m))
	for _, r := range m {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b *record) int { return compareKeys(a.key, b.key) })
	return out
}

func compareKeys(a, b types.NamespacedName) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}
