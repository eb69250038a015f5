// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// isJSON reports whether a text is a map in JSON.
func isJSON(text string) bool {
	return strings.HasPrefix(strings.TrimSpace(text), "{") && json.Valid([]byte(text))
}

// indentation matches the beginning of the first line of a map in JSON that is not in one line.
var indentation = regexp.MustCompile(`^\s*\{\s*?\n([ \t]*)`)

// encodeJSON returns a value as JSON, with its keys in their order, and indented as the text that it replaces.
func encodeJSON(n *yaml.Node, before string) (string, error) {
	var compact, out bytes.Buffer
	if err := writeJSON(&compact, n); err != nil {
		return "", err
	}
	indent := indentation.FindStringSubmatch(before)
	end := before[len(strings.TrimRight(before, "\n")):]
	if indent == nil {
		return compact.String() + end, nil
	}
	err := json.Indent(&out, compact.Bytes(), "", indent[1])
	return out.String() + end, err
}

func writeJSON(out *bytes.Buffer, n *yaml.Node) error {
	var brackets string
	switch n = node.Resolve(n); n.Kind {
	case yaml.MappingNode:
		brackets = "{}"
	case yaml.SequenceNode:
		brackets = "[]"
	default:
		return writeScalar(out, n)
	}
	out.WriteByte(brackets[0])
	for i, c := range n.Content {
		isValue := n.Kind == yaml.MappingNode && i%2 == 1
		switch {
		case isValue:
			out.WriteString(": ")
		case i > 0:
			out.WriteString(", ")
		}
		var err error
		if n.Kind == yaml.MappingNode && !isValue {
			err = writeText(out, c.Value)
		} else {
			err = writeJSON(out, c)
		}
		if err != nil {
			return err
		}
	}
	out.WriteByte(brackets[1])
	return nil
}

func writeScalar(out *bytes.Buffer, n *yaml.Node) error {
	switch {
	case node.IsNull(n):
		out.WriteString("null")
	case n.ShortTag() == yaml.NodeTagString:
		return writeText(out, n.Value)
	case json.Valid([]byte(n.Value)): // numbers as they are written
		out.WriteString(n.Value)
	default:
		var value any
		if err := n.Decode(&value); err != nil {
			return err
		}
		text, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("%q has no form in JSON: %w", n.Value, err)
		}
		out.Write(text)
	}
	return nil
}

// writeText writes a string without escaping characters that are special only in HTML.
func writeText(out *bytes.Buffer, text string) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		return err
	}
	out.Truncate(out.Len() - 1) // the end of the line
	return nil
}
