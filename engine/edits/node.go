// SPDX-License-Identifier: Apache-2.0

package edits

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
)

// kind is what a key leads to, and what the entries of a node are.
type kind byte

const (
	values    kind = iota // nothing: a scalar, an alias, a list without merge keys, a text
	resources             // the documents of a file
	contents              // the root of a document
	fields                // the fields of a map
	elements              // the elements of a list with merge keys
	remarks               // comments in the line of a field
	comments              // comments on lines of their own
)

// key identifies an entry. The tag is that of a field's key, with its anchor; nth tells equal ones apart.
type key struct {
	kind      kind
	name, tag string
	nth       int
}

// resource returns the kind and the name of a resource.
func (k key) resource() string {
	if parts := strings.Split(k.name, "|"); len(parts) == 4 {
		return strings.TrimSpace(parts[1] + " " + parts[3])
	}
	return k.name
}

// shape is all of a node but its entries.
type shape struct {
	kind               kind
	tag, anchor, value string
}

type entry struct {
	key   key
	value *node
}

// node is the normal form of a file, or of a part of one: what is compared of it.
type node struct {
	shape
	entries []entry
	// index is where the keys are among many entries.
	index map[key]int
}

// ifLike returns the node if it has the shape of another, nil if it has not or does not exist.
func (n *node) ifLike(other *node) *node {
	if n == nil || n.shape != other.shape {
		return nil
	}
	return n
}

// few is how many entries are searched without an index.
const few = 8

// find returns where a key is, -1 if the node does not have it.
func (n *node) find(k key) int {
	if len(n.entries) <= few {
		return slices.IndexFunc(n.entries, func(e entry) bool { return e.key == k })
	}
	if i, exists := n.index[k]; exists {
		return i
	}
	return -1
}

// get returns what a key leads to, nil if the node does not have it.
func (n *node) get(k key) *node {
	if i := n.find(k); i >= 0 {
		return n.entries[i].value
	}
	return nil
}

// add adds an entry; false if the node has one with this key.
func (n *node) add(k key, value *node) bool {
	if n.find(k) >= 0 {
		return false
	}
	n.entries = append(n.entries, entry{k, value})
	if len(n.entries) <= few {
		return true
	}
	if n.index == nil {
		n.index = map[key]int{}
		for i, e := range n.entries {
			n.index[e.key] = i
		}
	}
	n.index[k] = len(n.entries) - 1
	return true
}

// addNext adds an entry with the first nth that the counts of these keys leave free.
func (n *node) addNext(counts map[key]int, k key, value *node) {
	counts[k]++
	k.nth = counts[k]
	n.add(k, value)
}

// isOrderedAs reports whether the entries that another node has too are in its order.
func (n *node) isOrderedAs(other *node) bool {
	last := -1
	for _, e := range n.entries {
		i := other.find(e.key)
		if i >= 0 && i < last {
			return false
		}
		last = max(last, i)
	}
	return true
}

// appendTo appends bytes that are equal for equal nodes only, whatever the order of their entries unless it counts.
func (n *node) appendTo(b []byte) []byte {
	b = appendText(append(b, byte(n.kind)), n.tag, n.anchor, n.value)
	b = binary.AppendUvarint(b, uint64(len(n.entries)))
	entries := n.entries
	if n.kind != elements {
		entries = slices.Clone(entries)
		slices.SortFunc(entries, func(x, y entry) int {
			return cmp.Or(cmp.Compare(x.key.kind, y.key.kind), cmp.Compare(x.key.name, y.key.name),
				cmp.Compare(x.key.tag, y.key.tag), cmp.Compare(x.key.nth, y.key.nth))
		})
	}
	for _, e := range entries {
		b = appendText(append(b, byte(e.key.kind)), e.key.name, e.key.tag)
		b = e.value.appendTo(binary.AppendUvarint(b, uint64(e.key.nth)))
	}
	return b
}

// appendText appends texts with their lengths.
func appendText(b []byte, texts ...string) []byte {
	for _, text := range texts {
		b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	}
	return b
}
