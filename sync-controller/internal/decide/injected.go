// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/revision"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Injected is what there is to tell of the injection points of the downstream package: the condition ConfigInjected.
type Injected struct {
	Filled          bool
	Reason, Message string
}

// Set sets the condition ConfigInjected for a generation of the variant.
func (i *Injected) Set(conditions *[]metav1.Condition, generation int64) {
	status := metav1.ConditionFalse
	if i.Filled {
		status = metav1.ConditionTrue
	}
	meta.SetStatusCondition(conditions, metav1.Condition{
		Type: v1alpha1.ConditionConfigInjected, Status: status, Reason: i.Reason, Message: i.Message,
		ObservedGeneration: generation,
	})
}

// injected returns what there is to tell of the injection points of the targets whose files were looked at. A required
// point that is not filled makes the condition False, and not the variant unready: the gate in the Kptfile holds the
// package back. An optional one is named.
func injected(in *Input, targets []revision.Revision) *Injected {
	var looked bool
	var points int
	var unmet, optional []string
	for i := range targets {
		m, ok := in.Mutations[targets[i].Name]
		if !ok || m.Err != nil {
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
	switch {
	case !looked:
		return nil
	case len(unmet) > 0:
		return &Injected{Reason: v1alpha1.ReasonInjectionUnmet, Message: strings.Join(append(unmet, optional...), "; ")}
	case points == 0:
		return &Injected{Filled: true, Reason: v1alpha1.ReasonNoInjectionPoints,
			Message: "the package has no injection points"}
	case len(optional) > 0:
		return &Injected{Filled: true, Reason: v1alpha1.ReasonConfigInjected,
			Message: "all required injection points are filled; optional ones are not: " + strings.Join(optional, "; ")}
	default:
		return &Injected{Filled: true, Reason: v1alpha1.ReasonConfigInjected,
			Message: fmt.Sprintf("all of %d injection points are filled", points)}
	}
}
