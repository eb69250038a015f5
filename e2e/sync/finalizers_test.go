// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestForeignFinalizer deletes a variant that another program holds by a finalizer of its own: the controller does its
// part, and waits without doing more. Another variant is made meanwhile.
func TestForeignFinalizer(t *testing.T) {
	const foreign = "example.com/hold"
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newVariant("web", plain))
	c := w.start()
	w.target("web")
	w.kubectl("patch", "packagevariant", "web", "--namespace", w.Namespace, "--type=json",
		`--patch=[{"op": "add", "path": "/metadata/finalizers/-", "value": "`+foreign+`"}]`)
	w.Delete(newVariant("web", plain))
	w.Eventually("the controller lets go of the variant", func() error {
		if diff := cmp.Diff([]string{foreign}, w.Variant("web").Finalizers); diff != "" {
			return fmt.Errorf("finalizers (-want +got):\n%s", diff)
		}
		return nil
	})
	w.expectDrafts("web")
	w.quiet(c)
	w.Apply(newVariant("other", plain))
	w.target("other")
	w.expectDrafts("web")
	w.kubectl("patch", "packagevariant", "web", "--namespace", w.Namespace, "--type=json",
		`--patch=[{"op": "remove", "path": "/metadata/finalizers"}]`)
	w.waitGone("web")
}
