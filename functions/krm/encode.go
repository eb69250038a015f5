// SPDX-License-Identifier: Apache-2.0

package krm

import (
	"bytes"
	"slices"

	"github.com/kptdev/krm-functions-sdk/go/fn"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// emptyList is how the SDK writes a ResourceList that holds nothing.
const emptyList = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"

// batchSize is the number of items that are written as one YAML document: the more, the more the emitter remembers;
// the fewer, the more often it is set up.
const batchSize = 64

// encode writes a ResourceList as the SDK does, but its items in batches. If the list were one document, the YAML
// emitter would keep the events of the whole list, which would take most of a run's time and memory. The list must not
// be used afterwards.
func encode(rl *fn.ResourceList) ([]byte, error) {
	frame, err := (&fn.ResourceList{FunctionConfig: rl.FunctionConfig, Results: rl.Results}).ToYAML()
	if err != nil {
		return nil, err
	}
	rest, asExpected := bytes.CutPrefix(frame, []byte(emptyList))
	if len(rl.Items) == 0 || !asExpected {
		return rl.ToYAML()
	}
	out := bytes.NewBufferString(emptyList + "items:\n")
	items := make([]*yaml.Node, len(rl.Items))
	for i, item := range rl.Items {
		items[i] = item.MoveToResourceNode().YNode()
	}
	if err := encodeItems(out, items); err != nil {
		return nil, err
	}
	out.Write(rest)
	return out.Bytes(), nil
}

// encodeItems writes items as elements of a list. An empty line follows an item that ends with a comment: only then
// does a reader go by the comment's column, and otherwise it attaches the comment to the innermost last value.
func encodeItems(out *bytes.Buffer, items []*yaml.Node) error {
	for len(items) > 0 {
		n := min(batchSize, len(items))
		last := slices.IndexFunc(items[:n], endsWithComment)
		if last >= 0 {
			n = last + 1
		}
		if err := yaml.NewEncoder(out).Encode(&yaml.Node{Kind: yaml.SequenceNode, Content: items[:n]}); err != nil {
			return err
		}
		if last >= 0 {
			out.WriteByte('\n')
		}
		items = items[n:]
	}
	return nil
}

func endsWithComment(n *yaml.Node) bool {
	if n.FootComment != "" || len(n.Content) == 0 {
		return n.FootComment != ""
	}
	last := len(n.Content) - 1
	return n.Kind == yaml.MappingNode && n.Content[last-1].FootComment != "" || endsWithComment(n.Content[last])
}
