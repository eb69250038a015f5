// SPDX-License-Identifier: Apache-2.0

package yamledit

import (
	"slices"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// maxCompared is how many pairs of elements, or of comments, are compared to find which of them stayed.
const maxCompared = 1 << 22

// alignment finds for each entry of a collection as it is to be the entry that it was.
type alignment struct {
	old, new *tree
	was      []*entry
	is       []pair
	// of are the positions in was of each in is, -1 if it is new.
	of   []int
	used []bool
}

// align returns the entry that each entry of n was in a text; nil for a new one.
func align(read, wanted *tree, was *collection, n *yaml.Node) []*entry {
	a := &alignment{old: read, new: wanted, was: was.entries, is: pairs(n)}
	a.of, a.used = slices.Repeat([]int{-1}, len(a.is)), make([]bool, len(a.was))
	if n.Kind == yaml.MappingNode {
		a.by(func(_ *tree, key, _ *yaml.Node) any { return [2]any{key.Kind, key.Value} })
		a.renamed()
	} else {
		a.stayed()
		a.by(func(t *tree, _, value *yaml.Node) any { return t.sum(value) })
		a.by(func(_ *tree, _, value *yaml.Node) any { return nameOf(value) })
		a.byPlace()
	}
	out := make([]*entry, len(a.is))
	for i, at := range a.of {
		if at >= 0 {
			out[i] = a.was[at]
		}
	}
	return out
}

func (a *alignment) take(is, was int) {
	a.of[is], a.used[was] = was, true
}

// nameOf returns the name of an element of a list; nil if it has none.
func nameOf(n *yaml.Node) any {
	for _, p := range pairs(n) {
		if p.key != nil && p.key.Value == "name" && p.value.Kind == yaml.ScalarNode {
			return p.value.Value
		}
	}
	return nil
}

// by aligns entries that are not yet aligned and have the same key, in their order; those without one stay.
func (a *alignment) by(key func(t *tree, key, value *yaml.Node) any) {
	at := map[any][]int{}
	for i, e := range a.was {
		if k := key(a.old, e.key, e.value); !a.used[i] {
			at[k] = append(at[k], i)
		}
	}
	for i, p := range a.is {
		if k := key(a.new, p.key, p.value); a.of[i] < 0 && k != nil && len(at[k]) > 0 {
			a.take(i, at[k][0])
			at[k] = at[k][1:]
		}
	}
}

func (a *alignment) isSame(is, was int) bool {
	return a.new.sum(a.is[is].value) == a.old.sum(a.was[was].value)
}

// stayed aligns the elements that are in both lists in the same order.
func (a *alignment) stayed() {
	from, n, m := 0, len(a.is), len(a.was)
	for ; from < min(n, m) && a.isSame(from, from); from++ {
		a.take(from, from)
	}
	for ; n > from && m > from && a.isSame(n-1, m-1); n, m = n-1, m-1 {
		a.take(n-1, m-1)
	}
	for _, p := range common(n-from, m-from, func(i, j int) bool { return a.isSame(from+i, from+j) }) {
		a.take(from+p[0], from+p[1])
	}
}

// common returns the positions of a longest common subsequence; none of sequences that are too long.
func common(n, m int, same func(i, j int) bool) [][2]int {
	if n*m > maxCompared {
		return nil
	}
	lengths := make([][]int32, n+1)
	for i := range lengths {
		lengths[i] = make([]int32, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if same(i, j) {
				lengths[i][j] = lengths[i+1][j+1] + 1
			} else {
				lengths[i][j] = max(lengths[i+1][j], lengths[i][j+1])
			}
		}
	}
	var out [][2]int
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case same(i, j):
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case lengths[i+1][j] >= lengths[i][j+1]:
			i++
		default:
			j++
		}
	}
	return out
}

// between calls f with the runs of entries that are not aligned and stand between the same neighbours.
func (a *alignment) between(f func(is, was []int)) {
	var run []int
	last := -1
	for i := 0; i <= len(a.is); i++ {
		at := len(a.was)
		if i < len(a.is) {
			if at = a.of[i]; at < 0 {
				run = append(run, i)
				continue
			}
		}
		var left []int
		for j := last + 1; j < at; j++ {
			if !a.used[j] {
				left = append(left, j)
			}
		}
		if len(run) > 0 && len(left) > 0 {
			f(run, left)
		}
		run, last = nil, at
	}
}

// renamed aligns the entries of a map of which only the key changed.
func (a *alignment) renamed() {
	a.between(func(is, was []int) {
		if len(is) == 1 && len(was) == 1 && a.isSame(is[0], was[0]) {
			a.take(is[0], was[0])
		}
	})
}

// byPlace aligns elements of the same kind between the same neighbours, in their order.
func (a *alignment) byPlace() {
	a.between(func(is, was []int) {
		for i := range min(len(is), len(was)) {
			if a.is[is[i]].value.Kind == a.was[was[i]].value.Kind {
				a.take(is[i], was[i])
			}
		}
	})
}
