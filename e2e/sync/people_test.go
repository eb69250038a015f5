// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"sync/atomic"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
)

var automatic = approval(variant.ApprovalPolicyAutomatic)

// mine is what people write into drafts.
var mine = map[string]string{"notes.md": "mine\n"}

// settingsB returns the files of the blueprint with another b.
func settingsB(b string) map[string]string { return settingsOf("1", b) }

// contextOnly is a variant that changes the package's context and injects nothing.
func contextOnly(s *variant.Spec) { s.Injectors = nil }

// changeMeta changes the metadata of a revision, again while Porch is busy with the revision.
func (w *world) changeMeta(name string, change func(*porchapi.PackageRevision)) {
	w.t.Helper()
	w.Eventually(name+" has other metadata", func() error {
		r, err := w.GetRevision(name)
		if err != nil {
			return err
		}
		change(r)
		return w.Client.Update(w.t.Context(), r)
	})
}

// hook does something once, when the proxy sees a request.
type hook struct{ called, done atomic.Bool }

// once does it, unless it has been called before.
func (h *hook) once(do func()) {
	if h.called.CompareAndSwap(false, true) {
		do()
		h.done.Store(true)
	}
}

// hit waits until a hook has done its work.
func (w *world) hit(h *hook) {
	w.t.Helper()
	w.Eventually("the hook has done its work", func() error {
		if !h.done.Load() {
			return fmt.Errorf("it has not: called %t", h.called.Load())
		}
		return nil
	})
}
