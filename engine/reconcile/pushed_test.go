// SPDX-License-Identifier: Apache-2.0

package reconcile_test

import (
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/memory/memorytest"
	"github.com/package-variants/package-variants/engine/revision"
	"k8s.io/apimachinery/pkg/api/meta"
)

// TestPushedWhileProposed has the package show up on the branch once the controller has proposed its draft: it approves
// the draft if these are its own files, which Porch pushes before it reports that, and no other files.
func TestPushedWhileProposed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		pushed    func(*cluster) map[string]string
		lifecycle revision.Lifecycle
		approved  string
	}{
		"by Porch":  {func(c *cluster) map[string]string { return c.FilesOf(first) }, "Published", "Published"},
		"by people": {func(*cluster) map[string]string { return files("mine") }, "Proposed", "DownstreamExists"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, true)
			c.repositories("blueprints", "edge")
			c.blueprint(1, files("red"))
			c.applies()
			c.Run()
			c.edits(func(s *variant.Spec) { s.ApprovalPolicy = variant.ApprovalPolicyAutomatic })
			c.Then = func(memorytest.Call) {
				if c.Revision(first).Lifecycle == revision.Proposed {
					c.Then = nil
					c.has("edge", "main", -1, test.pushed(c))
				}
			}
			c.Run()
			if got := c.Revision(first).Lifecycle; got != test.lifecycle {
				t.Errorf("the draft is %s, want %s", got, test.lifecycle)
			}
			approved := meta.FindStatusCondition(c.Variant("web").Status.Conditions, v1alpha1.ConditionApproved)
			if approved == nil || approved.Reason != test.approved {
				t.Errorf("the condition Approved is %+v, want %s", approved, test.approved)
			}
		})
	}
}
