// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"slices"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
)

func historyLimit(n int32) func(*variant.Spec) {
	return func(s *variant.Spec) { s.RevisionHistoryLimit = &n }
}

func dependsOn(dependencies ...variant.Dependency) func(*variant.Spec) {
	return func(s *variant.Spec) { s.DependsOn = dependencies }
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
