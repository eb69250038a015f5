// SPDX-License-Identifier: Apache-2.0

package node

import (
	"hash/maphash"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Places finds the children of a node by their values, in a time that does not grow with their number: objects of a
// cluster can have lists and maps with a hundred thousand entries.
type Places struct {
	parent *yaml.Node
	by     map[uint64][]int // positions, by the digests of the values there
}

// PlacesOf returns the Places of every child (step 1), or of the keys of a mapping (step 2).
func PlacesOf(parent *yaml.Node, step int) Places {
	p := Places{parent: parent, by: make(map[uint64][]int, len(parent.Content)/step)}
	for i := 0; i < len(parent.Content); i += step {
		digest := digestOf(parent.Content[i])
		p.by[digest] = append(p.by[digest], i)
	}
	return p
}

// find returns the position of the first child that is Equal to n, or -1.
func (p Places) find(n *yaml.Node) int {
	for _, i := range p.by[digestOf(n)] {
		if Equal(p.parent.Content[i], n) {
			return i
		}
	}
	return -1
}

// take is find of a child that has not been taken yet, and takes it.
func (p Places) take(n *yaml.Node) int {
	digest := digestOf(n)
	same := p.by[digest]
	for at, i := range same {
		if !Equal(p.parent.Content[i], n) {
			continue
		}
		if at == 0 { // a fast path for a long list of equal values
			p.by[digest] = same[1:]
		} else {
			p.by[digest] = append(append(make([]int, 0, len(same)-1), same[:at]...), same[at+1:]...)
		}
		return i
	}
	return -1
}

// Take returns the first child that is Equal to n and has not been taken yet, or nil, and takes it.
func (p Places) Take(n *yaml.Node) *yaml.Node {
	if i := p.take(n); i >= 0 {
		return p.parent.Content[i]
	}
	return nil
}

// names are the positions of the elements of a list that have a name, by it.
type names map[string][]int

func namesOf(list *yaml.Node) names {
	out := names{}
	for i, n := range list.Content {
		if name := GetString(n, "name"); name != "" {
			out[name] = append(out[name], i)
		}
	}
	return out
}

// take returns the position of the first element of that name that is not taken, or -1.
func (n names) take(name string, taken []bool) int {
	for len(n[name]) > 0 {
		i := n[name][0]
		n[name] = n[name][1:]
		if !taken[i] {
			return i
		}
	}
	return -1
}

var seed = maphash.MakeSeed()

// digestOf returns a number that is the same for values that are Equal.
func digestOf(n *yaml.Node) uint64 {
	if IsNull(n) {
		return 1
	}
	var sum uint64
	switch n.Kind {
	case yaml.MappingNode: // in any order
		for i := 0; i+1 < len(n.Content); i += 2 {
			sum += maphash.Comparable(seed, [2]uint64{digestOf(n.Content[i]), digestOf(n.Content[i+1])})
		}
	case yaml.SequenceNode:
		for _, c := range n.Content {
			sum = maphash.Comparable(seed, [2]uint64{sum, digestOf(c)})
		}
	case yaml.AliasNode:
		return maphash.String(seed, "*"+n.Value)
	default:
		return maphash.Comparable(seed, [2]string{n.ShortTag(), n.Value})
	}
	return maphash.Comparable(seed, [2]uint64{uint64(n.Kind), sum})
}
