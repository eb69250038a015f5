// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
	"github.com/package-variants/package-variants/e2e/stack"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// cloneByHand makes a draft of a downstream package as a user does, by a clone of blueprints.web.v1.
func (w *world) cloneByHand(pkg, workspace string) string {
	w.t.Helper()
	return w.draftByHand(pkg, workspace, porchapi.Task{Type: porchapi.TaskTypeClone, Clone: &porchapi.PackageCloneTaskSpec{
		Upstream: porchapi.UpstreamPackage{UpstreamRef: &porchapi.PackageRevisionRef{Name: "blueprints.web.v1"}},
	}})
}

// draftByHand makes a draft of a package in edge by a task, and returns its name.
func (w *world) draftByHand(pkg, workspace string, task porchapi.Task) string {
	w.t.Helper()
	draft := &porchapi.PackageRevision{}
	draft.Namespace = w.Namespace
	draft.Spec = porchapi.PackageRevisionSpec{
		RepositoryName: "edge", PackageName: pkg, WorkspaceName: workspace, Lifecycle: isDraft, Tasks: []porchapi.Task{task},
	}
	if err := w.Client.Create(w.t.Context(), draft); err != nil {
		w.t.Fatal(err)
	}
	return draft.Name
}

// needsSecondClone skips a test that needs several drafts of a package before one is published.
func (w *world) needsSecondClone() {
	w.t.Helper()
	if w.stack.Foreign() {
		w.t.Skip("newer Porch clones into no package that exists, so there is no second draft before the first is published")
	}
}

// TestAdoptPublished adopts a package whose one published revision, made by hand, needs no change. The variant then
// owns it, and nothing else of it changes, neither with the variant nor with a restart. It is deleted with the variant.
func TestAdoptPublished(t *testing.T) {
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
		w.expectStates("web", map[string]state{"mine": {isPublished, 1}})
		w.quiet(c)
		after := w.Revision(mine)
		after.OwnerReferences, after.ResourceVersion = before.OwnerReferences, before.ResourceVersion
		if diff := cmp.Diff(before.ObjectMeta, after.ObjectMeta); diff != "" {
			t.Errorf("%s: metadata (-before +after):\n%s", when, diff)
		}
		w.expectStates("web", map[string]state{"mine": {isPublished, 1}})
	}
	untouched("adopted")
	w.Apply(newVariant("web", plain, adopt, func(s *variant.Spec) { s.Labels = map[string]string{"team": "a"} }))
	untouched("with other labels")
	c.Stop()
	c = w.start()
	untouched("after a restart")
	w.Apply(newVariant("web", plain, adopt))
	untouched("after another change")
	if diff := cmp.Diff(files, w.Files(mine)); diff != "" {
		t.Errorf("the files have changed (-before +after):\n%s", diff)
	}
	w.Delete(newVariant("web"))
	w.waitGone("web")
	w.expectStates("web", map[string]state{"mine": {isDeletion, 0}})
}

// changeByHand publishes a change to a published revision of edge, as people make one: a copy of it, an edit, an
// approval.
func (w *world) changeByHand(pkg, workspace, source, from, to string) string {
	w.t.Helper()
	draft := w.draftByHand(pkg, workspace, porchapi.Task{Type: porchapi.TaskTypeEdit,
		Edit: &porchapi.PackageEditTaskSpec{Source: &porchapi.PackageRevisionRef{Name: source}}})
	w.edit(draft, from, to)
	w.publish(draft)
	return draft
}

// TestPublishedByPeople has people publish a change to what a variant has published: the variant owns it from then on,
// and makes its next draft from it, for a change of its own and for another upstream.
func TestPublishedByPeople(t *testing.T) {
	w := published(t)
	fix := w.changeByHand("web", "fix", "edge.web.packagevariant-1", `a: "mine"`, `a: "fixed"`)
	w.waitTarget("web", fix)
	w.expectStates("web", map[string]state{"packagevariant-1": {isPublished, 1}, "fix": {isPublished, 1}})
	w.Ready("web")
	if d := w.Variant("web").Status.Downstream; d == nil || d.Name != fix {
		t.Errorf("the status says that %+v is published, want %s", d, fix)
	}
	w.Apply(newVariant("web", zone))
	w.waitTarget("web", "edge.web.packagevariant-2")
	w.waitSettings("edge.web.packagevariant-2", `a: "fixed"`)
	w.waitFile("edge.web.packagevariant-2", "package-context.yaml", "zone: a")

	// An open draft meanwhile says that it would revert the fix.
	another := w.changeByHand("web", "another", fix, `a: "fixed"`, `a: "fixed again"`)
	w.Eventually("the draft is said to be overtaken", func() error {
		if d := w.Variant("web").Status.OpenDraft; d == nil || d.Reason != v1alpha1.ReasonOvertaken {
			return fmt.Errorf("the open draft is %+v", d)
		}
		return nil
	})
	w.Publish("blueprints", "web", "v2", settingsOf("1", "of 2"))
	w.Delete(w.Revision("edge.web.packagevariant-2"))
	w.Apply(newVariant("web", zone, revision(2)))
	w.waitOneDraft("web")
	w.waitSettings(w.target("web"), `a: "fixed again"`, `b: "of 2"`)
	if another == w.target("web") {
		t.Errorf("the target is %s", another)
	}
}

// TestPublishedAnew has a person publish a new package over a variant's: the variant changes nothing, and reports that
// revision.
func TestPublishedAnew(t *testing.T) {
	w := published(t)
	w.needsSecondClone()
	anew := w.cloneByHand("web", "anew")
	w.publish(anew)
	w.expectMessage("web", "DownstreamExists", anew+" was published, is not this variant's, and was not made from a "+
		"revision of it: edge.web.packagevariant-1 stays as it is; set spec.adoptionPolicy to adoptExisting, or propose the "+
		"deletion of "+anew)
	w.Apply(newVariant("web", zone))
	w.Never(3*time.Second, "a draft is made", func() error { return w.noDrafts("web") })
}

// TestPushedPackage has a package on the branch of the downstream Repository that was pushed past Porch: a variant
// neither clones over it nor, if it was there first, publishes over it.
func TestPushedPackage(t *testing.T) {
	w := newWorld(t)
	if w.stack.Foreign() {
		t.Skip("newer Porch's API server does not look for branches that others have pushed")
	}
	w.mayApprove()
	w.Publish("blueprints", "web", "v1", simple())
	w.push("edge", "main", "web", map[string]string{"Kptfile": kptfile("web"), "mine.yaml": settings})
	w.readAnew("edge")
	w.Apply(newVariant("web", plain, automatic))
	w.start()
	w.expectMessage("web", "DownstreamExists", "the package edge/web exists on the branch main, though no revision of it is "+
		"published, and is not this variant's: remove it there, or set spec.adoptionPolicy to adoptExisting to have it "+
		"replaced, or name another package in spec.downstream")
	if err := w.noDrafts("web"); err != nil {
		t.Error(err)
	}
	w.Apply(newVariant("web", plain, automatic, adopt))
	w.target("web")
	w.expectCondition("web", v1alpha1.ConditionApproved, "False", "DownstreamExists")
	w.expectDrafts("web", "edge.web.packagevariant-1")
}

// TestPushedAfterDraft has a person push the package to the branch past Porch once a draft of it is there: shop long
// before it would be published, and web just before it is proposed, so that Porch sees that only then. Neither is
// published over what they pushed, and each variant says why.
func TestPushedAfterDraft(t *testing.T) {
	w := newWorld(t)
	if w.stack.Foreign() || w.stack.Cache() == stack.DBCache {
		t.Skip("this Porch does not look for branches that others have pushed: docs/limits.md")
	}
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newVariant("web", plain), newVariant("shop", plain))
	w.mayApprove()
	w.start()
	pushes := func(pkg string) {
		w.push("edge", "main", pkg, map[string]string{"Kptfile": kptfile(pkg), "mine.yaml": settings})
	}
	w.target("shop")
	pushes("shop")
	w.readAnew("edge")
	w.Apply(newVariant("shop", plain, automatic))
	w.expectCondition("shop", v1alpha1.ConditionApproved, "False", "DownstreamExists")
	w.target("web")
	var once atomic.Bool
	w.proxy.Handle(func(r proxy.Request, phase proxy.Phase) *metav1.Status {
		if phase == proxy.Before && isProposal(r) && once.CompareAndSwap(false, true) {
			pushes("web")
		}
		return nil
	})
	w.Apply(newVariant("web", plain, automatic))
	w.expectCondition("web", v1alpha1.ConditionApproved, "False", "DownstreamExists")
	w.readAnew("edge")
	w.expectCondition("web", v1alpha1.ConditionApproved, "False", "DownstreamExists")
	for _, name := range []string{"web", "shop"} {
		if got := w.Files("edge." + name + ".main")["mine.yaml"]; got != settings {
			t.Errorf("the branch has mine.yaml of %s with %q", name, got)
		}
	}
}

// noDrafts returns an error if there are open drafts of a package of edge.
func (w *world) noDrafts(pkg string) error {
	drafts, _, err := w.listDrafts(pkg)
	if err == nil && len(drafts) > 0 {
		err = fmt.Errorf("there are %v", drafts)
	}
	return err
}

// waitOwned waits until the status says that the variant owns just these revisions.
func (w *world) waitOwned(name string, revisions ...string) {
	w.t.Helper()
	w.Eventually(fmt.Sprintf("%s owns %v", name, revisions), func() error {
		if owned := w.Ready(name).Status.OwnedRevisions; !slices.Equal(owned, revisions) {
			return fmt.Errorf("it owns %v", owned)
		}
		return nil
	})
}

// TestNeverOwnedAfterOrphaning orphans a variant's package by a change of its downstream, and changes it back: the
// package then belongs to someone else.
func TestNeverOwnedAfterOrphaning(t *testing.T) {
	w := published(t, orphan)
	w.Apply(newVariant("web", orphan, downstream("shop")))
	w.waitTarget("web", "edge.shop.packagevariant-1")
	w.expectStates("web", map[string]state{"packagevariant-1": {isPublished, 0}})
	w.waitOwned("web", "edge.shop.packagevariant-1")
	w.Apply(newVariant("web", orphan))
	w.WaitReason("web", "DownstreamExists")
	w.expectStates("web", map[string]state{"packagevariant-1": {isPublished, 0}})
}

// TestRegisteredAnewBehindDraft deletes and registers again the downstream Repository of a variant with published
// revisions and an open draft. Porch then knows no owner; the variant owns all the revisions again, not only the draft.
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
	last := "packagevariant-3"
	if w.stack.Cache() == stack.DBCache { // the draft is not in git, and goes with the Repository
		last = "packagevariant-4"
	}
	w.kubectl("delete", "repository", "edge", "--namespace", w.Namespace)
	w.WaitReason("web", "RepositoryNotFound")
	w.registerAnew("edge", true)
	w.expectStates("web", map[string]state{"packagevariant-1": {isPublished, 1}, "packagevariant-2": {isPublished, 1},
		last: {isDraft, 1}})
	w.waitTarget("web", "edge.web."+last)

	// The package is still the variant's own when the draft is gone, and goes with it.
	w.Delete(w.Revision("edge.web." + last))
	w.waitOneDraft("web")
	w.target("web")
	w.Delete(newVariant("web"))
	w.waitGone("web")
	w.expectStates("web", map[string]state{"packagevariant-1": {isDeletion, 0}, "packagevariant-2": {isDeletion, 0}})
}

// claimedBy fails the test unless the variant is stalled because its downstream belongs to another.
func (w *world) claimedBy(name, other string) {
	w.t.Helper()
	if message := w.message(name, "DownstreamClaimed"); !strings.Contains(message, other) {
		w.t.Errorf("message of %s: %s, want one with %s", name, message, other)
	}
	w.expectCondition(name, v1alpha1.ConditionStalled, "True", "DownstreamClaimed")
}

// TestForgedOwner has a person add another variant as an owner of a draft. The variant that controls the draft keeps it,
// with what people edited in it.
func TestForgedOwner(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newVariant("web", plain))
	c := w.start()
	mine := w.target("web")
	w.Apply(newVariant("other", plain))
	w.target("other")
	w.edit(mine, `a: "1"`, `a: "mine"`)

	forged := w.waitOwner(w.target("other"), "other")
	forged.Controller = nil
	w.changeMeta(mine, func(r *porchapi.PackageRevision) { r.OwnerReferences = append(r.OwnerReferences, forged) })
	w.quiet(c)
	w.expectDrafts("web", mine)
	w.waitSettings(mine, `a: "mine"`)
	w.Ready("web")
	w.Ready("other")
}
