// SPDX-License-Identifier: Apache-2.0

package ttlcache

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// reads counts how often each key is read, and returns what is read: the key and the count.
type reads map[string]int

func (r reads) get(t *testing.T, v *Values[string], key string) string {
	t.Helper()
	got, err := v.Get(key, func() (string, error) {
		r[key]++
		return fmt.Sprint(key, r[key]), nil
	})
	if err != nil {
		t.Errorf("%s: %v", key, err)
	}
	return got
}

func TestValues(t *testing.T) {
	t.Parallel()
	v, r := New[string](2, time.Minute), reads{}
	for i, c := range []struct{ key, want string }{
		{"a", "a1"}, {"a", "a1"}, // kept
		{"b", "b1"}, {"a", "a1"},
		{"c", "c1"},              // in the place of b, which was asked for the longest ago
		{"a", "a1"}, {"b", "b2"}, // read again
	} {
		if got := r.get(t, v, c.key); got != c.want {
			t.Errorf("step %d: got %s, want %s", i+1, got, c.want)
		}
	}
}

func TestKeptForATime(t *testing.T) {
	t.Parallel()
	v, r := New[string](2, 50*time.Millisecond), reads{}
	if got := r.get(t, v, "a"); got != "a1" {
		t.Errorf("got %s", got)
	}
	time.Sleep(100 * time.Millisecond)
	if got := r.get(t, v, "a"); got != "a2" {
		t.Errorf("after its time: got %s", got)
	}
}

// TestErrorsAreNotKept checks that a reading that failed is done again, and that a zero value is a value.
func TestErrorsAreNotKept(t *testing.T) {
	t.Parallel()
	v, boom := New[map[string]any](2, time.Minute), errors.New("boom")
	got, err := v.Get("a", func() (map[string]any, error) { return map[string]any{"half": "read"}, boom })
	if !errors.Is(err, boom) || got != nil {
		t.Errorf("got %v, error %v", got, err)
	}
	calls := 0
	for range 2 {
		got, err = v.Get("a", func() (map[string]any, error) { calls++; return nil, nil })
		if err != nil || got != nil {
			t.Errorf("got %v, error %v", got, err)
		}
	}
	if calls != 1 {
		t.Errorf("%d reads, want 1", calls)
	}
}

// TestAtOnce has many ask for one value that nobody has read before: one reads it for all.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v, proceed := New[int](2, time.Minute), make(chan struct{})
		var calls, answers atomic.Int32
		for range 10 {
			go func() {
				got, err := v.Get("a", func() (int, error) {
					<-proceed
					return int(calls.Add(1)), nil
				})
				if got == 1 && err == nil {
					answers.Add(1)
				}
			}()
		}
		synctest.Wait()
		if got, err := v.Get("b", func() (int, error) { return 7, nil }); got != 7 || err != nil {
			t.Errorf("another key waits: %d, %v", got, err)
		}
		close(proceed)
		synctest.Wait()
		if calls.Load() != 1 || answers.Load() != 10 {
			t.Errorf("%d reads for %d answers", calls.Load(), answers.Load())
		}
	})
}

// TestSlow has a value read for longer than callers are held: each gets an error that says so, the first after the time
// for which it may be held, later ones at once; other keys are read meanwhile, and a caller that comes back, even late,
// gets the value, which was read once.
func TestSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := New[string](2, time.Minute)
		calls := 0
		slow := func() (string, error) { calls++; time.Sleep(time.Minute); return "slow", nil }
		for i, want := range []time.Duration{patience, 0, 0} {
			asked := time.Now()
			got, err := v.Get("a", slow)
			if got != "" || !errors.Is(err, context.DeadlineExceeded) ||
				err.Error() != "no answer yet after 10s: context deadline exceeded" {
				t.Errorf("caller %d got %q, error %v", i+1, got, err)
			}
			if held := time.Since(asked); held != want {
				t.Errorf("caller %d was held for %s, want %s", i+1, held, want)
			}
			time.Sleep(time.Second)
		}
		if got, err := v.Get("b", func() (string, error) { return "quick", nil }); got != "quick" || err != nil {
			t.Errorf("another key: %q, error %v", got, err)
		}
		time.Sleep(6 * time.Minute) // the longest time after which it is tried again
		if got, err := v.Get("a", slow); got != "slow" || err != nil || calls != 1 {
			t.Errorf("who comes back gets %q, error %v, by %d readings", got, err, calls)
		}
		boom := errors.New("boom")
		if _, err := v.Get("c", func() (string, error) {
			time.Sleep(2 * patience)
			return "", boom
		}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		time.Sleep(2 * patience)
		if got, err := v.Get("c", func() (string, error) { time.Sleep(patience / 2); return "at last", nil }); got != "at last" {
			t.Errorf("after a slow failure: %q, error %v", got, err)
		}
	})
}
