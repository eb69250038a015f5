// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
	"github.com/package-variants/package-variants/e2e/stack"

	"github.com/google/go-cmp/cmp"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// asksPorch reports whether a controller with a filled cache makes a request for a variant.
func asksPorch(r proxy.Request) bool { return r.Group == "porch.kpt.dev" && r.Verb != "watch" }

// waitRepository waits until a Repository says that it is ready, or that it is not.
func (w *world) waitRepository(name string, ready bool) {
	w.t.Helper()
	w.Eventually(fmt.Sprintf("the Repository %s is ready: %t", name, ready), func() error {
		var r configapi.Repository
		if err := w.Client.Get(w.t.Context(), client.ObjectKey{Namespace: w.Namespace, Name: name}, &r); err != nil {
			return err
		}
		c := meta.FindStatusCondition(r.Status.Conditions, configapi.RepositoryReady)
		if c == nil || (c.Status == metav1.ConditionTrue) != ready {
			return fmt.Errorf("it says %+v", c)
		}
		return nil
	})
}

// TestBrokenRepository has Porch lose a Repository with variants in it. Variants that need a change report it at once
// and cost Porch nothing; those that are up to date stay as they are.
func TestBrokenRepository(t *testing.T) {
	w, git := newWorldBehind(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), newVariant("settled"), newVariant("changed"))
	c := w.start()
	w.target("settled")
	w.target("changed")
	w.quiet(c)
	git.closed.Store(true)
	if w.stack.Cache() == stack.DBCache && !w.stack.Foreign() { // Porch needs no git for drafts, and does not report it
		w.Apply(newVariant("changed", zone), newVariant("new"))
		w.Ready("changed")
		w.Ready("new")
		return
	}
	w.waitRepository("edge", false)
	if w.stack.Foreign() { // newer Porch says so, but not while it tries again
		w.compared = true
		w.Apply(newVariant("changed", zone), newVariant("new"))
		w.void()
		w.Eventually("what needs git waits", func() error {
			reason := w.Condition("new", v1alpha1.ConditionReady).Reason
			if reason == "RepositoryNotReady" || reason == "PorchUnavailable" || w.stack.Cache() == stack.DBCache {
				return nil // drafts in a database need no git while Porch tries again
			}
			return fmt.Errorf("it is %q", reason)
		})
		git.closed.Store(false)
		w.waitFile(w.target("changed"), "package-context.yaml", "zone: a\n")
		w.target("new")
		return
	}
	w.quiet(c)
	w.proxy.Reset()
	w.Apply(newVariant("changed", zone))
	names := []string{"changed"}
	for i := range 5 {
		names = append(names, fmt.Sprintf("new-%d", i))
		w.Apply(newVariant(names[i+1]))
	}
	for _, name := range names {
		if got := w.message(name, "RepositoryNotReady"); !strings.HasPrefix(got, `the Repository "edge" is not ready: `) {
			t.Errorf("message of %s: %q", name, got)
		}
		w.expectCondition(name, "Reconciling", "True", "RepositoryNotReady")
	}
	w.quiet(c)
	for _, r := range w.proxy.Requests() {
		if asksPorch(r) || proxy.IsWrite(r) && r.Name == "settled" {
			t.Errorf("while the Repository is broken: %s", r)
		}
	}
	if ready := w.Condition("settled", v1alpha1.ConditionReady); ready.Status != metav1.ConditionTrue {
		t.Errorf("what is up to date says %s: %s", ready.Reason, ready.Message)
	}
	git.closed.Store(false)
	for _, name := range append(names, "settled") {
		w.target(name)
	}
	w.waitFile(w.target("changed"), "package-context.yaml", "zone: a\n")
}

// migrate sets or removes the annotation on a Repository by which its packages leave the API that the controller reads.
func (w *world) migrate(repository string, migrated bool) {
	w.t.Helper()
	value := "porch.kpt.dev/v1alpha2-migration-"
	if migrated {
		value = "porch.kpt.dev/v1alpha2-migration=true"
	}
	w.kubectl("annotate", "repository", repository, "--namespace", w.Namespace, "--overwrite", value)
}

// TestMigratedRepository has Repositories whose packages are missing from the lists that the controller reads. It does
// not treat them as empty: it clones nothing, gives up nothing and forgets nothing.
func TestMigratedRepository(t *testing.T) {
	w := newWorldOfVersion2(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Repository("edge-1", prod("eu"), true)
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), newVariant("web"), newVariant("going"), newSet(t, fleetSet))
	c := w.start()
	draft, going := w.target("web"), w.target("going")
	w.expectSet("VariantsReady", [3]int32{1, 1, 1}, "edge-1/web", "edge/going", "edge/web")
	w.quiet(c)
	for _, repository := range []string{"edge", "edge-1"} {
		w.migrate(repository, true)
	}
	w.proxy.Reset()
	w.Apply(newVariant("web", zone), newVariant("shop"))
	w.Delete(newVariant("going"))
	for _, name := range []string{"web", "shop", "going"} {
		if message := w.message(name, "RepositoryMigrated"); !strings.Contains(message, "edge") ||
			!strings.Contains(message, "v1alpha2") {
			t.Errorf("message of %s: %q", name, message)
		}
		w.expectCondition(name, v1alpha1.ConditionStalled, "True", "RepositoryMigrated")
	}
	w.quiet(c)
	if got := w.work(func(r proxy.Request) bool { return proxy.IsWrite(r) && r.Group == "porch.kpt.dev" }); len(got) > 0 {
		t.Errorf("writes to packages: %v", got)
	}
	if w.stack.Foreign() { // Porch leaves them out of its lists
		w.expectDrafts("web")
		w.expectDrafts("going")
		w.inVersion2(draft, going)
	} else {
		w.expectDrafts("web", draft)
		w.expectDrafts("going", going)
	}
	if got := w.variants(); len(got) != 3 { // without the one that is being deleted
		t.Errorf("the variants are %v: the set has let one go", got)
	}
	// The upstream's Repository, too.
	w.migrate("edge", false)
	w.waitGone("going")
	w.expectDrafts("going")
	w.waitFile(w.target("web"), "package-context.yaml", "zone: a\n")
	w.expectDrafts("web", draft)
	w.target("shop")
	w.migrate("blueprints", true)
	w.WaitReason("web", "RepositoryMigrated") // late is planned when that has come
	w.Apply(newVariant("late"))
	w.WaitReason("late", "RepositoryMigrated")
	w.migrate("blueprints", false)
	w.target("late")
	if w.stack.Foreign() { // so that what the set has there is listed again
		w.migrate("edge-1", false)
	}
}

// refusesBranch reports whether a variant of TestRevisionMain has the branch itself as its upstream, and fails the test
// unless it says that newer Porch makes nothing from that.
func (w *world) refusesBranch(name string) bool {
	w.t.Helper()
	switch {
	case strings.HasPrefix(name, "branch-"):
		w.refusesPushed(name)
	case name == "web-workspace":
		w.stalledForBranch(name)
	default:
		return false
	}
	return true
}

// TestRevisionMain follows the branch of a Repository by the words that manuals have for it. For a package with
// published revisions that is the newest of them, for others what the branch contains.
func TestRevisionMain(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	w.Publish("blueprints", "web", "v2", settingsV2)
	w.push("blueprints", "main", "branch", map[string]string{"Kptfile": kptfile("branch"), "settings.yaml": settings})
	if w.stack.Foreign() {
		w.synced("blueprints") // with the DB cache, there is no watch event for what was pushed
	}
	words := map[string]func(*variant.Spec){
		"number":    revision(-1),
		"word":      tag("main"),
		"workspace": func(s *variant.Spec) { s.Upstream.WorkspaceName, s.Upstream.Revision = "main", variant.Revision{} },
	}
	for name, change := range words {
		w.Apply(newVariant("web-"+name, plain, change), newVariant("branch-"+name, plain, change,
			func(s *variant.Spec) { s.Upstream.Package = "branch" }))
	}
	c := w.start()
	got, want := map[string]string{}, map[string]string{}
	for name := range words {
		want["web-"+name], want["branch-"+name] = "web/v2", "main"
	}
	want["web-workspace"] = "main" // which names the revision that is the branch
	if w.stack.Cache() == stack.DBCache {
		want["web-workspace"] = "web/v2" // where the branch is
	}
	if w.stack.Foreign() { // Porch derives nothing from a branch
		maps.DeleteFunc(want, func(name, _ string) bool { return w.refusesBranch(name) })
	}
	for name := range want {
		got[name] = w.Revision(w.target(name)).Status.UpstreamLock.Git.Ref
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what was cloned (-want +got):\n%s", diff)
	}
	// At rest, the controller makes no requests, however often Porch reads the branch.
	w.quiet(c)
	evaluations := c.Metric(evaluationsMetric, nil)
	w.proxy.Reset()
	time.Sleep(probeAgain)
	w.expectSilence(c, evaluations)
	// The variant follows the next published revision.
	for _, name := range []string{"web-number", "web-word"} {
		w.publish(w.target(name))
		w.seesPublished(name)
	}
	w.Publish("blueprints", "web", "v3", map[string]string{"settings.yaml": settings})
	for _, name := range []string{"web-number", "web-word"} {
		draft := "edge." + name + ".packagevariant-2"
		w.waitTarget(name, draft)
		if ref := w.Revision(draft).Status.UpstreamLock.Git.Ref; ref != "web/v3" {
			t.Errorf("%s is upgraded to %s, want web/v3", name, ref)
		}
	}
	if w.stack.Foreign() {
		w.compared = true // no package was made from the branch
		return
	}
	if w.stack.Cache() == stack.DBCache { // Porch does not say where a branch is
		w.quiet(c)
		w.Ready("web-workspace")
		w.expectDrafts("web-workspace", "edge.web-workspace.packagevariant-1")
		return
	}
	// A package that is only on the branch stays as it is, and the message says that the branch has moved.
	w.push("blueprints", "main", "branch", map[string]string{"Kptfile": kptfile("branch"),
		"settings.yaml": settingsV2["settings.yaml"]})
	w.WaitReason("branch-word", "BranchMoved")
}
