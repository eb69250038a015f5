// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"net/http"
	"regexp"
	"sync/atomic"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/proxy"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// isProposal reports whether a request proposes a draft.
func isProposal(r proxy.Request) bool {
	return r.Resource == "packagerevisions" && r.Subresource == "" && r.Verb == "patch"
}

// refuseApprovals makes Porch refuse to publish as long as the returned value is true.
func (w *world) refuseApprovals() *atomic.Bool {
	var refuse atomic.Bool
	refuse.Store(true)
	w.proxy.Handle(func(r proxy.Request, phase proxy.Phase) *metav1.Status {
		if phase == proxy.Before && isApproval(r) && refuse.Load() {
			return &metav1.Status{Code: http.StatusInternalServerError, Reason: metav1.StatusReasonInternalError, Message: "git says no"}
		}
		return nil
	})
	return &refuse
}

// TestEditBeforeFirstSave has a person edit a draft after a clone, an edit or an upgrade made it, and before the
// controller saves it for the first time. The edit stays, and waits for a person.
func TestEditBeforeFirstSave(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	w.Publish("blueprints", "web", "v1", simple())
	w.Publish("blueprints", "web", "v2", settingsB("9"))
	var draft atomic.Pointer[string]
	var edited hook
	w.proxy.Handle(func(r proxy.Request, phase proxy.Phase) *metav1.Status {
		if d := draft.Load(); d != nil && phase == proxy.After && isCreate(r) {
			edited.once(func() { w.WriteFiles(*d, mine) })
		}
		return nil
	})
	w.start()
	for _, step := range []struct {
		name   string
		number int
		change func(*variant.Spec)
	}{{"clone", 1, func(*variant.Spec) {}}, {"unchanged", 1, plain}, {"edit", 2, zone}, {"upgrade", 2, revision(2)}} {
		if step.number > 1 {
			w.Apply(newVariant(step.name, contextOnly, automatic))
			w.waitLifecycle("edge."+step.name+".packagevariant-1", isPublished)
			w.seesPublished(step.name)
		}
		edited.reset()
		name := fmt.Sprintf("edge.%s.packagevariant-%d", step.name, step.number)
		draft.Store(&name)
		w.Apply(newVariant(step.name, contextOnly, automatic, step.change))
		w.hit(&edited)
		draft.Store(nil)
		w.neverIs(name, isPublished)
		if w.Files(name)["notes.md"] != "mine\n" {
			t.Errorf("%s: the person's edit is gone", name)
		}
	}
}

// TestSwapWhileApproving has a person reject, edit and propose a draft between the controller's last look at it
// and its approval.
func TestSwapWhileApproving(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	var swapped hook
	w.proxy.Handle(func(r proxy.Request, phase proxy.Phase) *metav1.Status {
		if phase == proxy.Before && isApproval(r) {
			swapped.once(func() {
				w.Reject(r.Name)
				w.WriteFiles(r.Name, mine)
				w.Propose(r.Name)
			})
		}
		return nil
	})
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newVariant("web", plain, automatic))
	w.start()
	w.hit(&swapped)
	w.neverIs("edge.web.packagevariant-1", isPublished)
}

// TestGateWhileProposed has a gate become unmet after the controller has read a draft and before it proposes it. The
// gate of a proposed package cannot be met, so it has to become a draft again.
func TestGateWhileProposed(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	met := regexp.MustCompile(`(type: checked\n\s+status: )"?True"?`)
	files := simple()
	files["Kptfile"] = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\ninfo:\n  readinessGates:\n" +
		"  - conditionType: checked\nstatus:\n  conditions:\n  - type: checked\n    status: \"True\"\n"
	w.Publish("blueprints", "web", "v1", files)
	var once atomic.Bool
	w.proxy.Handle(func(r proxy.Request, phase proxy.Phase) *metav1.Status {
		if phase == proxy.Before && isProposal(r) && once.CompareAndSwap(false, true) {
			kptfile := w.Files(r.Name)["Kptfile"]
			unmet := met.ReplaceAllString(kptfile, `${1}"False"`)
			if unmet == kptfile {
				t.Errorf("the condition is not met before:\n%s", kptfile)
			}
			w.WriteFiles(r.Name, map[string]string{"Kptfile": unmet})
		}
		return nil
	})
	w.Apply(newVariant("web", plain, automatic))
	w.start()
	w.waitApproved("web", "GatesNotMet")
	w.Timeout = promptly
	w.waitLifecycle("edge.web.packagevariant-1", isDraft)
}

// proposed returns a world in which the controller has proposed the draft of the variant web and cannot publish it, as
// long as refuse is true.
func proposed(t *testing.T) (w *world, c *controller.Process, refuse *atomic.Bool) {
	t.Helper()
	w = newWorld(t)
	w.mayApprove()
	w.Publish("blueprints", "web", "v1", simple())
	refuse = w.refuseApprovals()
	w.Apply(newVariant("web", contextOnly, automatic))
	c = w.start()
	w.waitApproved("web", "ApprovalFailed")
	w.waitLifecycle("edge.web.packagevariant-1", isProposed)
	return w, c, refuse
}

// TestManualWhileProposed sets the policy back to Manual, and changes the variant, after the controller has proposed a
// draft that it could not approve. The draft has to change, so it becomes a draft again.
func TestManualWhileProposed(t *testing.T) {
	w, _, refuse := proposed(t)
	refuse.Store(false)
	w.Apply(newVariant("web", contextOnly, zone))
	w.Timeout = promptly
	w.waitFile("edge.web.packagevariant-1", "package-context.yaml", "zone: a")
}

// TestRejected has a person reject what the controller has proposed, and could not approve.
func TestRejected(t *testing.T) {
	w, c, refuse := proposed(t)
	w.Apply(newVariant("web", contextOnly, automatic, suspended))
	w.quiet(c)
	refuse.Store(false)
	w.Reject("edge.web.packagevariant-1")
	w.quiet(c)
	w.Apply(newVariant("web", contextOnly, automatic))
	w.neverIs("edge.web.packagevariant-1", isPublished)
}

// TestReasonOfApproved has a variant stall before its draft is approved: the condition Approved has one of the manual's
// reasons, and no outdated one.
func TestReasonOfApproved(t *testing.T) {
	w, _, refuse := proposed(t)
	w.Apply(newVariant("web", contextOnly, automatic, dependsOn(variant.Dependency{Name: "nobody"})))
	w.WaitReason("web", "DependencyNotFound")
	refuse.Store(false)
	w.Timeout = promptly
	w.Eventually("it does not say that it is tried again", func() error {
		c := w.Condition("web", v1alpha1.ConditionApproved)
		if c.Reason == "ApprovalFailed" || c.ObservedGeneration != w.Variant("web").Generation {
			return fmt.Errorf("%+v", c)
		}
		return nil
	})
}
