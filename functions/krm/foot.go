// SPDX-License-Identifier: Apache-2.0

package krm

import (
	"slices"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// leaveToKpt removes the comments at the foot of to that would be read back in another place than they are written
// for: kpt puts them where they were.
func leaveToKpt(from, to *yaml.Node) {
	if !hasFoot(to) {
		return
	}
	if read, err := reread(to); err == nil {
		dropMoved(from, to, read)
	}
}

func hasFoot(n *yaml.Node) bool {
	return n.FootComment != "" || slices.ContainsFunc(n.Content, hasFoot)
}

// dropMoved removes the foot comments that to and from have in the same place, but read has not.
func dropMoved(from, to, read *yaml.Node) {
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
			if before && after {
				dropMoved(from.Content[j], to.Content[i], read.Content[k])
				dropMoved(from.Content[j+1], to.Content[i+1], read.Content[k+1])
			}
		}
	case yaml.SequenceNode:
		for i := 0; i < len(to.Content) && i < len(from.Content) && i < len(read.Content); i++ {
			dropMoved(from.Content[i], to.Content[i], read.Content[i])
		}
	}
}
