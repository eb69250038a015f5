// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"fmt"

	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Place is where a resource stands in a package: its file, and its position among the documents of the file.
type Place struct {
	File  string
	Index int
}

// PlaceOf returns the place that an item's annotations name.
func PlaceOf(item *yaml.RNode) Place {
	id := krm.Identify(item)
	return Place{File: id.File, Index: id.Index}
}

// String names the place for messages.
func (p Place) String() string {
	switch {
	case p.File == "":
		return "a resource without a file"
	case p.Index > 0:
		return fmt.Sprintf("%s (document %d)", p.File, p.Index+1)
	default:
		return p.File
	}
}
