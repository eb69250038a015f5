// SPDX-License-Identifier: Apache-2.0

package plans

import (
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Stall says whether a plan is the reason that an object is Stalled.
type Stall string

const (
	// Breaks is for an object that was not Stalled before, or did not exist.
	Breaks Stall = "breaks"
	// Still is for an object that was already Stalled.
	Still Stall = "still"
)

// stallOf compares the conditions of an object before a plan and after it; "" if it is not Stalled in the end.
func stallOf(before, after []metav1.Condition) Stall {
	switch {
	case !isStalled(after):
		return ""
	case isStalled(before):
		return Still
	}
	return Breaks
}

// keepRenderFailed keeps the variant's condition about a failed pipeline if the plan saved a draft with pipelines
// without running them: nothing says that they are fixed.
func (r *record) keepRenderFailed(v *Variant) {
	if r.before == nil || len(v.Unforeseen) == 0 {
		return
	}
	if was := conditionOf(r.before.Status.Conditions); was.Reason == v1alpha1.ReasonRenderFailed {
		v.Condition, v.Stalled, v.Unmet = was, Still, nil
	}
}

// asked are the reasons of what a person asked for: a suspension, a rejection, and a package removed by hand.
var asked = []string{v1alpha1.ReasonSuspended, v1alpha1.ReasonRejected, v1alpha1.ReasonLeftToPeople}

// isStalled reports whether only a person can help, and no person asked for that.
func isStalled(conditions []metav1.Condition) bool {
	stalled := meta.FindStatusCondition(conditions, v1alpha1.ConditionStalled)
	return stalled != nil && stalled.Status == metav1.ConditionTrue && !slices.Contains(asked, stalled.Reason)
}

// Says returns the reason and the message, after a word for the kind of stall.
func (s Stall) Says(c Condition) string {
	said := c.Reason + ": " + c.Message
	if s == "" {
		return said
	}
	return string(s) + ": " + said
}

// failure returns why an object fails: its error, or that the plan breaks it; "" if it does not fail.
func failure(err string, s Stall, c Condition) string {
	if err == "" && s == Breaks {
		return s.Says(c)
	}
	return err
}
