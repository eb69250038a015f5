// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
)

// TestHistoryTakenBack has a person reject a deletion that the limit has proposed: the decision is theirs.
func TestHistoryTakenBack(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	w.Publish("blueprints", "web", "v1", simple())
	c := w.start()
	w.history("web", 3)
	w.Apply(w.limited("web", 3, 2))
	w.waitLifecycle("edge.web.packagevariant-1", isDeletion)
	w.cameTrue()
	w.quiet(c)
	w.Reject("edge.web.packagevariant-1")
	w.neverIs("edge.web.packagevariant-1", isDeletion)
}

// history publishes revisions 1 to n of a variant without a limit.
func (w *world) history(name string, n int) {
	w.t.Helper()
	for i := 1; i <= n; i++ {
		pv := w.limited(name, i, 0)
		pv.Spec.RevisionHistoryLimit = nil
		w.Apply(pv)
		w.waitLifecycle(fmt.Sprintf("edge.%s.packagevariant-%d", name, i), isPublished)
		w.seesPublished(name)
	}
}

// limited is the variant of history after its last revision, with a limit.
func (w *world) limited(name string, last int, limit int32) *v1alpha1.PackageVariant {
	return newVariant(name, contextOnly, automatic, historyLimit(limit), func(s *variant.Spec) {
		s.PackageContext.Data["n"] = fmt.Sprint("n", last)
	})
}

// TestHistoryOfDraft has a person make a draft of the package from an old revision, by an edit.
func TestHistoryOfDraft(t *testing.T) {
	w := newWorld(t)
	w.mayApprove()
	w.Publish("blueprints", "web", "v1", simple())
	c := w.start()
	w.history("web", 3)
	draft := &porchapi.PackageRevision{}
	draft.Namespace = w.Namespace
	draft.Spec = porchapi.PackageRevisionSpec{RepositoryName: "edge", PackageName: "web", WorkspaceName: "mine",
		Lifecycle: isDraft, Tasks: []porchapi.Task{{Type: porchapi.TaskTypeEdit, Edit: &porchapi.PackageEditTaskSpec{
			Source: &porchapi.PackageRevisionRef{Name: "edge.web.packagevariant-1"}}}}}
	w.Eventually("the draft is made", func() error { return w.Client.Create(t.Context(), draft) })
	w.quiet(c)
	w.Apply(w.limited("web", 3, 1))
	w.waitRetired("web", "edge.web.packagevariant-2")
	w.cameTrue()
	w.neverIs("edge.web.packagevariant-1", isDeletion)
}
