// SPDX-License-Identifier: Apache-2.0

package fairqueue

import (
	"testing"
	"time"
)

// TestLimiter checks that what fails is retried less and less often, and a first failure after a success soon again.
func TestLimiter(t *testing.T) {
	t.Parallel()
	l, item := NewLimiter(), request("a/1")
	for failures := range 40 {
		want := min(250*time.Millisecond<<min(failures, 20), 5*time.Minute)
		if got := l.When(item); got != want {
			t.Errorf("after %d failures: %s, want %s", failures+1, got, want)
		}
	}
	l.Forget(item)
	if got := l.When(item); got != FirstRetry {
		t.Errorf("after a success: %s, want %s", got, FirstRetry)
	}
}
