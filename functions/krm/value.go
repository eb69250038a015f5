// SPDX-License-Identifier: Apache-2.0

package krm

import (
	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// FromValue returns the YAML of a value that encoding/json can marshal, such as a function's config. Fields of structs
// keep their order, keys of maps are sorted, and a string that a reader of YAML 1.1 or 1.2 would take for another type
// is quoted. An error says that the value has no JSON.
func FromValue(value any) (*yaml.RNode, error) {
	n, err := node.FromValue(value)
	if err != nil {
		return nil, err
	}
	return yaml.NewRNode(n), nil
}
