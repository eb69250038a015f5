// SPDX-License-Identifier: Apache-2.0

package krm

import (
	"slices"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// leaveToKpt removes the comments of to that would be read back in another place than they were written; kpt puts them
// back where they were. The node read is to as a reader parses it.
func leaveToKpt(from, to, read *yaml.Node) {
	if from.Kind != to.Kind || to.Kind != read.Kind {
		return
	}
	if to.FootComment != "" && to.FootComment == from.FootComment && read.FootComment == "" {
		to.FootComment = ""
	}
	switch to.Kind {
	case yaml.MappingNode:
		inFrom, inRead := keyPositions(from), keyPositions(read)
		for i := 0; i+1 < len(to.Content); i += 2 {
			j, before := inFrom[to.Content[i].Value]
			k, after := inRead[to.Content[i].Value]
			if !before || !after {
				continue
			}
			if isBehindValue(from.Content[j:j+2], read.Content[k:k+2]) {
				to.Content[i].LineComment, to.Content[i+1].LineComment = "", ""
			}
			leaveToKpt(from.Content[j], to.Content[i], read.Content[k])
			leaveToKpt(from.Content[j+1], to.Content[i+1], read.Content[k+1])
		}
	case yaml.SequenceNode:
		for i := 0; i < len(to.Content) && i < len(from.Content) && i < len(read.Content); i++ {
			leaveToKpt(from.Content[i], to.Content[i], read.Content[i])
		}
	}
}

func hasFoot(n *yaml.Node) bool {
	return n.FootComment != "" || slices.ContainsFunc(n.Content, hasFoot)
}
