// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/proxy"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func historyLimit(n int32) func(*variant.Spec) {
	return func(s *variant.Spec) { s.RevisionHistoryLimit = &n }
}

func suspended(s *variant.Spec) { s.Suspend = true }

func dependsOn(dependencies ...variant.Dependency) func(*variant.Spec) {
	return func(s *variant.Spec) { s.DependsOn = dependencies }
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

// TestSuspend checks that a suspended variant only says what it would do, and does all of it once resumed. Its deletion
// waits, too.
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

	// The message says why it is suspended, although nothing else changes; only the status is written.
	w.proxy.Reset()
	w.kubectl("annotate", "packagevariant", "web", "--namespace", w.Namespace,
		v1alpha1.SuspendReasonAnnotation+"=freeze until Monday")
	w.waitMessage("web", "Suspended", "suspended: freeze until Monday; "+would+"; set spec.suspend to false to continue")
	if got := meta.FindStatusCondition(w.Variant("web").Status.Conditions, v1alpha1.ConditionSuspended); got == nil ||
		got.Message != "freeze until Monday; "+would || !got.LastTransitionTime.Equal(&c.LastTransitionTime) {
		t.Errorf("the condition Suspended is %+v, want one since %v that says why", got, c.LastTransitionTime)
	}
	if diff := cmp.Diff([]string{"patch packagevariants/status"}, w.work(proxy.IsWrite)); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
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

// TestHistoryLimit checks that a revision stays if another package was made from it.
func TestHistoryLimit(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	w.Publish("blueprints", "web", "v1", simple())
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
		w.Publish("blueprints", "web", fmt.Sprintf("v%d", n), settingsB(fmt.Sprintf("v%d", n)))
		w.Apply(newVariant("web", plain, automatic, revision(n), historyLimit(1)))
		w.waitLifecycle(fmt.Sprintf("edge.web.packagevariant-%d", n), isPublished)
	}
	w.waitRetired("web", "edge.web.packagevariant-2")
	w.waitRetired("web", "edge.web.packagevariant-3")
	w.waitLifecycle("edge.web.packagevariant-4", isPublished)
	w.waitLifecycle("edge.web.packagevariant-1", isPublished)

	// Once the leaf has moved on, the first revision is no longer needed.
	leaf = leaf.DeepCopy()
	leaf.Spec.Upstream.Revision = variant.RevisionNumber(4)
	leaf.ResourceVersion, leaf.UID = "", ""
	w.Apply(leaf)
	w.waitLifecycle("edge.leaf.packagevariant-2", isPublished)
	w.waitRetired("web", "edge.web.packagevariant-1")
}

// waitRetired waits until the deletion of a superseded revision was proposed. With the CR cache, Porch v1.5 may revert
// the proposal later, and the controller proposes only once.
func (w *world) waitRetired(name, revision string) {
	w.t.Helper()
	w.Eventually("the deletion of "+revision+" was proposed", func() error {
		if w.Revision(revision).Spec.Lifecycle == isDeletion {
			return nil
		}
		if retired := w.Variant(name).Status.RetiredRevisions; !slices.Contains(retired, revision) {
			return fmt.Errorf("of %v only", retired)
		}
		return nil
	})
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

// TestDependencyCycle checks that the message lists the variants of a cycle, and that they continue once it is broken.
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

// TestDependencyChain has ten variants each depend on the one before: each wakes when its dependency is published, and
// for nothing else that happens earlier in the chain.
func TestDependencyChain(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	w.Publish("blueprints", "web", "v1", simple())
	w.start()
	names := []string{"c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9"}
	var chain []client.Object
	for i, name := range names {
		changes := []func(*variant.Spec){plain, automatic}
		if i > 0 {
			changes = append(changes, dependsOn(variant.Dependency{Name: names[i-1]}))
		}
		chain = append(chain, newVariant(name, changes...))
	}
	w.Apply(chain...)
	for _, name := range names {
		w.waitLifecycle("edge."+name+".packagevariant-1", isPublished)
	}
	w.waitEvent("c9", "Normal Approved")
	events, err := w.events("c9")
	if err != nil {
		t.Fatal(err)
	}
	// The dependency does not exist yet, is not ready, is not published.
	if n := events["Warning DependencyNotFound"] + events["Warning DependencyNotReady"]; n > 3 {
		t.Errorf("there are %d Events of what c9 waited for: %v", n, events)
	}
}

// TestLifeWithoutHands takes a blueprint through three versions over two sites without a person touching a draft.
// With more packages that are published at once in one Repository, a busy Porch v1.5 may forget published revisions, and
// begin to number them anew.
func TestLifeWithoutHands(t *testing.T) {
	w := newWorld(t)
	w.Timeout = 4 * time.Minute // Porch v1.5 may lose sight of what is in git for a while
	w.mayApprove()
	w.Publish("blueprints", "web", "v1", simple())
	sites := []string{"north", "east"}
	apply := func(number int) {
		for _, site := range sites {
			w.Apply(newVariant("ns-"+site, plain, automatic, revision(number), historyLimit(2)),
				newVariant("app-"+site, plain, automatic, revision(number), historyLimit(2),
					dependsOn(variant.Dependency{Name: "ns-" + site, MinRevision: int32(number)})))
		}
	}
	w.start()
	for number := 1; number <= 3; number++ {
		if number > 1 {
			w.Publish("blueprints", "web", fmt.Sprintf("v%d", number), settingsB(fmt.Sprintf("v%d", number)))
		}
		apply(number)
		for _, site := range sites {
			for _, pkg := range []string{"ns-", "app-"} {
				name := fmt.Sprintf("edge.%s%s.packagevariant-%d", pkg, site, number)
				w.waitLifecycle(name, isPublished)
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
			// Porch v1.5 may forget a proposal, which is made once: the lifecycle is then Published again.
			old := "edge." + pkg + site + ".packagevariant-1"
			w.Eventually(old+" is proposed for deletion", func() error {
				if retired := w.Variant(pkg + site).Status.RetiredRevisions; !slices.Contains(retired, old) {
					return fmt.Errorf("retired are %v", retired)
				}
				return nil
			})
			var left []string
			for _, r := range w.Revisions("edge", pkg+site) {
				lifecycle := string(r.Spec.Lifecycle)
				if r.Name == old {
					lifecycle = "retired"
				}
				left = append(left, r.Spec.WorkspaceName+" "+lifecycle)
			}
			want := []string{"packagevariant-1 retired", "packagevariant-2 Published", "packagevariant-3 Published"}
			if diff := cmp.Diff(want, left); diff != "" {
				t.Errorf("%s%s (-want +got):\n%s", pkg, site, diff)
			}
		}
	}
}
