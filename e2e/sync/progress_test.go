// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"

	"github.com/google/go-cmp/cmp"
)

// progress is what a status says about a package, without the time.
type progress struct {
	Downstream *v1alpha1.PublishedRevision
	OpenDraft  *v1alpha1.OpenDraft
	Action     string
	Revision   string
}

// waitProgress waits until the status of the variant web says this about its package.
func (w *world) waitProgress(want progress) *v1alpha1.PackageVariant {
	w.t.Helper()
	var pv *v1alpha1.PackageVariant
	w.Eventually(fmt.Sprintf("the status has %s %s", want.Action, want.Revision), func() error {
		pv = w.Variant("web")
		s := pv.Status
		got := progress{Downstream: s.Downstream, OpenDraft: s.OpenDraft}
		if c := s.LastChange; c != nil && !c.Time.IsZero() {
			got.Action, got.Revision = c.Action, c.Revision
		}
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("-want +got:\n%s", diff)
		}
		return nil
	})
	w.cameTrue()
	return pv
}

// TestProgress follows what the status says about a package from its first draft to the next, and checks that it is
// written only when something has changed.
func TestProgress(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newVariant("web", plain))
	c := w.start()
	const one, two = "edge.web.packagevariant-1", "edge.web.packagevariant-2"
	waits := func(name, reason, message string) *v1alpha1.OpenDraft {
		return &v1alpha1.OpenDraft{Name: name, Reason: reason, Message: name + message}
	}
	const byPerson, toApprove = " waits for a person to propose and approve it", " is proposed, and waits for a person to approve it"
	first := w.waitProgress(progress{OpenDraft: waits(one, "ManualApproval", byPerson), Action: "Cloned", Revision: one})
	w.quiet(c)
	if got := w.Variant("web"); got.ResourceVersion != first.ResourceVersion {
		t.Errorf("it was written at rest: -before +now:\n%s", cmp.Diff(first.Status, got.Status))
	}
	w.Propose(one)
	w.waitProgress(progress{OpenDraft: waits(one, "ManualApproval", toApprove), Action: "Cloned", Revision: one})
	w.Approve(one)
	published := &v1alpha1.PublishedRevision{Name: one, Revision: 1}
	w.waitProgress(progress{Downstream: published, Action: "Cloned", Revision: one})

	w.Publish("blueprints", "web", "v2", settingsV2)
	w.Apply(newVariant("web", plain, revision(2)))
	w.waitProgress(progress{Downstream: published, OpenDraft: waits(two, "ManualApproval", byPerson), Action: "Upgraded", Revision: two})
	held := newVariant("web", plain, revision(2), func(s *variant.Spec) {
		s.Suspend, s.PackageContext = true, &variant.PackageContext{Data: map[string]string{"zone": "a"}}
	})
	w.Apply(held)
	suspended := &v1alpha1.OpenDraft{Name: two, Reason: "Suspended",
		Message: "suspended: would change " + two + "; set spec.suspend to false to continue"}
	w.waitProgress(progress{Downstream: published, OpenDraft: suspended, Action: "Upgraded", Revision: two})
	held = held.DeepCopy()
	held.Spec.Suspend = false
	w.Apply(held)
	w.waitProgress(progress{Downstream: published, OpenDraft: waits(two, "ManualApproval", byPerson), Action: "Saved", Revision: two})
}
