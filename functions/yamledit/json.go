// SPDX-License-Identifier: Apache-2.0

package yamledit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// isJSON reports whether a text is a map in JSON.
func isJSON(text string) bool {
	return strings.HasPrefix(strings.TrimSpace(text), "{") && json.Valid([]byte(text))
}

// jsonIndent returns how the first entry of JSON in several lines is indented; "" if it is in one.
func jsonIndent(text string, root *entry) string {
	if len(root.in.entries) == 0 || !strings.Contains(text[root.from:root.in.entries[0].start], "\n") {
		return ""
	}
	start := root.in.entries[0].start
	return text[lineStart(text, start):start]
}

// asJSON returns a value as JSON can hold it: without aliases, anchors, tags and comments.
func asJSON(n *yaml.Node) (*yaml.Node, error) {
	n = node.Resolve(n)
	out := &yaml.Node{Kind: n.Kind, Style: yaml.FlowStyle}
	if n.Kind == yaml.ScalarNode {
		text, err := scalarJSON(n)
		out.Value, out.Style = text, 0
		if n.ShortTag() == yaml.NodeTagString {
			out.Value, out.Tag, out.Style = n.Value, yaml.NodeTagString, yaml.DoubleQuotedStyle
		}
		return out, err
	}
	for i, c := range n.Content {
		v, err := asJSON(c)
		if err != nil {
			return nil, err
		}
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			v = &yaml.Node{Kind: yaml.ScalarNode, Tag: yaml.NodeTagString, Style: yaml.DoubleQuotedStyle, Value: c.Value}
		}
		out.Content = append(out.Content, v)
	}
	return out, nil
}

// scalarJSON returns a scalar in JSON, numbers as they are written.
func scalarJSON(n *yaml.Node) (string, error) {
	switch {
	case node.IsNull(n):
		return "null", nil
	case n.ShortTag() == yaml.NodeTagString:
		return quotedJSON(n.Value)
	case json.Valid([]byte(n.Value)):
		return n.Value, nil
	}
	var value any
	if err := n.Decode(&value); err != nil {
		return "", err
	}
	text, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("%q has no form in JSON: %w", n.Value, err)
	}
	return string(text), nil
}

// quotedJSON returns a string in JSON without escaping characters that are special only in HTML.
func quotedJSON(text string) (string, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(text)
	return strings.TrimSuffix(out.String(), "\n"), err
}
