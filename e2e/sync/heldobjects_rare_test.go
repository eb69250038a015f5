// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/proxy"
	"github.com/package-variants/package-variants/e2e/stack"
)

// holdObject has another program hold an object by a finalizer that never goes.
func (w *world) holdObject(kind, name string) {
	w.t.Helper()
	w.kubectl("patch", kind, name, "--namespace", w.Namespace, "--type=merge",
		`--patch={"metadata": {"finalizers": ["example.com/hold"]}}`)
}

// TestHeldDraftAndSet deletes a variant whose draft another program holds by a finalizer that never goes, and a set that
// is held so: the controller comes to rest, and makes another variant meanwhile.
func TestHeldDraftAndSet(t *testing.T) {
	rare(t)
	const draft = "edge.web.packagevariant-1"
	w := newWorld(t)
	w.prods("edge-1")
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newVariant("web", plain), simpleSet(t, "", ""))
	c := w.start()
	w.target("web")
	w.expectSet("VariantsReady", [3]int32{1, 1, 1}, "edge-1/web", "edge/web")
	w.holdObject("packagerevisions.porch.kpt.dev", draft)
	w.holdObject("packagevariantset", "fleet")
	w.proxy.Reset()
	w.Delete(newVariant("web", plain))
	w.Delete(w.set())
	w.waitGone("web")
	if w.set().DeletionTimestamp == nil {
		t.Error("the set is not held")
	}
	// With the CR cache, Porch v1.5 may lose the finalizer: a list writes back the metadata that it has read before.
	if w.stack.Cache() == stack.DBCache && w.Revision(draft).DeletionTimestamp == nil {
		t.Error("the draft is not held")
	}
	w.Fleet.Apply(newVariant("other", plain))
	w.target("other")
	w.quiet(c)
	isDelete := func(r proxy.Request) bool { return r.Verb == "delete" && r.Resource == "packagerevisions" }
	if n := proxy.Count(w.proxy.Requests(), isDelete); n != 1 {
		t.Errorf("Porch was asked %d times to delete the draft, want once", n)
	}
	w.unhold(draft)
}

// unhold takes the finalizers off a draft that is being deleted, if it is still there, and waits until it is gone.
func (w *world) unhold(draft string) {
	w.t.Helper()
	w.Eventually(draft+" is gone once nothing holds it", func() error {
		out, _ := w.stack.Kubectl(w.t.Context(), "patch", "packagerevisions.porch.kpt.dev", draft, "--namespace", w.Namespace,
			"--type=merge", `--patch={"metadata": {"finalizers": null}}`)
		if strings.Contains(out, "not found") {
			return nil
		}
		return fmt.Errorf("it is there: %s", out)
	})
}
