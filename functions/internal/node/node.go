// SPDX-License-Identifier: Apache-2.0

// Package node reads and edits YAML nodes without touching what it was not asked to touch: comments, key order,
// quoting and style stay as the user wrote them. Edits that cannot be made safely are refused.
package node

import (
	"fmt"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

const (
	tagString = "!!str"
	tagNull   = "!!null"
	tagMerge  = "!!merge"
)

// Error says which field of a resource cannot be read or edited, and why.
type Error struct {
	// Path is the field's path from the resource's root, for example "data.region"; empty for the root itself.
	Path string
	// Reason is a sentence without the path that says what is wrong and what to do.
	Reason string
}

// Error returns the path and the reason.
func (e *Error) Error() string {
	if e.Path == "" {
		return e.Reason
	}
	return e.Path + ": " + e.Reason
}

func errorf(path, format string, args ...any) *Error {
	return &Error{Path: path, Reason: fmt.Sprintf(format, args...)}
}

// Join appends a key to a field path.
func Join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// Index appends a list index to a field path.
func Index(path string, i int) string {
	return fmt.Sprintf("%s[%d]", path, i)
}

// Resolve returns the node that n stands for: the anchored node if n is an alias, else n.
func Resolve(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// IsNull reports whether n is absent or an explicit null.
func IsNull(n *yaml.Node) bool {
	return n == nil || n.Kind == yaml.ScalarNode && n.ShortTag() == tagNull
}

// Get returns the value at the path below m, with aliases resolved, and nil where a step is absent or no mapping. It is
// for reading only; for a duplicate key it takes the first, as kpt does.
func Get(m *yaml.Node, path ...string) *yaml.Node {
	n := Resolve(m)
	for _, key := range path {
		if n == nil || n.Kind != yaml.MappingNode {
			return nil
		}
		i := index(n, key)
		if i < 0 {
			return nil
		}
		n = Resolve(n.Content[i+1])
	}
	return n
}

// GetString returns the scalar at the path below m, or "" if there is none.
func GetString(m *yaml.Node, path ...string) string {
	n := Get(m, path...)
	if n == nil || n.Kind != yaml.ScalarNode || n.ShortTag() == tagNull {
		return ""
	}
	return n.Value
}

// index returns the position of key's first occurrence in the mapping m, or -1.
func index(m *yaml.Node, key string) int {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if isKey(m.Content[i], key) {
			return i
		}
	}
	return -1
}

func isKey(n *yaml.Node, key string) bool {
	n = Resolve(n)
	return n.Kind == yaml.ScalarNode && n.Value == key && n.ShortTag() == tagString
}

// Describe names the type of a node's value in a user's words.
func Describe(n *yaml.Node) string {
	switch {
	case IsNull(n):
		return "null"
	case n.Kind == yaml.MappingNode:
		return "a map"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.AliasNode:
		return "a YAML alias"
	}
	switch n.ShortTag() {
	case tagString:
		return "a string"
	case "!!int", "!!float":
		return "a number"
	case "!!bool":
		return "a boolean"
	case "!!timestamp":
		return "a date"
	}
	return "a scalar"
}

// Equal reports whether two nodes hold the same value, regardless of comments and style. The order of a mapping's keys
// does not count, nor how a null is written. Aliases are equal by name and not followed: they may form a loop.
func Equal(a, b *yaml.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	if IsNull(a) || IsNull(b) {
		return IsNull(a) && IsNull(b)
	}
	if a.Kind != b.Kind || len(a.Content) != len(b.Content) {
		return false
	}
	switch a.Kind {
	case yaml.AliasNode:
		return a.Value == b.Value
	case yaml.ScalarNode:
		return a.Value == b.Value && a.ShortTag() == b.ShortTag()
	case yaml.MappingNode:
		return equalMappings(a, b)
	}
	for i := range a.Content {
		if !Equal(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

func equalMappings(a, b *yaml.Node) bool {
	var places map[string]int // made where the order of keys differs
	for i := 0; i+1 < len(a.Content); i += 2 {
		j := i
		if !Equal(a.Content[i], b.Content[i]) {
			if places == nil {
				places = make(map[string]int, len(b.Content)/2)
				for k := 0; k+1 < len(b.Content); k += 2 {
					places[b.Content[k].Value] = k
				}
			}
			at, found := places[a.Content[i].Value]
			if !found || !Equal(a.Content[i], b.Content[at]) {
				return false
			}
			j = at
		}
		if !Equal(a.Content[i+1], b.Content[j+1]) {
			return false
		}
	}
	return true
}
