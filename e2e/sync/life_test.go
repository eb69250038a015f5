// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"

	"github.com/google/go-cmp/cmp"
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

func historyLimit(n int32) func(*variant.Spec) {
	return func(s *variant.Spec) { s.RevisionHistoryLimit = &n }
}

func suspended(s *variant.Spec) { s.Suspend = true }

func dependsOn(dependencies ...variant.Dependency) func(*variant.Spec) {
	return func(s *variant.Spec) { s.DependsOn = dependencies }
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
	return message
}

// waitMessage waits until a variant has a reason and a message.
func (w *world) waitMessage(name, reason, want string) {
	w.t.Helper()
	w.Eventually(fmt.Sprintf("%s says %q", name, want), func() error {
		if got := w.message(name, reason); got != want {
			return fmt.Errorf("it says %q", got)
		}
		return nil
	})
}

// waitLifecycle waits until a revision has a lifecycle.
func (w *world) waitLifecycle(name string, lifecycle porchapi.PackageRevisionLifecycle) {
	w.t.Helper()
	w.Eventually(fmt.Sprintf("%s is %s", name, lifecycle), func() error {
		var r porchapi.PackageRevision
		err := w.Client.Get(w.t.Context(), client.ObjectKey{Namespace: w.Namespace, Name: name}, &r)
		if err == nil && r.Spec.Lifecycle != lifecycle {
			return fmt.Errorf("it is %s", r.Spec.Lifecycle)
		}
		return err
	})
}

// TestApprovalAutomatic publishes what the controller made, in each generation, and nothing that somebody else edited.
func TestApprovalAutomatic(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newVariant("web", plain, approval(variant.ApprovalPolicyAutomatic)))
	w.start()
	w.waitApproved("web", "Published")
	w.waitLifecycle("edge.web.packagevariant-1", porchapi.PackageRevisionLifecyclePublished)
	got := w.Variant("web").Status.LastApproval
	if got == nil || got.Revision != "edge.web.packagevariant-1" || got.Policy != "Automatic" || got.Time.IsZero() {
		t.Errorf("status.lastApproval is %+v", got)
	}
	w.Publish("blueprints", "web", "v2", settingsV2)
	w.Apply(newVariant("web", plain, revision(2), approval(variant.ApprovalPolicyAutomatic)))
	w.waitLifecycle("edge.web.packagevariant-2", porchapi.PackageRevisionLifecyclePublished)

	// A draft that somebody has edited is theirs, also after the next merge into it.
	w.Apply(newVariant("web", plain, revision(2)))
	w.Ready("web")
	w.Publish("blueprints", "web", "v3", map[string]string{"settings.yaml": strings.Replace(settings, `b: "2"`, `b: "4"`, 1)})
	w.Apply(newVariant("web", plain, revision(3)))
	w.waitTarget("web", "edge.web.packagevariant-3")
	w.WriteFiles("edge.web.packagevariant-3", map[string]string{"notes.yaml": strings.Replace(settings, "settings", "notes", 1)})
	w.Apply(newVariant("web", plain, revision(3), approval(variant.ApprovalPolicyAutomatic)))
	w.waitApproved("web", "EditedByOthers")
	w.Publish("blueprints", "web", "v4", map[string]string{"settings.yaml": strings.Replace(settings, `b: "2"`, `b: "5"`, 1)})
	w.Apply(newVariant("web", plain, revision(4), approval(variant.ApprovalPolicyAutomatic)))
	w.waitFile("edge.web.packagevariant-3", "settings.yaml", `b: "5"`)
	message := w.waitApproved("web", "EditedByOthers")
	if want := "edge.web.packagevariant-3 waits for a person, because somebody else made or edited it, or may have: " +
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
	w.waitLifecycle("edge.web.packagevariant-2", porchapi.PackageRevisionLifecycleDraft)
}

// TestApprovalWaitsForGates has somebody else set the condition of a readiness gate, which is no edit.
func TestApprovalWaitsForGates(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	const is = "  - type: checked\n    status: \"%s\"\n"
	files := blueprint()
	files["Kptfile"] = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\ninfo:\n  readinessGates:\n" +
		"  - conditionType: checked\nstatus:\n  conditions:\n" + fmt.Sprintf(is, "True")
	w.Publish("blueprints", "web", "v1", files)
	w.Apply(newVariant("web", approval(variant.ApprovalPolicyAutomatic)))
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
		changed := strings.Replace(kptfile, fmt.Sprintf(is, from), fmt.Sprintf(is, to), 1)
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
	w.waitLifecycle(draft, porchapi.PackageRevisionLifecyclePublished)
}

// TestApprovalWithoutRights names the role that is missing, leaves the draft a draft, and goes on once it is bound.
func TestApprovalWithoutRights(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newVariant("web", plain, approval(variant.ApprovalPolicyAutomatic)))
	w.start()
	message := w.waitApproved("web", "PermissionMissing")
	if want := "edge.web.packagevariant-1 is not published, because the controller may not approve package revisions: " +
		"bind its ServiceAccount to the ClusterRole package-variants-approver, in this namespace or in all"; message != want {
		t.Errorf("got %q, want %q", message, want)
	}
	w.Ready("web")
	w.waitLifecycle("edge.web.packagevariant-1", porchapi.PackageRevisionLifecycleDraft)
	w.mayApprove()
	w.waitLifecycle("edge.web.packagevariant-1", porchapi.PackageRevisionLifecyclePublished)
}

// TestSuspend does nothing but say what it would do, and all of it once the variant is resumed. Its deletion waits, too.
func TestSuspend(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newVariant("web", plain, suspended))
	w.start()
	pv := w.WaitReason("web", "Suspended")
	const would = "would clone blueprints.web.v1 into edge/web"
	c := meta.FindStatusCondition(pv.Status.Conditions, v1alpha1.ConditionSuspended)
	if c == nil || c.Status != metav1.ConditionTrue || !strings.Contains(c.Message, would) || c.LastTransitionTime.IsZero() {
		t.Errorf("the condition Suspended is %+v, want one with %q", c, would)
	}
	w.expectDrafts("web")
	w.Apply(newVariant("web", plain))
	pv = w.Ready("web")
	if c := meta.FindStatusCondition(pv.Status.Conditions, v1alpha1.ConditionSuspended); c != nil {
		t.Errorf("the condition Suspended is %+v, want none", c)
	}
	w.Apply(newVariant("web", plain, suspended))
	w.Ready("web") // there is nothing to do
	w.Delete(newVariant("web"))
	w.WaitReason("web", "Suspended")
	w.expectDrafts("web", "edge.web.packagevariant-1")
	w.Apply(newVariant("web", plain))
	w.waitGone("web")
	w.expectDrafts("web")
}

// TestHistoryLimit keeps the revisions that another package was made from.
func TestHistoryLimit(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	w.Publish("blueprints", "web", "v1", simple())
	automatic := approval(variant.ApprovalPolicyAutomatic)
	w.Apply(newVariant("web", plain, automatic, historyLimit(1)))
	// A variant of the variant is made from its first revision, and stays there.
	leaf := newVariant("leaf", plain, automatic, revision(1), func(s *variant.Spec) {
		s.Upstream.Repo, s.Upstream.Package = "edge", "web"
	})
	w.start()
	w.waitApproved("web", "Published")
	w.Apply(leaf)
	w.waitApproved("leaf", "Published")
	for n := 2; n <= 4; n++ {
		w.Publish("blueprints", "web", fmt.Sprintf("v%d", n),
			map[string]string{"settings.yaml": strings.Replace(settings, `b: "2"`, fmt.Sprintf(`b: "v%d"`, n), 1)})
		w.Apply(newVariant("web", plain, automatic, revision(n), historyLimit(1)))
		w.waitLifecycle(fmt.Sprintf("edge.web.packagevariant-%d", n), porchapi.PackageRevisionLifecyclePublished)
	}
	w.waitLifecycle("edge.web.packagevariant-2", porchapi.PackageRevisionLifecycleDeletionProposed)
	w.waitLifecycle("edge.web.packagevariant-3", porchapi.PackageRevisionLifecycleDeletionProposed)
	w.waitLifecycle("edge.web.packagevariant-4", porchapi.PackageRevisionLifecyclePublished)
	w.waitLifecycle("edge.web.packagevariant-1", porchapi.PackageRevisionLifecyclePublished)

	// Once the leaf has moved on, nobody needs the first revision any more.
	leaf = leaf.DeepCopy()
	leaf.Spec.Upstream.Revision = variant.RevisionNumber(4)
	leaf.ResourceVersion, leaf.UID = "", ""
	w.Apply(leaf)
	w.waitLifecycle("edge.leaf.packagevariant-2", porchapi.PackageRevisionLifecyclePublished)
	w.waitLifecycle("edge.web.packagevariant-1", porchapi.PackageRevisionLifecycleDeletionProposed)
}

// TestDependsOn has an application wait for its namespace, and the namespace's deletion for the application.
func TestDependsOn(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	app := newVariant("app", plain, dependsOn(variant.Dependency{Name: "ns"}))
	w.Apply(app)
	w.start()
	w.expectMessage("app", "DependencyNotFound",
		`there is no PackageVariant "ns" in this namespace: make it, or correct spec.dependsOn[0].name`)
	w.Apply(newVariant("ns", plain))
	w.Ready("ns")
	w.waitMessage("app", "DependencyNotReady", "waits for ns, of which revision 1 is to be published, and none is")
	w.publish("edge.ns.packagevariant-1")
	w.Ready("app")
	w.Delete(newVariant("ns"))
	w.WaitReason("ns", "DependentsExist")
	w.Delete(newVariant("app"))
	w.waitGone("app")
	w.waitGone("ns")
}

// TestDependencyCycle names the way of a cycle, and goes on once it is broken.
func TestDependencyCycle(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newVariant("a", plain, dependsOn(variant.Dependency{Name: "b"})),
		newVariant("b", plain, dependsOn(variant.Dependency{Name: "c"})),
		newVariant("c", plain, dependsOn(variant.Dependency{Name: "a"})),
		newVariant("d", plain, dependsOn(variant.Dependency{Name: "a"})))
	w.start()
	w.expectMessage("a", "DependencyCycle", "spec.dependsOn makes a cycle, in which each waits for the next: "+
		"a -> b -> c -> a; take one of them out of spec.dependsOn")
	w.WaitReason("b", "DependencyCycle")
	w.WaitReason("c", "DependencyCycle")
	w.waitMessage("d", "DependencyNotReady", "waits for a, which is not ready: spec.dependsOn makes a cycle, in which "+
		"each waits for the next: a -> b -> c -> a; take one of them out of spec.dependsOn")
	w.Apply(newVariant("c", plain))
	w.Ready("c")
	w.publish("edge.c.packagevariant-1")
	w.Ready("b")
	w.WaitReason("a", "DependencyNotReady")
	// Those of a cycle can be deleted, all at once.
	w.Apply(newVariant("c", plain, dependsOn(variant.Dependency{Name: "a"})))
	for _, name := range []string{"a", "b", "c", "d"} {
		w.Delete(newVariant(name))
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		w.waitGone(name)
	}
}

// TestLifeWithoutHands takes a blueprint through three versions over four sites, and nobody touches a draft.
func TestLifeWithoutHands(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	w.Publish("blueprints", "web", "v1", simple())
	sites := []string{"north", "east", "south", "west"}
	apply := func(number int) {
		for _, site := range sites {
			automatic := approval(variant.ApprovalPolicyAutomatic)
			w.Apply(newVariant("ns-"+site, plain, automatic, revision(number), historyLimit(2)),
				newVariant("app-"+site, plain, automatic, revision(number), historyLimit(2),
					dependsOn(variant.Dependency{Name: "ns-" + site, MinRevision: int32(number)})))
		}
	}
	w.start()
	for number := 1; number <= 3; number++ {
		if number > 1 {
			w.Publish("blueprints", "web", fmt.Sprintf("v%d", number),
				map[string]string{"settings.yaml": strings.Replace(settings, `b: "2"`, fmt.Sprintf(`b: "v%d"`, number), 1)})
		}
		apply(number)
		for _, site := range sites {
			for _, pkg := range []string{"ns-", "app-"} {
				name := fmt.Sprintf("edge.%s%s.packagevariant-%d", pkg, site, number)
				w.waitLifecycle(name, porchapi.PackageRevisionLifecyclePublished)
			}
			ns := w.Revision(fmt.Sprintf("edge.ns-%s.packagevariant-%d", site, number)).Status.PublishedAt
			app := w.Revision(fmt.Sprintf("edge.app-%s.packagevariant-%d", site, number)).Status.PublishedAt
			if app.Before(&ns) {
				t.Errorf("the app of %s was published at %s, before its namespace at %s", site, app, ns)
			}
		}
	}
	for _, site := range sites {
		for _, pkg := range []string{"ns-", "app-"} {
			w.waitLifecycle("edge."+pkg+site+".packagevariant-1", porchapi.PackageRevisionLifecycleDeletionProposed)
			var left []string
			for _, r := range w.Revisions("edge", pkg+site) {
				left = append(left, fmt.Sprintf("%s %s", r.Spec.WorkspaceName, r.Spec.Lifecycle))
			}
			want := []string{"packagevariant-1 DeletionProposed", "packagevariant-2 Published", "packagevariant-3 Published"}
			if diff := cmp.Diff(want, left); diff != "" {
				t.Errorf("%s%s (-want +got):\n%s", pkg, site, diff)
			}
		}
	}
}
