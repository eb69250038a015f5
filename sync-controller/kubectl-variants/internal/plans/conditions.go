// SPDX-License-Identifier: Apache-2.0

package plans

import (
	"errors"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// conditionOf returns what conditions say: the one of Ready, by the type that says what kind it is of.
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

// unmet returns what a package lacks although its variant is Ready: required injection points that are not filled.
func unmet(conditions []metav1.Condition) []Condition {
	injected := meta.FindStatusCondition(conditions, v1alpha1.ConditionConfigInjected)
	if injected == nil || injected.Status != metav1.ConditionFalse {
		return nil
	}
	return []Condition{{Type: injected.Type, Reason: injected.Reason, Message: injected.Message}}
}

// ErrUnforeseen is wrapped by errors of rendering that are this machine's, and not those of the controller or of Porch.
var ErrUnforeseen = errors.New("is not foreseen")

// failureOf says what an error of the controller comes to.
func failureOf(err error) string {
	if errors.Is(err, ErrUnforeseen) {
		return err.Error()
	}
	return "the controller would fail: " + err.Error()
}
