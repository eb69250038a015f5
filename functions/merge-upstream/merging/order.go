// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// arranged returns the elements of a merged list in their order. merged has an element for each row, nil if it goes.
// Where both sides changed the order, that is a conflict about the list.
func (w *walker) arranged(rows []row, merged []*yaml.Node, path string) []*yaml.Node {
	order := arrange(rows, func(i int) bool { return merged[i] != nil },
		func(original, here, updated []int) bool { return w.recordOrder(rows, original, here, updated, path) })
	out := make([]*yaml.Node, len(order))
	for i, at := range order {
		out[i] = merged[at]
	}
	return out
}

// arrange returns the rows that stay, in order: the upstream's where only the upstream changed it, else the package's.
// What only one side has comes behind what it follows there. Where both changed the order, decide says whether the
// upstream's is taken, of what is there in all versions.
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

// sequence returns the rows that a version has and that are wanted, in the order of the version.
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

// differs reports whether two sequences have what both have in another order; n is more than any number in them.
func differs(a, b []int, n int) bool { return !slices.Equal(common(a, b, n), common(b, a, n)) }

// common returns what of the first sequence is in the second, too.
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

// weave puts what only the other sequence has into the first one: behind what it follows there, or at the end if
// nothing follows it that both have. If last, it comes behind what only the first sequence has at that place.
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
		return node.String("in the order " + strings.Join(names, ", "))
	}
	return w.record(path, sources{original: text(original), local: text(here), updated: text(updated)})
}
