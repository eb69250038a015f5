// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/e2e/stack"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// loseSight has Porch lose sight of a revision of edge for a while: the git server does not name the references that
// begin with a prefix until Porch does not find the revision. It has all of them all the time.
func (w *world) loseSight(git *gitServer, prefix, revision string) {
	w.t.Helper()
	git.hidden.Store(&prefix)
	w.Eventually("Porch does not find "+revision, func() error {
		_, err := w.GetRevision(revision)
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err == nil {
			err = fmt.Errorf("it does")
		}
		return err
	})
	git.hidden.Store(nil)
	w.readAnew("edge")
}

// newWorldLosing is newWorldBehind for tests in which Porch loses sight of drafts.
func newWorldLosing(t *testing.T) (*world, *gitServer) {
	t.Helper()
	w, git := newWorldBehind(t)
	if why := keepsDrafts(w.stack); why != "" {
		t.Skip(why)
	}
	return w, git
}

// keepsDrafts says why a Porch does not lose sight of drafts; "" if it does.
func keepsDrafts(s *stack.Stack) string {
	switch {
	case s.Cache() == stack.DBCache:
		return "drafts are in the database, which does not lose sight of them"
	case s.Foreign():
		return "newer Porch's API server does not look for branches that others have pushed or removed"
	}
	return ""
}

// TestLostDraft has Porch lose sight of an open draft without edits. In the end there is one draft, with the same name
// and files, and the variant owns it.
func TestLostDraft(t *testing.T) {
	w, git := newWorldLosing(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), newVariant("web"))
	c := w.start()
	draft := w.target("web")
	w.quiet(c)
	before := w.Files(draft)
	w.loseSight(git, "heads/drafts/web/", draft)
	w.waitTarget("web", draft)
	w.quiet(c) // it has not ended
	w.waitOwner(draft, "web")
	w.expectDrafts("web", draft)
	if diff := cmp.Diff(before, w.Files(draft)); diff != "" {
		t.Errorf("the draft has changed (-before +after):\n%s", diff)
	}
}

// TestLostDraftOfPeople has Porch lose sight of a draft that a person has edited until the controller makes another in
// its place. The other one is not published, even if the policy is to publish drafts. When Porch finds the edited draft,
// both stay as they are until the person deletes the other one.
func TestLostDraftOfPeople(t *testing.T) {
	w, git := newWorldLosing(t)
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newVariant("web", plain))
	c := w.start()
	draft := w.target("web")
	w.edit(draft, `a: "1"`, `a: "mine"`)
	w.mayApprove()
	w.Apply(newVariant("web", plain, automatic))
	w.expectCondition("web", v1alpha1.ConditionApproved, "False", "EditedByOthers")
	w.quiet(c)
	before := w.Files(draft)
	hidden := "heads/drafts/web/packagevariant-1"
	git.hidden.Store(&hidden)
	w.waitTarget("web", "edge.web.packagevariant-2")
	if got := w.Variant("web").Status.LastDraft; got != "edge.web.packagevariant-2" {
		t.Errorf("the last draft is %q", got)
	}
	w.expectCondition("web", v1alpha1.ConditionApproved, "False", "DraftMissing")
	git.hidden.Store(nil)
	w.readAnew("edge")
	w.WaitReason("web", "TwoDrafts")
	w.Delete(w.Revision("edge.web.packagevariant-2"))
	w.waitTarget("web", draft)
	w.waitOwner(draft, "web")
	w.expectDrafts("web", draft)
	if diff := cmp.Diff(before, w.Files(draft)); diff != "" {
		t.Errorf("the draft has changed (-before +after):\n%s", diff)
	}
}

// TestLostRevisions has Porch lose sight of the tags of a published package: while it lists the branch only, the variant
// makes no draft, even for another upstream. Afterwards it makes the draft from what was published.
func TestLostRevisions(t *testing.T) {
	w, git := newWorldLosing(t)
	w.mayApprove()
	w.Publish("blueprints", "web", "v1", simple())
	w.Publish("blueprints", "web", "v2", settingsOf("1", "of 2"))
	w.Apply(newVariant("web", plain, automatic))
	c := w.start()
	w.expectCondition("web", v1alpha1.ConditionApproved, "True", "Published")
	w.quiet(c)
	hidden := "tags/web/"
	git.hidden.Store(&hidden)
	w.readAnew("edge")
	w.Eventually("Porch does not find the revision", func() error {
		_, err := w.GetRevision("edge.web.packagevariant-1")
		switch {
		case err == nil:
			err = fmt.Errorf("it does")
		case apierrors.IsNotFound(err):
			return nil
		}
		return err
	})
	w.Apply(newVariant("web", plain, automatic, revision(2)))
	w.WaitReason("web", "RepositoryNotReady")
	if err := w.noDrafts("web"); err != nil {
		t.Error(err)
	}
	git.hidden.Store(nil)
	w.readAnew("edge")
	w.waitTarget("web", "edge.web.packagevariant-2")
	w.expectCondition("web", v1alpha1.ConditionApproved, "True", "Published")
	w.expectStates("web", map[string]state{"packagevariant-1": {isPublished, 1}, "packagevariant-2": {isPublished, 1}})
}

// TestNameNotUsedTwice has a person delete drafts, also while the variant is suspended: each new draft gets a new
// number.
func TestNameNotUsedTwice(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newVariant("web", plain))
	w.start()
	w.Delete(w.Revision(w.target("web")))
	w.waitTarget("web", "edge.web.packagevariant-2")
	w.Apply(newVariant("web", plain, suspended))
	w.Ready("web")
	w.Delete(w.Revision("edge.web.packagevariant-2"))
	w.WaitReason("web", "Suspended")
	w.Apply(newVariant("web", plain))
	w.waitTarget("web", "edge.web.packagevariant-3")
	w.expectDrafts("web", "edge.web.packagevariant-3")
}
