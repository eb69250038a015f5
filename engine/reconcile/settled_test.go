// SPDX-License-Identifier: Apache-2.0

package reconcile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/memory"
)

// TestOtherHash checks that a variant whose hash an earlier version of the controller computed otherwise is looked at
// once, which writes to no package.
func TestOtherHash(t *testing.T) {
	t.Parallel()
	for cache, git := range caches {
		c := begin(t, git)
		c.applies()
		c.Run()
		c.Publishes(first)
		c.Run()
		settled := c.variants()[0].Status.ObservedInputs
		c.remembers(func(status *v1alpha1.PackageVariantStatus) {
			status.ObservedInputs = "000000000000/" + strings.Repeat("0", 32)
		})
		c.Writes()
		c.Written = nil
		c.Start()
		c.Run()
		if got := c.variants()[0].Status.ObservedInputs; got != settled {
			t.Errorf("%s: observed inputs %q, want %q", cache, got, settled)
		}
		want := []memory.Write{{Verb: "patch", Resource: "packagevariants", Subresource: "status", Name: "web"}}
		if diff := cmp.Diff(want, c.Written); diff != "" {
			t.Errorf("%s: writes, -want +got:\n%s", cache, diff)
		}
	}
}
