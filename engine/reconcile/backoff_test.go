// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// TestBackoff checks that a variant which failed waits until it is time to try again, for longer after each failure in a
// row, unless its inputs change.
func TestBackoff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, web := newBackoffs(time.Now), types.NamespacedName{Namespace: namespace, Name: "web"}
		expect := func(what, inputs string, want time.Duration) {
			t.Helper()
			if got := f.wait(web, inputs); got != want {
				t.Errorf("%s: it waits for %s, want %s", what, got, want)
			}
		}
		expect("nothing failed", "x", 0)
		f.add(web, "x")
		expect("it failed", "x", firstBackoff)
		expect("its inputs have changed", "y", 0)
		time.Sleep(firstBackoff)
		expect("its time has come", "x", 0)
		f.add(web, "y")
		expect("it failed twice", "y", 2*firstBackoff)
		f.end(web)
		expect("it did not fail", "y", 0)
		f.add(web, "y")
		expect("it failed again", "y", firstBackoff)
	})
}
