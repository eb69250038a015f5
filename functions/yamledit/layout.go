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

func layoutOf(root *entry) layout {
	l := layout{votes: map[string]map[int]int{}}
	if isBlock(root.value) {
		l.count(root.in)
	}
	return l
}

// count counts how the entries of a collection in lines are indented.
func (l layout) count(c *collection) {
	for _, e := range c.entries {
		if !isBlock(e.value) {
			continue
		}
		l.count(e.in)
		of := []string{maps}
		switch {
		case e.key == nil:
			of = []string{dashes}
		case e.value.Kind == yaml.SequenceNode:
			of = listsLike(e.key.Value, c.column)
		}
		for _, kind := range of {
			if l.votes[kind] == nil {
				l.votes[kind] = map[int]int{}
			}
			l.votes[kind][e.in.column-c.column]++
		}
	}
}

// listsLike returns the kinds of lists that one is of, whose key stands in a column: those with that key, those in that
// column, and all.
func listsLike(key string, column int) []string {
	return []string{lists + " of " + key, fmt.Sprintf("%s at %d", lists, column), lists}
}

// offset returns the offset that most have of the first kind that there is, the smallest of several; otherwise another
// one.
func (l layout) offset(otherwise int, kinds ...string) int {
	for _, kind := range kinds {
		best := -1
		for offset, n := range l.votes[kind] {
			if most := l.votes[kind][best]; n > most || n == most && offset < best {
				best = offset
			}
		}
		if best >= 0 {
			return best
		}
	}
	return otherwise
}

// step returns how far the entries of a map begin behind its key.
func (l layout) step() int { return l.offset(2, maps) }
