// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"

	"github.com/package-variants/package-variants/api/v1alpha1"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

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

// read returns an object of our API as the server has it.
func (w *world) read(kind, version, name string) (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{}
	u.SetAPIVersion("config.porch.kpt.dev/" + version)
	u.SetKind(kind)
	return u, w.Client.Get(w.t.Context(), client.ObjectKey{Namespace: w.Namespace, Name: name}, u)
}
