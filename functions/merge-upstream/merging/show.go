// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// maxShown bounds the text of a value: conflicts are written into results and status fields.
const maxShown = 200

// show returns a value in a few words: a scalar as it is, in quotes where YAML needs them, lists and maps as JSON;
// empty for no value.
func show(n *yaml.Node, hidden bool) string {
	switch {
	case node.IsNull(n):
		return ""
	case hidden:
		return notShown
	case n.Kind == yaml.ScalarNode && (n.ShortTag() != yaml.NodeTagString || node.String(n.Value).Style == 0 &&
		!strings.Contains(n.Value, "\n")):
		return shorten(n.Value)
	}
	var value any
	if err := withWrittenNumbers(n).Decode(&value); err != nil {
		return "(" + node.Describe(n) + ")"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return "(" + node.Describe(n) + ")"
	}
	return shorten(string(text))
}

// withWrittenNumbers returns a copy in which numbers that JSON would write differently, such as 0x1 and 1.0, are
// strings: otherwise the different values of a conflict could look the same.
func withWrittenNumbers(n *yaml.Node) *yaml.Node {
	c := copyNode(n)
	var visit func(*yaml.Node)
	visit = func(n *yaml.Node) {
		if tag := n.ShortTag(); n.Kind == yaml.ScalarNode && (tag == yaml.NodeTagInt || tag == yaml.NodeTagFloat) {
			var value any
			err := n.Decode(&value)
			if text, jsonErr := json.Marshal(value); err == nil && jsonErr == nil && string(text) != n.Value {
				n.Tag = yaml.NodeTagString
			}
		}
		for _, child := range n.Content {
			visit(child)
		}
	}
	visit(c)
	return c
}

// shortened ends a value that is not shown completely.
const shortened = "…"

func shorten(s string) string {
	runes := []rune(s)
	if len(runes) <= maxShown {
		return s
	}
	return string(runes[:maxShown-1]) + shortened
}

// digest returns a short text that identifies a whole text.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%d bytes, sha256 %x", len(text), sum[:6])
}
