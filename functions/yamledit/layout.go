// SPDX-License-Identifier: Apache-2.0

package yamledit

import (
	"fmt"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// layout says how the lines of a document are indented: how often entries begin how far behind what they are below.
type layout struct {
	votes map[string]map[int]int
	// indent is what a line of JSON in several lines has more than the one around it; "" if the document is none.
	indent string
}

const (
	maps   = "maps"
	lists  = "lists"
	dashes = "dashes"
)

func layoutOf(collections map[*yaml.Node]*collection) layout {
	l := layout{votes: map[string]map[int]int{}}
	vote := func(of string, offset int) {
		if l.votes[of] == nil {
			l.votes[of] = map[int]int{}
		}
		l.votes[of][offset]++
	}
	for _, c := range collections {
		for _, e := range c.entries {
			below := collections[e.value]
			if below == nil || !isBlock(e.value) {
				continue
			}
			offset := below.column - c.column
			switch {
			case e.key == nil && below.inline:
				vote(dashes, offset)
			case e.key == nil:
			case e.value.Kind == yaml.MappingNode:
				vote(maps, offset)
			default:
				vote(lists, offset)
				vote(lists+" of "+e.key.Value, offset)
				vote(fmt.Sprintf("%s at %d", lists, c.column), offset)
			}
		}
	}
	return l
}

// most returns the offset that most have, the smallest of several; -1 if there are none.
func (l layout) most(of string) int {
	best := -1
	for offset, n := range l.votes[of] {
		if best < 0 || n > l.votes[of][best] || n == l.votes[of][best] && offset < best {
			best = offset
		}
	}
	return best
}

// step returns how far the entries of a map begin behind its key.
func (l layout) step() int {
	if step := l.most(maps); step > 0 && step < 10 {
		return step
	}
	return 2
}

// dash returns how far the entries of a map begin behind its dash.
func (l layout) dash() int {
	return max(2, l.most(dashes))
}

// list returns how far the dashes of a list begin behind its key, which stands in a column: as those of other lists
// with that key, or in that column, or of most lists.
func (l layout) list(key string, column int) int {
	for _, of := range []string{lists + " of " + key, fmt.Sprintf("%s at %d", lists, column), lists} {
		if offset := l.most(of); offset >= 0 {
			return offset
		}
	}
	return 0
}
