// SPDX-License-Identifier: Apache-2.0

package node

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// String returns a scalar that every YAML reader takes for the string s: what YAML 1.1 or 1.2 would read as another
// type (yes, 010, null, 1:30) is quoted.
func String(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode}
	setScalar(n, tagString, s)
	return n
}

// setScalar gives n a value with its tag and a style that fits both; a style that the user chose is kept where it can
// hold the value.
func setScalar(n *yaml.Node, tag, value string) {
	wasPlain := n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	n.Kind, n.Tag, n.Value = yaml.ScalarNode, tag, value
	n.Style &^= yaml.TaggedStyle
	switch {
	case tag != tagString:
		n.Style = 0
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		n.Style = 0 // block scalars keep line ends only in the shape they had; the emitter chooses a safe style
		wasPlain = true
	case n.Style&yaml.SingleQuotedStyle != 0 && strings.Contains(value, "\n"):
		n.Style = 0 // the emitter would write empty lines between the lines
		wasPlain = true
	}
	if tag == tagString && wasPlain && isAmbiguous(value) {
		n.Style = yaml.DoubleQuotedStyle
	}
}

// base60 matches numbers to the base of 60, which YAML 1.1 has: 1:30 is 90.
var base60 = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$`)
})

// same reports whether old holds the value of src for every YAML reader: strings that some take for another type must
// have quotes.
func same(old, src *yaml.Node) bool {
	return Equal(old, src) && !hasBare(old)
}

// hasBare reports whether n holds a string without quotes that some YAML reader takes for another type. Keys do not
// count.
func hasBare(n *yaml.Node) bool {
	if n.Kind == yaml.ScalarNode {
		return n.Style&^yaml.FlowStyle == 0 && n.ShortTag() == tagString && isAmbiguous(n.Value)
	}
	for i, c := range n.Content {
		if (n.Kind != yaml.MappingNode || i%2 == 1) && hasBare(c) {
			return true
		}
	}
	return false
}

// isAmbiguous reports whether an unquoted scalar would be taken for something other than its text by some reader, or
// may be written wrongly: the emitter's blocks are safe for lines of plain text only.
func isAmbiguous(value string) bool {
	if strings.Contains(value, "\n") {
		text := strings.TrimSpace(value)
		return text == "" || text != strings.TrimSuffix(value, "\n") || strings.ContainsAny(value, "\t\r") ||
			strings.Contains(value, " \n")
	}
	if isWord(value) {
		return false
	}
	return value == "" || value == "=" || value == "<<" || yaml.IsValueNonString(value) || strings.Contains(value, ":") &&
		base60().MatchString(value)
}

// reserved are the words that YAML 1.1 takes for booleans and null, in lower case.
var reserved = map[string]bool{
	"y": true, "n": true, "yes": true, "no": true, "on": true, "off": true, "true": true, "false": true, "null": true,
}

// isWord reports whether value is a name, path, image or sentence that begins with a letter, which is text to every
// reader. So most values need no YAML parser.
func isWord(value string) bool {
	for i := range len(value) {
		c := value[i]
		isLetter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		isInner := c >= '0' && c <= '9' || strings.IndexByte("-_./", c) >= 0
		isBetween := (c == ':' || c == ' ') && i+1 < len(value) && value[i+1] != ' '
		if !isLetter && (i == 0 || !isInner && !isBetween) {
			return false
		}
	}
	return value != "" && !reserved[strings.ToLower(value)]
}

// FromValue returns the node for a value that encoding/json can marshal. Fields of structs keep their order, keys of
// maps are sorted.
func FromValue(v any) (*yaml.Node, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("cannot encode %T: %w", v, err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	n, err := fromTokens(dec)
	if err != nil {
		return nil, fmt.Errorf("cannot decode %T: %w", v, err)
	}
	return n, nil
}

func fromTokens(dec *json.Decoder) (*yaml.Node, error) {
	tok, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := tok.(type) {
	case json.Delim:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: yaml.NodeTagMap}
		if t == '[' {
			n.Kind, n.Tag = yaml.SequenceNode, yaml.NodeTagSeq
		}
		for dec.More() {
			child, err := fromTokens(dec)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, child)
		}
		_, err := dec.Token()
		return n, err
	case string:
		return String(t), nil
	case json.Number:
		return number(t), nil
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: yaml.NodeTagBool, Value: fmt.Sprint(t)}, nil
	default:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tagNull, Value: "null"}, nil
	}
}

func number(n json.Number) *yaml.Node {
	tag := yaml.NodeTagInt
	if _, err := n.Int64(); err != nil {
		tag = yaml.NodeTagFloat
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: n.String()}
}
