// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// mayApprove gives the controller the right to approve package revisions in the test's namespace.
func (w *world) mayApprove() {
	w.t.Helper()
	w.kubectl("create", "rolebinding", "package-variants-approver", "--namespace="+w.Namespace,
		"--clusterrole=package-variants-approver", "--serviceaccount=package-variants-system:sync-controller")
}

func approval(policy variant.ApprovalPolicy) func(*variant.Spec) {
	return func(s *variant.Spec) { s.ApprovalPolicy = policy }
}

// waitApproved waits until the condition Approved of a variant has a reason, and returns its message.
func (w *world) waitApproved(name, reason string) (message string) {
	w.t.Helper()
	w.Eventually(fmt.Sprintf("the condition Approved of %s has the reason %s", name, reason), func() error {
		pv := w.Variant(name)
		c := meta.FindStatusCondition(pv.Status.Conditions, v1alpha1.ConditionApproved)
		if c == nil || c.Reason != reason || c.ObservedGeneration != pv.Generation {
			return fmt.Errorf("the conditions are %+v", pv.Status.Conditions)
		}
		message = c.Message
		return nil
	})
	w.reached(name, func(v *plannedVariant) bool { return v.isApproved(reason) })
	return message
}

// waitLifecycle waits until a revision has a lifecycle.
func (w *world) waitLifecycle(name string, lifecycle porchapi.PackageRevisionLifecycle) {
	w.t.Helper()
	w.Eventually(fmt.Sprintf("%s is %s", name, lifecycle), func() error {
		var r porchapi.PackageRevision
		err := w.Client.Get(w.t.Context(), client.ObjectKey{Namespace: w.Namespace, Name: name}, &r)
		if err == nil && r.Spec.Lifecycle != lifecycle {
			return fmt.Errorf("it is %s:\n%s", r.Spec.Lifecycle, w.standing())
		}
		return err
	})
	w.reachedRevision(name, lifecycle)
}

// TestApprovalAutomatic publishes what the controller made, in each generation, and nothing that a person edited.
func TestApprovalAutomatic(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newVariant("web", plain, automatic))
	w.start()
	w.waitApproved("web", "Published")
	w.waitLifecycle("edge.web.packagevariant-1", isPublished)
	w.Publish("blueprints", "web", "v2", settingsV2)
	w.Apply(newVariant("web", plain, revision(2), automatic))
	w.waitLifecycle("edge.web.packagevariant-2", isPublished)

	// A draft that a person has edited is theirs, also after the next merge into it.
	w.Apply(newVariant("web", plain, revision(2)))
	w.Ready("web")
	w.Publish("blueprints", "web", "v3", settingsB("4"))
	w.Apply(newVariant("web", plain, revision(3)))
	w.waitTarget("web", "edge.web.packagevariant-3")
	w.WriteFiles("edge.web.packagevariant-3", map[string]string{"notes.yaml": strings.Replace(settings, "settings", "notes", 1)})
	w.Apply(newVariant("web", plain, revision(3), automatic))
	w.waitApproved("web", "EditedByOthers")
	w.Publish("blueprints", "web", "v4", settingsB("5"))
	w.Apply(newVariant("web", plain, revision(4), automatic))
	w.waitFile("edge.web.packagevariant-3", "settings.yaml", `b: "5"`)
	message := w.waitApproved("web", "EditedByOthers")
	if want := "edge.web.packagevariant-3 waits for a person, because someone else made or edited it, or may have: " +
		"publish it"; message != want {
		t.Errorf("got %q, want %q", message, want)
	}
	w.publish("edge.web.packagevariant-3")
	w.waitApproved("web", "Published")
}
