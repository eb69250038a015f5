// SPDX-License-Identifier: Apache-2.0

package sets

import (
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/words"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
)

// hold says why no step of a plan is done: a reason, a sentence for users, and what would be done otherwise. The zero
// value holds nothing.
type hold struct{ reason, message, would string }

// hold returns why no step may be done: because they delete more variants than the set allows, or because there is
// something to do and the set is suspended.
func (in *input) hold(steps []step) hold {
	names := byAction(steps)
	there, doomed := len(names[remove])+len(names[keep])+len(names[update]), names[remove]
	if tooMany := expansion.TooManyDeletions(in.spec, specPath, there, doomed); tooMany != "" {
		return hold{v1alpha2.ReasonTooManyDeletions, tooMany, tooMany}
	}
	if todo := pending(names); in.spec.Suspend && todo != "" {
		return hold{v1alpha1.ReasonSuspended,
			fmt.Sprintf("suspended: %s; set %s.suspend to false to continue",
				v1alpha1.Because(in.suspendReason, todo), specPath),
			todo}
	}
	return hold{}
}

// byAction returns the names of the variants of steps, in the order of the steps.
func byAction(steps []step) map[action][]string {
	names := map[action][]string{}
	for i := range steps {
		s := &steps[i]
		pv := s.have
		if s.do == create {
			pv = s.want
		}
		names[s.do] = append(names[s.do], pv.Name)
	}
	return names
}

// pending says what steps would change, from the names of their variants, and "" if that is nothing: "would create 2
// (a, b), delete 1 (c) of its variants".
func pending(names map[action][]string) string {
	var parts []string
	for _, each := range []struct {
		do   action
		verb string
	}{{create, "create"}, {update, "update"}, {remove, "delete"}} {
		if variants := names[each.do]; len(variants) > 0 {
			parts = append(parts, fmt.Sprintf("%s %d (%s)", each.verb, len(variants), words.Some(variants, ", ")))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "would " + strings.Join(parts, ", ") + " of its variants"
}
