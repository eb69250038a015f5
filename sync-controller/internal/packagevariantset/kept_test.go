// SPDX-License-Identifier: Apache-2.0

package packagevariantset

import (
	"testing"
	"testing/synctest"

	"github.com/go-logr/logr"
	"github.com/package-variants/package-variants/sync-controller/internal/queue/fairqueue"
	"github.com/package-variants/package-variants/sync-controller/internal/queue/inhand"
)

// TestKept has a set wait before its expansion until there is memory for the result, and free it after its variants are
// written, or after the expansion has failed.
func TestKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t)
		const all = 1 << 40
		ledger := inhand.Open("", fairqueue.NewShare(4, 4<<10), logr.Discard()) // even the result of two variants is large
		f.reconciler.inHand = ledger
		f.sites("env=prod", "edge-1", "edge-2")
		f.applies(latest, prods)
		free, done := ledger.Keep(all), false
		go func() {
			f.reconcile("fleet")
			done = true
		}()
		synctest.Wait()
		if done || len(f.made()) > 0 {
			t.Error("the set is expanded, and its result has no memory")
		}
		free()
		synctest.Wait()
		if got := len(f.made()); got != 2 {
			t.Errorf("%d variants were made, want 2", got)
		}
		ledger.Keep(all)() // nothing is kept any more, or it would wait for ever
		f.reconciler.runtime = unavailable{}
		f.sites("env=prod", "edge-3")
		f.reconcile("fleet")
		if f.Errs["fleet"] == nil {
			t.Error("the expansion has not failed")
		}
		ledger.Keep(all)()
	})
}
