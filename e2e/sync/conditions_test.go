// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"

	"github.com/package-variants/package-variants/api/v1alpha1"
)

// WaitReason is the Fleet's, and compares the plan with what came.
func (w *world) WaitReason(name, reason string) *v1alpha1.PackageVariant {
	w.t.Helper()
	pv := w.Fleet.WaitReason(name, reason)
	w.busy = false
	w.reached(name, func(v *plannedVariant) bool { return v.Condition.Reason == reason })
	return pv
}

// Ready is the Fleet's, and compares the plan with what came.
func (w *world) Ready(name string) *v1alpha1.PackageVariant {
	w.t.Helper()
	pv := w.Fleet.Ready(name)
	w.busy = false
	w.reached(name, func(*plannedVariant) bool { return true })
	return pv
}

// message returns the message of the condition Ready, once it has the reason.
func (w *world) message(name, reason string) string {
	w.t.Helper()
	w.WaitReason(name, reason)
	return w.Condition(name, v1alpha1.ConditionReady).Message
}

// expectMessage fails the test unless the condition Ready gets a reason and a message.
func (w *world) expectMessage(name, reason, want string) {
	w.t.Helper()
	if got := w.message(name, reason); got != want {
		w.t.Errorf("message of %s:\ngot  %s\nwant %s", name, got, want)
	}
}

// expectCondition waits until a condition of a variant, about its spec as it is now, has a status and a reason, and
// returns its message.
func (w *world) expectCondition(name, typ, status, reason string) string {
	w.t.Helper()
	var message string
	w.Eventually(fmt.Sprintf("the condition %s of %s is %s for %s", typ, name, status, reason), func() error {
		c := w.Condition(name, typ)
		if string(c.Status) != status || c.Reason != reason || c.ObservedGeneration != w.Variant(name).Generation {
			return fmt.Errorf("it is %+v", c)
		}
		message = c.Message
		return nil
	})
	w.reached(name, func(v *plannedVariant) bool {
		return status == "False" && v.isUnmet(typ, reason) ||
			status == "True" && typ == v.Condition.Type && reason == v.Condition.Reason
	})
	return message
}
