// SPDX-License-Identifier: Apache-2.0

package node

import (
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/functions/bounds"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// maxShown is how much of a text is shown in messages, maxShownPath how much of a field's path.
const maxShown, maxShownPath = 100, 304

// Bounded returns an error that names the field where n is nested too deep, where its aliases stand for too many values
// (a YAML bomb) or for themselves, or where a key is too long. Input beyond these bounds would take far more memory or
// time than its size suggests, here or in the next reader. Bounded follows each anchor once.
func Bounded(n *yaml.Node) error {
	b := measure{sizes: map[*yaml.Node]int{}}
	if _, err := b.size(n, 0); err != nil {
		return &Error{Path: shorten(err.Path, maxShownPath), Reason: err.Reason}
	}
	return nil
}

// measure measures a resource.
type measure struct {
	// sizes are the sizes of anchored nodes, with the values behind their aliases; unfinished while they are measured.
	sizes   map[*yaml.Node]int
	aliased int
}

const unfinished = -1

// size returns how many values n holds, with those that its aliases stand for. The path of an error begins at n.
func (b *measure) size(n *yaml.Node, depth int) (int, *Error) {
	switch {
	case n.Kind == yaml.AliasNode:
		return b.alias(n, depth)
	case depth > bounds.Depth:
		return 0, errorf("", "is nested deeper than %d levels: make it flatter", bounds.Depth)
	case n.Anchor != "":
		b.sizes[n] = unfinished
	}
	total := 1
	for i, child := range n.Content {
		isKey := n.Kind == yaml.MappingNode && i%2 == 0
		if isKey && len(child.Value) > bounds.Key {
			return 0, errorf(Short(child.Value), "is a key of %d bytes: make it one of at most %d", len(child.Value), bounds.Key)
		}
		size, err := b.size(child, depth+1)
		if err != nil {
			return 0, err.below(n, i)
		}
		total = min(total+size, bounds.Aliased+1)
	}
	if n.Anchor != "" {
		b.sizes[n] = total
	}
	return total, nil
}

// alias returns how many values an alias stands for.
func (b *measure) alias(n *yaml.Node, depth int) (int, *Error) {
	size, known := b.sizes[n.Alias]
	if !known { // the anchor stands in another resource of the same text
		var err *Error
		if size, err = b.size(n.Alias, depth); err != nil {
			return 0, err
		}
	}
	if size == unfinished {
		return 0, errorf("", "is a YAML alias (*%s) within its own anchor: write the value out", n.Value)
	}
	if b.aliased += size; b.aliased > bounds.Aliased {
		return 0, errorf("", "is a YAML alias (*%s) by which aliases stand for more than %d values: write the values out",
			n.Value, bounds.Aliased)
	}
	return size, nil
}

// below returns the error with a path that begins at the parent of the erroneous node, which is its child at position
// i.
func (e *Error) below(parent *yaml.Node, i int) *Error {
	step := ""
	switch {
	case parent.Kind == yaml.SequenceNode:
		step = Index("", i)
	case parent.Kind == yaml.MappingNode && i%2 == 1:
		step = parent.Content[i-1].Value
	}
	if e.Path != "" && step != "" && !strings.HasPrefix(e.Path, "[") {
		step += "."
	}
	return &Error{Path: step + e.Path, Reason: e.Reason}
}

// Short returns a text for a message; if it is long, only its beginning and its length.
func Short(text string) string { return shorten(text, maxShown) }

func shorten(text string, shown int) string {
	if len(text) <= shown {
		return text
	}
	return fmt.Sprintf("%s... (%d bytes)", strings.ToValidUTF8(text[:shown], ""), len(text))
}
