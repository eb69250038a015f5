// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/fleet"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
	"github.com/package-variants/package-variants/e2e/stack"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
)

// cloneByHand makes a draft of a downstream package as a user does, by a clone of blueprints.web.v1.
func (w *world) cloneByHand(pkg, workspace string) string {
	w.t.Helper()
	draft := &porchapi.PackageRevision{}
	draft.Namespace = w.Namespace
	draft.Spec = porchapi.PackageRevisionSpec{
		RepositoryName: "edge", PackageName: pkg, WorkspaceName: workspace, Lifecycle: isDraft,
		Tasks: []porchapi.Task{{Type: porchapi.TaskTypeClone, Clone: &porchapi.PackageCloneTaskSpec{
			Upstream: porchapi.UpstreamPackage{UpstreamRef: &porchapi.PackageRevisionRef{Name: "blueprints.web.v1"}},
		}}},
	}
	if err := w.Client.Create(w.t.Context(), draft); err != nil {
		w.t.Fatal(err)
	}
	return draft.Name
}

// needsSecondClone skips a test of a package of which several drafts are made while none is published.
func (w *world) needsSecondClone() {
	w.t.Helper()
	if w.stack.Foreign() {
		w.t.Skip("newer Porch clones into no package that exists, so there is no second draft before the first is published")
	}
}

// TestLeftAlone adopts a package whose one published revision, made by hand, needs no change. It stays untouched,
// whatever then happens to the variant and the controller, and is there when the variant is gone.
func TestLeftAlone(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	mine := w.cloneByHand("web", "mine")
	w.publish(mine)
	before, files := w.Revision(mine), w.Files(mine)
	w.Apply(newVariant("web", plain, adopt))
	c := w.start()
	untouched := func(when string) {
		t.Helper()
		w.waitTarget("web", mine)
		w.quiet(c)
		after := w.Revision(mine)
		if diff := cmp.Diff(before.ObjectMeta, after.ObjectMeta); diff != "" {
			t.Errorf("%s: metadata (-before +after):\n%s", when, diff)
		}
		w.expectStates("web", map[string]state{"mine": {isPublished, 0}})
	}
	untouched("adopted")
	w.Apply(newVariant("web", plain, adopt, func(s *variant.Spec) { s.Labels = map[string]string{"team": "a"} }))
	untouched("with other labels")
	c.Stop()
	c = w.start()
	untouched("after a restart")
	w.Apply(newVariant("web", plain, adopt))
	untouched("after another change")
	w.Delete(newVariant("web"))
	w.waitGone("web")
	w.expectStates("web", map[string]state{"mine": {isPublished, 0}})
	if diff := cmp.Diff(files, w.Files(mine)); diff != "" {
		t.Errorf("the files have changed (-before +after):\n%s", diff)
	}
}

// TestNeverOwnedAfterOrphaning orphans what a variant has made, by a change of its downstream, and comes back to it: it
// is somebody else's then.
func TestNeverOwnedAfterOrphaning(t *testing.T) {
	w := published(t, orphan)
	w.Apply(newVariant("web", orphan, downstream("shop")))
	w.waitTarget("web", "edge.shop.packagevariant-1")
	w.expectStates("web", map[string]state{"packagevariant-1": {isPublished, 0}})
	w.Apply(newVariant("web", orphan))
	w.WaitReason("web", "DownstreamExists")
	w.expectStates("web", map[string]state{"packagevariant-1": {isPublished, 0}})
}

// TestRegisteredAnewBehindDraft takes the downstream Repository of a variant with published revisions and an open draft
// away and registers it again. Porch then knows of no owner; all the revisions are taken back, not the draft alone.
func TestRegisteredAnewBehindDraft(t *testing.T) {
	w := newWorld(t)
	if w.stack.Foreign() {
		t.Skip("newer Porch's watch does not tell what is read when a Repository is registered again: " +
			"docs/compatibility.md")
	}
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Apply(configMap("eu", map[string]string{"api": "0"}), newVariant("web"))
	w.start()
	for i := 1; i < 3; i++ {
		draft := fmt.Sprintf("edge.web.packagevariant-%d", i)
		w.waitTarget("web", draft)
		w.publish(draft)
		w.seesPublished("web")
		w.Apply(configMap("eu", map[string]string{"api": fmt.Sprint(i)}))
	}
	w.waitTarget("web", "edge.web.packagevariant-3")
	w.kubectl("delete", "repository", "edge", "--namespace", w.Namespace)
	w.WaitReason("web", "RepositoryNotFound")
	w.registerAnew("edge", true)
	w.expectStates("web", map[string]state{"packagevariant-1": {isPublished, 1}, "packagevariant-2": {isPublished, 1},
		"packagevariant-3": {isDraft, 1}})
	w.waitTarget("web", "edge.web.packagevariant-3")

	// The package is still the variant's own when the draft is gone, and goes with it.
	w.Delete(w.Revision("edge.web.packagevariant-3"))
	w.waitOneDraft("web")
	w.target("web")
	w.Delete(newVariant("web"))
	w.waitGone("web")
	w.expectStates("web", map[string]state{"packagevariant-1": {isDeletion, 0}, "packagevariant-2": {isDeletion, 0}})
}

// twin registers a Repository over the git repository of edge, in a namespace.
func (w *world) twin(namespace, name string) {
	w.t.Helper()
	err := w.stack.RegisterRepository(w.t.Context(), stack.Repository{Namespace: namespace, Name: name,
		Git: w.Namespace + "-edge", Deployment: true})
	if err != nil {
		w.t.Fatal(err)
	}
}

// claimedBy fails the test unless the variant is stalled, for its downstream is another's.
func (w *world) claimedBy(name, other string) {
	w.t.Helper()
	if message := w.message(name, "DownstreamClaimed"); !strings.Contains(message, other) {
		w.t.Errorf("message of %s: %s, want one with %s", name, message, other)
	}
	w.expectCondition(name, v1alpha1.ConditionStalled, "True", "DownstreamClaimed")
}

// TestSharedRepository has two Repositories over the same git repository and directory: what is one package in both has
// one variant.
func TestSharedRepository(t *testing.T) {
	w := newWorld(t)
	if w.stack.Foreign() {
		t.Skip("newer Porch refuses a second Repository over a directory of a git repository in one namespace")
	}
	w.Publish("blueprints", "web", "v1", simple())
	w.twin(w.Namespace, "twin")
	inTwin := func(s *variant.Spec) { s.Downstream.Repo = "twin" }
	w.Apply(newVariant("first", plain, downstream("web")))
	c := w.start()
	w.target("first")
	w.proxy.Reset()
	w.Apply(newVariant("second", plain, downstream("web"), inTwin), newVariant("third", plain, downstream("shop"), inTwin))
	w.claimedBy("second", "first")
	w.target("third")
	w.readAnew("edge")
	w.quiet(c)
	w.claimedBy("second", "first")
	w.Ready("first")
	if n := proxy.Count(w.proxy.Requests(), isCreate); n != 1 {
		t.Errorf("Porch was asked for %d drafts, want the third variant's only", n)
	}
	w.expectDrafts("web", "edge.web.packagevariant-1")
}

// TestSharedRepositoryOfNamespaces is TestSharedRepository with the Repositories in two namespaces of one controller.
func TestSharedRepositoryOfNamespaces(t *testing.T) {
	w := newWorld(t)
	other := fleet.New(t, w.stack, w.Namespace+"-other")
	w.Publish("blueprints", "web", "v1", simple())
	other.Repository("blueprints", nil, false)
	other.Publish("blueprints", "web", "v1", simple())
	w.twin(other.Namespace, "edge")
	w.Apply(newVariant("first", plain, downstream("web")))
	options := w.options("--log-level=debug")
	options.Namespaces = append(options.Namespaces, other.Namespace)
	c := controller.Start(t, options)
	t.Cleanup(w.compareDrafts)
	c.WaitReady(t.Context())
	w.target("first")
	other.Apply(newVariant("second", plain, downstream("web")))
	pv := other.WaitReason("second", "DownstreamClaimed")
	if message := other.Condition("second", v1alpha1.ConditionReady).Message; !strings.Contains(message, "first") ||
		!strings.Contains(message, w.Namespace) {
		t.Errorf("message %q, want one that names the variant and its namespace", message)
	}
	if got := len(pv.Status.DownstreamTargets); got != 0 {
		t.Errorf("the second variant has %d targets", got)
	}
	w.quiet(c)
	w.Ready("first")
	w.expectDrafts("web", "edge.web.packagevariant-1")
	// The first gone, the second takes its place.
	w.Delete(newVariant("first"))
	w.waitGone("first")
	other.Ready("second")
}
