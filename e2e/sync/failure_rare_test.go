// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"testing"
	"time"
)

// TestPorchDown stops Porch for a while, in which objects change. The controller does not retry in a loop.
func TestPorchDown(t *testing.T) {
	rare(t)
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), newVariant("web"))
	c := w.start()
	draft := w.target("web")
	w.proxy.SetDown("porch.kpt.dev", true)
	w.Apply(configMap("eu", map[string]string{"api": "eu-2"}), newVariant("shop"))
	message := w.message("web", "PorchUnavailable")
	t.Log(message)
	w.WaitReason("shop", "PorchUnavailable")
	select {
	case <-c.Ended():
		t.Fatal("the controller has ended")
	case <-time.After(12 * time.Second): // long enough for a second retry
	}
	w.proxy.SetDown("porch.kpt.dev", false)
	w.waitFile(draft, "region.yaml", "api: eu-2")
	w.Ready("web")
	w.target("shop")
	w.expectDrafts("web", draft)
	// The controller also sees what changed meanwhile: it watches again.
	w.proxy.SetDown("porch.kpt.dev", true)
	w.Delete(w.Revision(draft))
	w.proxy.SetDown("porch.kpt.dev", false)
	w.waitOneDraft("web")
	w.Ready("web")
	w.expectNoLoop()
}
