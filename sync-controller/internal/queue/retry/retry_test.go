// SPDX-License-Identifier: Apache-2.0

package retry

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

const first = 250 * time.Millisecond

// TestWhen checks that the time until an item is tried again doubles up to Last, that it is never less than half of
// that, and that items count by themselves.
func TestWhen(t *testing.T) {
	t.Parallel()
	l := New[string](first)
	for failures := range 40 {
		most := min(first<<min(failures, 30), Last)
		if got := l.When("a"); got > most || got < most/2 {
			t.Errorf("after %d failures: %s, want between %s and %s", failures+1, got, most/2, most)
		}
	}
	if got := l.When("b"); got > first {
		t.Errorf("the first failure of another: %s, want at most %s", got, first)
	}
	l.Forget("a")
	if got := l.When("a"); got > first {
		t.Errorf("the first failure after a success: %s, want at most %s", got, first)
	}
	if got := l.NumRequeues("a"); got != 1 {
		t.Errorf("%d failures, want 1", got)
	}
}

// TestSpread lets a thousand items fail at once, ten times, and holds that they do not come back at once: in no
// twentieth of the time over which they are spread are more than twice as many as in the mean.
func TestSpread(t *testing.T) {
	t.Parallel()
	const items, parts = 1000, 20
	l := New[int](first)
	for failures := range 10 {
		most := first << failures
		in := map[int]int{}
		for i := range items {
			in[int(parts*(l.When(i)-most/2)/(most/2))]++
		}
		for part, n := range in {
			if n > 2*items/parts {
				t.Errorf("failure %d: %d of %d items come back in part %d of %d", failures+1, n, items, part, parts)
			}
		}
	}
}

// TestSetRetryAfter checks that an item waits for as long as a server asks for, once, and no longer than Last.
func TestSetRetryAfter(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err         error
		least, most time.Duration
	}{
		"nothing is asked for":  {errors.New("boom"), 0, first},
		"no error":              {nil, 0, first},
		"a server is busy":      {apierrors.NewTooManyRequests("busy", 20), 20 * time.Second, 30 * time.Second},
		"it is wrapped":         {fmt.Errorf("no: %w", apierrors.NewTooManyRequests("busy", 20)), 20 * time.Second, 30 * time.Second},
		"a day":                 {apierrors.NewTooManyRequests("busy", 86400), Last, Last},
		"more than there is":    {apierrors.NewTooManyRequests("busy", 1<<31-1), Last, Last},
		"less than nothing":     {apierrors.NewTooManyRequests("busy", -5), 0, first},
		"a timeout that asks":   {apierrors.NewTimeoutError("slow", 3), 3 * time.Second, 4500 * time.Millisecond},
		"a timeout without one": {apierrors.NewTimeoutError("slow", 0), 0, first},
	} {
		l := New[string](first)
		l.SetRetryAfter("a", c.err)
		if got := l.When("b"); got > first {
			t.Errorf("%s: another item waits %s", name, got)
		}
		if got := l.When("a"); got < c.least || got > c.most {
			t.Errorf("%s: %s, want between %s and %s", name, got, c.least, c.most)
		}
		if got := l.When("a"); got > 2*first {
			t.Errorf("%s: the next time it waits %s, want at most %s", name, got, 2*first)
		}
		l.SetRetryAfter("a", c.err)
		l.Forget("a")
		if got := l.When("a"); got > first {
			t.Errorf("%s: after a success it waits %s, want at most %s", name, got, first)
		}
	}
}

// TestHeld checks that an item which failed waits until its time comes, even if it is woken, unless its inputs change
// or it is released; and that the work queue, which forgets what is put off, does not make its next failure the first.
func TestHeld(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := New[string](first)
		expect := func(what, inputs string, want time.Duration) {
			t.Helper()
			if got := l.Held("a", inputs); got != want {
				t.Errorf("%s: it waits for %s, want %s", what, got, want)
			}
		}
		expect("nothing failed", "x", 0)
		l.Hold("a", "x")
		wait := l.When("a")
		if wait < 4*first || wait > 8*first {
			t.Errorf("after a failure: %s, want between %s and %s", wait, 4*first, 8*first)
		}
		expect("it failed", "x", wait)
		expect("its inputs have changed", "y", 0)
		l.Forget("a")
		time.Sleep(wait)
		expect("its time has come", "x", 0)
		l.Hold("a", "x")
		if again := l.When("a"); again < 8*first || again > 16*first {
			t.Errorf("after two failures: %s, want between %s and %s", again, 8*first, 16*first)
		}
		l.Release("a")
		expect("it is released", "x", 0)
		l.Forget("a")
		if again := l.When("a"); again > first {
			t.Errorf("after a success: %s, want at most %s", again, first)
		}
	})
}
