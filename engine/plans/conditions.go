// SPDX-License-Identifier: Apache-2.0

package plans

import (
	"errors"
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/memory"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// conditionOf summarizes conditions: it takes reason and message from Ready, and the type from the condition that
// classifies it.
func conditionOf(conditions []metav1.Condition) Condition {
	ready := meta.FindStatusCondition(conditions, v1alpha1.ConditionReady)
	if ready == nil {
		return Condition{}
	}
	out := Condition{Type: v1alpha1.ConditionReady, Reason: ready.Reason, Message: ready.Message}
	for _, kind := range []string{v1alpha1.ConditionStalled, v1alpha1.ConditionReconciling} {
		if meta.IsStatusConditionTrue(conditions, kind) {
			out.Type = kind
		}
	}
	return out
}

// Conditions returns what the conditions of a variant say in a plan: the one of Ready, and those that are unmet.
func Conditions(conditions []metav1.Condition) []Condition {
	return append([]Condition{conditionOf(conditions)}, Unmet(conditions)...)
}

// withoutUID returns the condition of an object without its uid, if the object exists only in the plan: an API server
// will give it another.
func withoutUID(c Condition, o metav1.Object) Condition {
	if memory.IsPlanned(o) {
		c.Message = strings.ReplaceAll(c.Message, fmt.Sprintf("%q", o.GetUID()), "its uid, once it exists")
	}
	return c
}

// Unmet returns what a package lacks although its variant is Ready: required injection points that are not filled, and
// what its approval waits for.
func Unmet(conditions []metav1.Condition) []Condition {
	var out []Condition
	for _, kind := range []string{v1alpha1.ConditionConfigInjected, v1alpha1.ConditionApproved} {
		c := meta.FindStatusCondition(conditions, kind)
		if c != nil && c.Status == metav1.ConditionFalse && c.Reason != v1alpha1.ReasonNotReady {
			out = append(out, Condition{Type: c.Type, Reason: c.Reason, Message: c.Message})
		}
	}
	return out
}

// ErrUnforeseen is wrapped by rendering errors that are due to this machine, not to the controller or the home.
var ErrUnforeseen = errors.New("is not foreseen")

// stalls reports whether a variant is Stalled in the end, for whatever reason.
func (r *record) stalls() bool {
	return r.after != nil && meta.IsStatusConditionTrue(r.after.Status.Conditions, v1alpha1.ConditionStalled)
}

// failure returns what the error of the last look means; "" if there was none, or if the condition already says it.
func (r *record) failure() string {
	n := len(r.looks)
	if n == 0 || r.looks[n-1].Err == nil || r.stalls() {
		return ""
	}
	err := r.looks[n-1].Err
	if errors.Is(err, ErrUnforeseen) {
		return err.Error()
	}
	return "this would fail: " + err.Error()
}
