// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/proxy"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// isProposal reports whether a request proposes a draft.
func isProposal(r proxy.Request) bool {
	return r.Resource == "packagerevisions" && r.Subresource == "" && r.Verb == "patch"
}

// refuseApprovals makes Porch refuse to publish as long as the returned value is true.
func (w *world) refuseApprovals() *atomic.Bool {
	var refuse atomic.Bool
	refuse.Store(true)
	w.proxy.Handle(func(r proxy.Request, phase proxy.Phase) *metav1.Status {
		if phase == proxy.Before && isApproval(r) && refuse.Load() {
			return &metav1.Status{Code: http.StatusInternalServerError, Reason: metav1.StatusReasonInternalError, Message: "git says no"}
		}
		return nil
	})
	return &refuse
}

// proposed returns a world in which the controller has proposed the draft of the variant web and cannot publish it, as
// long as refuse is true.
func proposed(t *testing.T) (w *world, c *controller.Process, refuse *atomic.Bool) {
	t.Helper()
	w = newWorld(t)
	w.mayApprove()
	w.Publish("blueprints", "web", "v1", simple())
	refuse = w.refuseApprovals()
	w.Apply(newVariant("web", contextOnly, automatic))
	c = w.start()
	w.waitApproved("web", "ApprovalFailed")
	w.waitLifecycle("edge.web.packagevariant-1", isProposed)
	return w, c, refuse
}
