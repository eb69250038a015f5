// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// added returns the result for a resource that the upstream adds. In a package that kpt or Porch made, it gets what
// they would give it: a comment and an annotation that identify the resource upstream, even after it is renamed.
func (m *merged) added(t *tuple) (result, error) {
	r := result{tuple: t, outcome: taken}
	if !m.tracked || t.updated.isKptfile() || t.key().kind == "" || !isRegular(t.updated.root) {
		return r, nil
	}
	root := copyNode(t.updated.root)
	metadata := present(root.Content[0], yaml.MetadataField)
	if metadata == nil || metadata.Kind != yaml.MappingNode || node.GetString(metadata, "name") == "" {
		return r, nil
	}
	k := t.key()
	i := position(root.Content[0], yaml.MetadataField)
	if name := root.Content[0].Content[i]; name.LineComment == "" && metadata.Style&yaml.FlowStyle == 0 {
		name.LineComment = k.comment()
	}
	annotations := present(metadata, "annotations")
	if annotations != nil && annotations.Kind != yaml.MappingNode {
		return r, nil
	}
	item := yaml.NewRNode(root.Content[0])
	annotate(item, strings.TrimPrefix(identifier, annotationsPath), identifierOf(k))
	text, err := encode(root, t.updated.text)
	if err != nil {
		return r, fmt.Errorf("%s: %s: cannot be written: %w", t.updated.file, describe(t.updated), err)
	}
	r.outcome, r.root, r.text = changed, root, text
	return r, nil
}

// isTracked reports whether kpt or Porch noted in a package which upstream resources its resources come from.
func isTracked(tuples []*tuple) bool {
	for _, t := range tuples {
		if t.local == nil {
			continue
		}
		if _, _, ok := upstreamName(t.local.body()); ok {
			return true
		}
	}
	return false
}
