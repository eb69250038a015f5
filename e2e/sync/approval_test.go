// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/proxy"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	got := w.Variant("web").Status.LastApproval
	if got == nil || got.Revision != "edge.web.packagevariant-1" || got.Policy != "Automatic" || got.Time.IsZero() {
		t.Errorf("status.lastApproval is %+v", got)
	}
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
		"propose and approve it"; message != want {
		t.Errorf("got %q, want %q", message, want)
	}
	w.publish("edge.web.packagevariant-3")
	w.waitApproved("web", "Published")
}

// TestApprovalInitial publishes the first revision only.
func TestApprovalInitial(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newVariant("web", plain, approval(variant.ApprovalPolicyInitial)))
	w.start()
	w.waitApproved("web", "Published")
	w.Publish("blueprints", "web", "v2", settingsV2)
	w.Apply(newVariant("web", plain, revision(2), approval(variant.ApprovalPolicyInitial)))
	w.waitApproved("web", "LaterRevision")
	w.expectDrafts("web", "edge.web.packagevariant-2")
	w.waitLifecycle("edge.web.packagevariant-2", isDraft)
}

// TestApprovalWaitsForGates has another client set the condition of a readiness gate, which is no edit.
func TestApprovalWaitsForGates(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	files := blueprint()
	files["Kptfile"] = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\ninfo:\n  readinessGates:\n" +
		"  - conditionType: checked\nstatus:\n  conditions:\n  - type: checked\n    status: \"True\"\n"
	w.Publish("blueprints", "web", "v1", files)
	w.Apply(newVariant("web", automatic))
	w.start()
	const draft = "edge.web.packagevariant-1"
	expect := func(want string) {
		t.Helper()
		w.Eventually("it waits for the gates "+want, func() error {
			if got := w.waitApproved("web", "GatesNotMet"); got != draft+" waits for the readiness gates in its Kptfile: "+want {
				return fmt.Errorf("it says %s", got)
			}
			return nil
		})
	}
	check := func(from, to string) {
		t.Helper()
		kptfile := w.Files(draft)["Kptfile"]
		condition := regexp.MustCompile(fmt.Sprintf(`(type: checked\n *status: )"%s"\n`, from)) // Porch indents it, or not
		changed := condition.ReplaceAllString(kptfile, fmt.Sprintf("${1}\"%s\"\n", to))
		if changed == kptfile {
			t.Fatalf("the Kptfile has no condition that is %s:\n%s", from, kptfile)
		}
		w.WriteFiles(draft, map[string]string{"Kptfile": changed})
	}
	const injection = "config.injection.ConfigMap.region (no v1 ConfigMap " +
		`named "eu" in namespace "testapprovalwaitsforgates")`
	expect(injection)
	check("True", "False")
	expect("checked, " + injection)
	w.Apply(configMap("eu", map[string]string{"api": "eu"}))
	expect("checked")
	check("False", "True")
	w.waitApproved("web", "Published")
	w.waitLifecycle(draft, isPublished)
}

// TestApprovalWithoutRights checks that the message names the missing role, the draft stays a draft, and approval
// continues once the role is bound.
func TestApprovalWithoutRights(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newVariant("web", plain, automatic))
	w.start()
	message := w.waitApproved("web", "PermissionMissing")
	if want := "edge.web.packagevariant-1 is not published, because the controller may not approve package revisions: " +
		"bind its ServiceAccount to the ClusterRole package-variants-approver, in this namespace or in all"; message != want {
		t.Errorf("got %q, want %q", message, want)
	}
	w.Ready("web")
	w.waitLifecycle("edge.web.packagevariant-1", isDraft)
	w.cameTrue()
	w.mayApprove()
	w.waitLifecycle("edge.web.packagevariant-1", isPublished)
}

// isApproval reports whether a request publishes a draft, or makes it a draft again.
func isApproval(r proxy.Request) bool {
	return r.Resource == "packagerevisions" && r.Subresource == "approval" && proxy.IsWrite(r)
}

// TestApprovalRefused has Porch refuse to publish a draft for a while. The package is still what its variant asks for.
func TestApprovalRefused(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	refuse := w.refuseApprovals()
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newVariant("web", plain, automatic))
	w.start()
	message := w.waitApproved("web", "ApprovalFailed")
	if want := "edge.web.packagevariant-1 is not published, will try again: cannot change package revision " +
		"edge.web.packagevariant-1: git says no"; message != want {
		t.Errorf("got %q, want %q", message, want)
	}
	w.Ready("web")
	refuse.Store(false)
	w.waitApproved("web", "Published")
}

// TestApproversAtOnce has a person approve a draft just before the controller does.
func TestApproversAtOnce(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	var once atomic.Bool
	w.proxy.Handle(func(r proxy.Request, phase proxy.Phase) *metav1.Status {
		if phase == proxy.Before && isApproval(r) && once.CompareAndSwap(false, true) {
			w.Approve(r.Name)
		}
		return nil
	})
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newVariant("web", plain, automatic))
	w.start()
	w.waitApproved("web", "Published")
	w.Ready("web")
	if got := w.Revisions("edge", "web"); len(got) != 1 && got[1].Spec.Revision != -1 {
		t.Errorf("there are %d revisions, want one and the main branch", len(got))
	}
}

// TestEditedWhileProposed has a person edit the draft just before the controller proposes it: Porch refuses that, and
// the draft is left to a person.
func TestEditedWhileProposed(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	var once atomic.Bool
	w.proxy.Handle(func(r proxy.Request, phase proxy.Phase) *metav1.Status {
		if phase == proxy.Before && r.Resource == "packagerevisions" && r.Subresource == "" && r.Verb == "patch" &&
			once.CompareAndSwap(false, true) {
			w.WriteFiles(r.Name, settingsB("mine"))
		}
		return nil
	})
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newVariant("web", plain, automatic))
	c := w.start()
	w.waitApproved("web", "EditedByOthers")
	w.quiet(c)
	w.waitLifecycle("edge.web.packagevariant-1", isDraft)
	w.publish("edge.web.packagevariant-1")
	w.waitApproved("web", "Published")
}

// TestChangedWhileProposed changes the variant after the controller has proposed a draft: it becomes a draft again, and
// the revision that is published follows the new spec.
func TestChangedWhileProposed(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	var once atomic.Bool
	w.proxy.Handle(func(r proxy.Request, phase proxy.Phase) *metav1.Status {
		if phase == proxy.Before && isApproval(r) && once.CompareAndSwap(false, true) {
			w.Apply(newVariant("web", plain, automatic, revision(2)))
			return &metav1.Status{Code: http.StatusInternalServerError, Reason: metav1.StatusReasonInternalError,
				Message: "git says no"}
		}
		return nil
	})
	w.Publish("blueprints", "web", "v1", simple())
	w.Publish("blueprints", "web", "v2", settingsV2)
	w.Apply(newVariant("web", plain, automatic))
	w.start()
	w.waitLifecycle("edge.web.packagevariant-1", isPublished)
	w.waitFile("edge.web.packagevariant-1", "settings.yaml", `b: "3"`) // Porch (DB) writes the files one by one
	w.waitApproved("web", "Published")
}

// TestKilledWhileApproving kills the controller while it makes, proposes and approves drafts. In the end each variant
// has one revision. It is published, unless the controller was killed before it knew that its save had succeeded: such
// a draft waits for a person.
func TestKilledWhileApproving(t *testing.T) {
	w, git := newWorldBehind(t)
	w.mayApprove()
	w.Publish("blueprints", "web", "v1", simple())
	k := newKiller(w, git)
	w.compared = true // how many drafts there are differs from run to run
	over := func(name string) error {
		c := w.Condition(name, v1alpha1.ConditionApproved)
		if c.Reason != "Published" && c.Reason != "EditedByOthers" {
			return fmt.Errorf("the condition is %+v", c)
		}
		return nil
	}
	var names []string
	for k.killed.Load() < 10 { // eight more each time that all is done before
		for range 8 {
			names = append(names, fmt.Sprintf("web-%d", len(names)))
			w.Apply(newVariant(names[len(names)-1], plain, automatic))
		}
		w.Eventually("the controller is killed some times, or has no more to do", func() error {
			var open error
			for _, name := range names {
				open = cmp.Or(open, over(name))
			}
			if n := k.killed.Load(); n < 10 && open != nil {
				return fmt.Errorf("it was killed %d times: %w", n, open)
			}
			return nil
		})
	}
	k.spare()
	byPerson := 0
	for _, name := range names {
		draft := "edge." + name + ".packagevariant-1"
		w.Eventually(name+" is published, or waits for a person", func() error { return over(name) })
		if w.Condition(name, v1alpha1.ConditionApproved).Reason == "EditedByOthers" {
			byPerson++
			if w.Revision(draft).Spec.Lifecycle == isDraft {
				w.Propose(draft)
			}
			w.Approve(draft)
		}
		w.waitLifecycle(draft, isPublished)
		if drafts, published := w.drafts(name); len(drafts) != 0 || len(published) > 2 {
			t.Errorf("%s has the drafts %v and the published revisions %v", name, drafts, published)
		}
	}
	t.Logf("killed %d times; %d of %d drafts waited for a person", k.killed.Load(), byPerson, len(names))
}

// TestKilledAfterProposing kills the controller after Porch has proposed a draft and before the status records who did.
// The proposal still counts as the controller's: it is approved or, if the draft has to change first, taken back.
func TestKilledAfterProposing(t *testing.T) {
	for name, ask := range map[string]func(*variant.Spec){"nothing changes": plain, "the upstream changes": revision(2)} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.mayApprove()
			w.Publish("blueprints", "web", "v1", simple())
			w.Publish("blueprints", "web", "v2", settingsB("3"))
			c := w.start()
			killed := make(chan struct{})
			var once sync.Once
			w.proxy.Handle(func(r proxy.Request, phase proxy.Phase) *metav1.Status {
				if phase == proxy.After && r.Verb == "patch" && r.Resource == "packagerevisions" && !r.Failed() {
					once.Do(func() { c.Kill(); close(killed) })
				}
				return nil
			})
			w.Apply(newVariant("web", contextOnly, automatic))
			<-killed
			const draft = "edge.web.packagevariant-1"
			if r := w.Revision(draft); r.Spec.Lifecycle != porchapi.PackageRevisionLifecycleProposed {
				t.Fatalf("%s is %s", draft, r.Spec.Lifecycle)
			}
			w.Apply(newVariant("web", contextOnly, automatic, ask))
			w.start()
			w.waitLifecycle(draft, isPublished)
			w.Ready("web")
			w.expectDrafts("web")
		})
	}
}
