// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/revision"
)

// injected returns the condition ConfigInjected, about the injection points of the targets whose files were read. A
// required point that is not filled makes the condition False, but the variant stays ready: the gate in the Kptfile
// holds the package back. The message names optional points that are not filled.
func injected(in *Input, targets []revision.Revision) *Aspect {
	var looked bool
	var points int
	var unmet, optional []string
	for i := range targets {
		m, ok := in.Mutations[targets[i].Name]
		if !ok || m.Err != nil || len(m.Missing) > 0 {
			continue
		}
		looked = true
		for _, p := range m.Points {
			points++
			switch {
			case p.Filled:
			case p.Required:
				unmet = append(unmet, targets[i].Name+" waits for "+p.Condition+": "+p.Message)
			default:
				optional = append(optional, p.Condition+": "+p.Message)
			}
		}
	}
	a := &Aspect{Type: v1alpha1.ConditionConfigInjected, True: len(unmet) == 0, Reason: v1alpha1.ReasonConfigInjected}
	switch {
	case !looked:
		return nil
	case len(unmet) > 0:
		a.Reason, a.Message = v1alpha1.ReasonInjectionUnmet, strings.Join(append(unmet, optional...), "; ")
	case points == 0:
		a.Reason, a.Message = v1alpha1.ReasonNoInjectionPoints, "the package has no injection points"
	case len(optional) > 0:
		a.Message = "all required injection points are filled; optional ones are not: " + strings.Join(optional, "; ")
	default:
		a.Message = fmt.Sprintf("all of %d injection points are filled", points)
	}
	return a
}
