// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestBegun checks for how long a step that was begun goes on when its process is asked to stop.
func TestBegun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		step, end := begun(ctx)
		defer end()
		stop()
		time.Sleep(Grace - 1)
		if synctest.Wait(); step.Err() != nil {
			t.Error("it gives up at once")
		}
		time.Sleep(time.Nanosecond)
		if synctest.Wait(); step.Err() == nil {
			t.Error("it does not stop")
		}
	})
}
