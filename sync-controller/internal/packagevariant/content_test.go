// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/decide"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/revision"
)

// TestCurrentFails checks that a revision stays known if Porch does not answer when it is asked for it again.
func TestCurrentFails(t *testing.T) {
	t.Parallel()
	draft := revision.Revision{Namespace: namespace, Name: "edge.web.v1", Lifecycle: revision.Draft, Version: "v1.1"}
	o := observed()
	o.Input = decide.Input{Upstream: &revision.Revision{}, Revisions: []revision.Revision{draft}}
	r := &Reconciler{porch: porch.Client{Reader: &contentsOf{}}} // which gives contents in another version, and nothing else
	if _, err := r.current(t.Context(), o, draft.Name); err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff([]revision.Revision{draft}, o.Revisions); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
