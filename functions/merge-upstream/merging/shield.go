// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"strconv"

	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// shieldTag marks the placeholder of a value while merge3 runs.
const shieldTag = "!shielded"

// shield hides a value from merge3, which would remove nulls, put quotes around words such as yes, and merge list
// elements with the same key into one.
func (w *walker) shield(parent *yaml.Node, i int) {
	if n := parent.Content[i]; n.Kind == yaml.ScalarNode && !node.IsNull(n) &&
		(n.Style != 0 || !yaml.IsYaml1_1NonString(n)) {
		return
	}
	w.shielded = append(w.shielded, parent.Content[i])
	parent.Content[i] = &yaml.Node{Kind: yaml.ScalarNode, Tag: shieldTag, Value: strconv.Itoa(len(w.shielded) - 1)}
}

// unshield puts the hidden values back.
func (w *walker) unshield(n *yaml.Node) {
	for i, c := range n.Content {
		if c.Tag == shieldTag {
			at, err := strconv.Atoi(c.Value)
			if err == nil && at < len(w.shielded) {
				n.Content[i] = w.shielded[at]
			}
			continue
		}
		w.unshield(c)
	}
}

// styleFor returns the style for an upstream scalar that replaces the package's: it keeps the package's quotes if both
// are strings, and always has quotes if some YAML reader would take it for another type.
func styleFor(local, updated *yaml.Node) yaml.Style {
	quotes := yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle
	if updated.ShortTag() != yaml.NodeTagString {
		return 0
	}
	style := updated.Style
	multiline := updated.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
	if !multiline && local.Style&quotes != 0 && local.ShortTag() == yaml.NodeTagString {
		style = local.Style
	}
	if style == 0 {
		style = node.String(updated.Value).Style
	}
	return style
}

// isRegular reports whether merge3 can merge a resource correctly: merge3 drops aliases, takes the first of duplicate
// keys, and treats all keys as strings.
func isRegular(n *yaml.Node) bool {
	switch n.Kind {
	case yaml.AliasNode:
		return false
	case yaml.ScalarNode:
		return isKnownTag(n.ShortTag())
	case yaml.MappingNode:
		if n.ShortTag() != yaml.NodeTagMap || !hasRegularKeys(n) {
			return false
		}
	case yaml.SequenceNode:
		if n.ShortTag() != yaml.NodeTagSeq {
			return false
		}
	}
	for _, c := range n.Content {
		if n.Kind != yaml.DocumentNode && c.Anchor != "" || !isRegular(c) {
			return false
		}
	}
	return true
}

// hasRegularKeys reports whether the keys of a mapping are different strings.
func hasRegularKeys(m *yaml.Node) bool {
	seen := make(map[string]bool, len(m.Content)/2)
	for i := 0; i+1 < len(m.Content); i += 2 {
		k := m.Content[i]
		if k.Kind != yaml.ScalarNode || k.ShortTag() != yaml.NodeTagString || k.Value == "" || seen[k.Value] {
			return false
		}
		seen[k.Value] = true
	}
	return true
}

func isKnownTag(tag string) bool {
	switch tag {
	case yaml.NodeTagString, yaml.NodeTagInt, yaml.NodeTagFloat, yaml.NodeTagBool, yaml.NodeTagNull, "!!timestamp",
		"!!binary":
		return true
	}
	return false
}

// equal reports whether two values are the same. Null counts as absent.
func equal(a, b *yaml.Node) bool {
	if node.IsNull(a) || node.IsNull(b) {
		return node.IsNull(a) && node.IsNull(b)
	}
	return node.Equal(a, b)
}
