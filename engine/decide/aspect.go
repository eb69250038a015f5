// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"github.com/package-variants/package-variants/api/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Aspect is a condition other than Ready, Stalled and Reconciling.
type Aspect struct {
	// Type is the type of the condition; True reports whether its status is True.
	Type string
	True bool
	// Reason is for programs, Message for people. Without a reason the condition is removed.
	Reason, Message string
}

// Set sets the condition for a generation of the variant, or removes it. It reports whether the status or the reason
// has changed.
func (a *Aspect) Set(conditions *[]metav1.Condition, generation int64) (changed bool) {
	if a.Reason == "" {
		return meta.RemoveStatusCondition(conditions, a.Type)
	}
	status := metav1.ConditionFalse
	if a.True {
		status = metav1.ConditionTrue
	}
	before := meta.FindStatusCondition(*conditions, a.Type)
	changed = before == nil || before.Status != status || before.Reason != a.Reason
	meta.SetStatusCondition(conditions, metav1.Condition{
		Type: a.Type, Status: status, Reason: a.Reason, Message: v1alpha1.ShortenMessage(a.Message),
		ObservedGeneration: generation,
	})
	return changed
}
