// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
)

// TestCutWatches cuts all watches several times while objects change. It does so in few rounds: after each cut in a row
// a client waits longer before it watches again, up to half a minute.
func TestCutWatches(t *testing.T) {
	rare(t)
	w := newWorld(t)
	var cut atomic.Int64
	w.live(func() {
		w.start()
		ctx, done := context.WithCancel(t.Context())
		var ended sync.WaitGroup
		ended.Go(func() {
			for round := 0; round < 12 && ctx.Err() == nil; round++ {
				select {
				case <-ctx.Done():
				case <-time.After(1500 * time.Millisecond):
					cut.Add(int64(w.proxy.CutWatches(func(proxy.Request) bool { return true })))
				}
			}
		})
		t.Cleanup(func() { done(); ended.Wait() })
	})
	w.changeUntil(&cut, 10) // a fast Porch has done all before that
	w.expectNoLoop()
}

// changeUntil changes another variant after each cut until so many watches are cut, and then deletes it.
func (w *world) changeUntil(cut *atomic.Int64, enough int64) {
	w.t.Helper()
	i := 0
	for ; cut.Load() < enough; i++ {
		before := cut.Load()
		w.Eventually("watches are cut once more", func() error {
			if cut.Load() == before {
				return errors.New("they are not")
			}
			return nil
		})
		zone := fmt.Sprint("after-", i)
		w.Apply(newVariant("later", contextOnly, func(s *variant.Spec) { s.PackageContext.Data["zone"] = zone }))
		w.waitFile("edge.later.packagevariant-1", "package-context.yaml", "zone: "+zone)
	}
	if i > 0 {
		w.Delete(w.Variant("later"))
		w.waitGone("later")
	}
}
