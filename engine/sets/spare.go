// SPDX-License-Identifier: Apache-2.0

package sets

import (
	"fmt"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/words"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
)

// spared returns which of the set's variants stay for targets that select nothing, unless the set allows that, and for
// those that fail: that the set cannot make, and that the API server refuses.
func (in *input) spared(owned []*v1alpha1.PackageVariant) expansion.Spared {
	var failing, made []variant.Downstream
	for _, x := range slices.Concat(in.excluded, in.refused) {
		failing = append(failing, x.Downstream)
	}
	for _, pv := range owned {
		made = append(made, downstream(pv))
	}
	return expansion.Spare(failing, made, in.guarded())
}

// downstream returns the downstream of a variant; a zero one if it has none.
func downstream(pv *v1alpha1.PackageVariant) variant.Downstream {
	if d := pv.Spec.Downstream; d != nil {
		return *d
	}
	return variant.Downstream{}
}

// guarded reports whether no variant is removed because a selector selects nothing.
func (in *input) guarded() bool { return len(in.empty) > 0 && !in.spec.AllowEmpty }

// undecided returns a note about the variants that no target makes and that stay because any of them may belong to a
// target that selects nothing, or fails; "" without such variants.
func (in *input) undecided(steps []step) string {
	var names []string
	for i := range steps {
		if s := &steps[i]; s.undecided {
			names = append(names, s.have.Name)
		}
	}
	switch {
	case len(names) == 0:
		return ""
	case in.guarded():
		return expansion.EmptySelection(specPath, in.empty, names)
	default:
		return fmt.Sprintf("%d variants that no target makes are kept until that is corrected, for any of them may belong "+
			"to what fails: %s", len(names), words.Some(names, ", "))
	}
}

// takenBy names a variant that has the name of a wanted one, in a message about those that are not the set's.
func (s *step) takenBy() string {
	if s.spared {
		return fmt.Sprintf("%q (this one is, for a target that fails: correct that)", s.have.Name)
	}
	return fmt.Sprintf("%q", s.have.Name)
}
