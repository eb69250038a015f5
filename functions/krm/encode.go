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
	for batch := range slices.Chunk(rl.Items, batchSize) {
		list := &yaml.Node{Kind: yaml.SequenceNode}
		for _, item := range batch {
			list.Content = append(list.Content, item.MoveToResourceNode().YNode())
		}
		if err := yaml.NewEncoder(out).Encode(list); err != nil {
			return nil, err
		}
	}
	out.Write(rest)
	return out.Bytes(), nil
}
