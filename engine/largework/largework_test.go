// SPDX-License-Identifier: Apache-2.0

package largework

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestDo checks that one large piece of work is done at a time, whoever asks for it, that small work waits for none, and
// that work which panics makes room for others.
func TestDo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := New()
		began, ended := time.Now(), make(chan time.Duration, 4)
		second := func() {
			time.Sleep(time.Second)
			ended <- time.Since(began)
		}
		for range 3 {
			go func() { _ = l.Do(t.Context(), Large+1, second) }()
		}
		synctest.Wait()
		if err := l.Do(t.Context(), Large, second); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Minute)
		var got []time.Duration
		for range cap(ended) {
			got = append(got, <-ended)
		}
		want := []time.Duration{time.Second, time.Second, 2 * time.Second, 3 * time.Second}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		func() {
			defer func() { _ = recover() }()
			_ = l.Do(t.Context(), Large+1, func() { panic("boom") })
		}()
		for _, l := range []*Limit{l, nil} {
			done := false
			if err := l.Do(t.Context(), Large+1, func() { done = true }); err != nil || !done {
				t.Errorf("done: %t, error %v", done, err)
			}
		}
	})
}

// TestDoCalling checks that other work is done while work waits for an answer, that it goes on alone after it, and that
// no more than two pieces of such work are begun.
func TestDoCalling(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, answer := New(), make(chan struct{})
		var begun, answered atomic.Int32
		for range 3 {
			go func() {
				_ = l.DoCalling(t.Context(), Large+1, func(ctx context.Context) {
					begun.Add(1)
					Outside(ctx, func() { <-answer })
					answered.Add(1)
					time.Sleep(time.Second)
				})
			}()
		}
		synctest.Wait()
		computed := false
		if err := l.Do(t.Context(), Large+1, func() { computed = true }); err != nil || !computed {
			t.Errorf("computed %t, error %v", computed, err)
		}
		if begun.Load() != 2 || answered.Load() != 0 {
			t.Errorf("without an answer, %d are begun, and %d go on", begun.Load(), answered.Load())
		}
		close(answer)
		time.Sleep(500 * time.Millisecond)
		if synctest.Wait(); answered.Load() != 1 {
			t.Errorf("%d go on at once", answered.Load())
		}
		time.Sleep(time.Minute)
		if answered.Load() != 3 {
			t.Errorf("%d have gone on", answered.Load())
		}
		done := false
		Outside(t.Context(), func() { done = true }) // of work that is not large
		if err := (*Limit)(nil).DoCalling(t.Context(), Large+1, func(ctx context.Context) {
			Outside(ctx, func() {})
		}); err != nil || !done {
			t.Errorf("done %t, error %v", done, err)
		}
	})
}

// TestStop checks that work which waits for other work is not done after its context has ended.
func TestStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, end := New(), make(chan struct{})
		go func() { _ = l.Do(t.Context(), Large+1, func() { <-end }) }()
		synctest.Wait()
		ctx, stop := context.WithCancel(t.Context())
		var err error
		go func() { err = l.Do(ctx, Large+1, func() { t.Error("it is done") }) }()
		synctest.Wait()
		stop()
		synctest.Wait()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v, want %v", err, context.Canceled)
		}
		close(end)
	})
}
