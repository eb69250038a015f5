// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"testing"

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

// TestLostDraft has Porch lose sight of an open draft that nobody has edited. In the end there is one draft, which has
// the same name and files and is the variant's.
func TestLostDraft(t *testing.T) {
	w, git := newWorldBehind(t)
	if w.stack.Cache() == stack.DBCache {
		t.Skip("drafts are in the database, which does not lose sight of them")
	}
	if w.stack.Foreign() {
		t.Skip("newer Porch's API server does not look for branches that others have pushed or removed")
	}
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), newVariant("web"))
	c := w.start()
	draft := w.target("web")
	w.quiet(c)
	before := w.Files(draft)
	w.loseSight(git, "heads/drafts/web/", draft)
	w.waitTarget("web", draft)
	w.quiet(c) // it has not ended
	w.Eventually(draft+" is the variant's", func() error { return w.ownedBy(draft, "web") })
	w.expectDrafts("web", draft)
	if diff := cmp.Diff(before, w.Files(draft)); diff != "" {
		t.Errorf("the draft has changed (-before +after):\n%s", diff)
	}
}
