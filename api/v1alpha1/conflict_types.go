// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxConflicts is how many conflicts a status names at most.
const MaxConflicts = 100

// Conflict is a value that the upstream and the downstream package both changed, to different values.
type Conflict struct {
	// File is the path of the file in the package.
	File string `json:"file"`

	// Resource is the kind and the name of the resource; absent for a file that holds none.
	// +optional
	Resource string `json:"resource,omitempty"`

	// Field is the path of the field; absent if the conflict is about the whole resource or file.
	// +optional
	Field string `json:"field,omitempty"`

	// Original is the value in the upstream that the package was made from, shortened; of a whole resource or file, its
	// digest.
	// +optional
	Original string `json:"original,omitempty"`

	// Local is the value in the package, in the form of original.
	// +optional
	Local string `json:"local,omitempty"`

	// Updated is the value in the upstream that the package is to follow, in the form of original.
	// +optional
	Updated string `json:"updated,omitempty"`

	// Taken is the side whose value the merge took, upstream or local. Absent where the merge was stopped.
	// +kubebuilder:validation:Enum=upstream;local
	// +optional
	Taken string `json:"taken,omitempty"`

	// PendingMerge is the upstream revision whose merge has this conflict, while that merge is being saved or is stopped.
	// Absent once the draft has the merge.
	// +optional
	PendingMerge string `json:"pendingMerge,omitempty"`
}

// The sides of a conflict, as Conflict.Taken has them.
const (
	// TakenUpstream is the upstream that the package is to follow.
	TakenUpstream = "upstream"
	// TakenLocal is the package.
	TakenLocal = "local"
)

// Place returns where the conflict is, as messages name it: the field, the resource and the file, as far as they are
// known.
func (c *Conflict) Place() string {
	place := c.File
	if c.Resource != "" {
		place = c.Resource + " in " + place
	}
	if c.Field != "" {
		place = c.Field + " of " + place
	}
	return place
}

// Sides returns the values of both sides, and which of them the merge took, as messages tell them.
func (c *Conflict) Sides() string {
	taken := map[string]string{
		TakenUpstream: "; the merge took the upstream's", TakenLocal: "; the merge kept its own",
	}[c.Taken]
	return fmt.Sprintf("here %s, upstream %s%s", quoted(c.Local), quoted(c.Updated), taken)
}

// quoted returns a value in quotes. A value that is text has them already.
func quoted(value string) string {
	if len(value) > 1 && strings.HasPrefix(value, `"`) && strings.HasSuffix(value, `"`) {
		return value
	}
	return strconv.Quote(value)
}
