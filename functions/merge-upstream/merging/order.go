// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// arranged returns the elements of a merged list in their order. merged has an element for each row, nil for a removed
// one. If both sides changed the order, that is a conflict about the list.
func (w *walker) arranged(rows []row, merged []*yaml.Node, path string) []*yaml.Node {
	order := arrange(rows, func(i int) bool { return merged[i] != nil },
		func(original, here, updated []int) bool { return w.recordOrder(rows, original, here, updated, path) })
	out := make([]*yaml.Node, len(order))
	for i, at := range order {
		out[i] = merged[at]
	}
	return out
}

// arrange returns the rows that stay, in the upstream's order if only the upstream changed it, else in the package's. A
// row that only one side has comes after the row that it follows there. If both sides changed the order, decide gets
// the rows that are in all versions, and says whether the upstream's order is taken.
func arrange(rows []row, stays func(int) bool, decide func(original, here, updated []int) bool) []int {
	front := sequence(rows, localVersion, func(i int) bool { return stays(i) && rows[i].front })
	others := func(i int) bool { return stays(i) && !rows[i].front }
	shared := func(i int) bool { return others(i) && !rows[i].own }
	here := sequence(rows, localVersion, others)
	original, updated := sequence(rows, originalVersion, shared), sequence(rows, updatedVersion, shared)
	both := sequence(rows, localVersion, shared)

	n := len(rows)
	if differs(original, updated, n) && differs(both, updated, n) && (!differs(original, both, n) ||
		decide(common(original, both, n), common(both, updated, n), common(updated, both, n))) {
		return slices.Concat(front, weave(updated, here, false))
	}
	return slices.Concat(front, weave(here, updated, true))
}

// sequence returns the wanted rows that a version has, in the order of the version.
func sequence(rows []row, version int, wanted func(int) bool) []int {
	var out []int
	for i := range rows {
		if rows[i].at[version] >= 0 && wanted(i) {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(i, j int) int { return rows[i].at[version] - rows[j].at[version] })
	return out
}

// differs reports whether two sequences order their common numbers differently; n is greater than any number in them.
func differs(a, b []int, n int) bool { return !slices.Equal(common(a, b, n), common(b, a, n)) }

// common returns the numbers of the first sequence that are in the second, too.
func common(a, b []int, n int) []int {
	in := members(b, n)
	return slices.DeleteFunc(slices.Clone(a), func(i int) bool { return !in[i] })
}

func members(list []int, n int) []bool {
	in := make([]bool, n)
	for _, i := range list {
		in[i] = true
	}
	return in
}

// weave inserts into the first sequence the numbers that only the other one has: each after the number that it follows
// in the other one, or at the end if no common number comes after it. If last is set, they also come after the numbers
// that only the first sequence has at that place.
func weave(first, other []int, last bool) []int {
	n := 0
	for _, i := range slices.Concat(first, other) {
		n = max(n, i+1)
	}
	inFirst, inOther := members(first, n), members(other, n)
	const start = -1
	after, tail, place := map[int][]int{}, []int(nil), start
	for _, i := range other {
		if inFirst[i] {
			if len(tail) > 0 {
				after[place], tail = tail, nil
			}
			place = i
			continue
		}
		tail = append(tail, i)
	}
	out := make([]int, 0, n)
	waiting := after[start]
	for _, i := range first {
		if !last || inOther[i] {
			out, waiting = append(out, waiting...), nil
		}
		if out = append(out, i); inOther[i] {
			waiting = after[i]
		}
	}
	return slices.Concat(out, waiting, tail)
}

// recordOrder notes that both sides changed the order of a list, and reports whether the upstream's is taken.
func (w *walker) recordOrder(rows []row, original, here, updated []int, path string) (takeUpstream bool) {
	for len(original) > 0 && len(here) > 0 && original[0] == here[0] && here[0] == updated[0] {
		original, here, updated = original[1:], here[1:], updated[1:]
	}
	text := func(list []int) *yaml.Node {
		names := make([]string, len(list))
		for i, at := range list {
			names[i] = rows[at].name()
		}
		return node.String(inOrderOf + strings.Join(names, ", "))
	}
	return w.record(path, sources{original: text(original), local: text(here), updated: text(updated)}, "")
}
