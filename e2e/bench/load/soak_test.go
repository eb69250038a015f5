// SPDX-License-Identifier: Apache-2.0

package load

import (
	"testing"
	"time"

	"github.com/package-variants/package-variants/e2e/bench/report"
	"github.com/package-variants/package-variants/e2e/stack"
)

// TestSoak checks that a small fleet that changes for a short time is right after each change and in the end, and
// that everything is measured.
func TestSoak(t *testing.T) {
	s, err := MeasureSoak(t.Context(), SoakOptions{Variants: 200, For: 15 * time.Second, Rate: 8, Seed: 1}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	if s.All.Wrong != 0 || s.Wrong != 0 || s.Checked != 200 {
		t.Errorf("%d changes were not right, %v; in the end %d variants of %d, %s", s.All.Wrong, s.Faults, s.Wrong, s.Checked,
			s.Fault)
	}
	kinds := map[string]bool{}
	for _, k := range s.Kinds {
		kinds[k.Name] = k.Changes > 0 && k.Variants >= k.Changes && k.MedianSeconds > 0 && k.MostSeconds >= k.P99Seconds
	}
	for _, name := range names {
		if !kinds[name] {
			t.Errorf("%s: nothing was measured: %+v", name, s.Kinds)
		}
	}
	if s.Seconds < 15 || s.SettleSeconds <= 0 || s.WarmUpSeconds <= 0 || s.OthersCPUSeconds < 0 {
		t.Errorf("times: %v of changes, %v of them the warm-up, %v to settle, %v of other things", s.Seconds, s.WarmUpSeconds,
			s.SettleSeconds, s.OthersCPUSeconds)
	}
	if len(s.Samples) < leastSamples {
		t.Fatalf("there are %d samples", len(s.Samples))
	}
	for _, one := range s.Samples {
		if one.HeapBytes <= 0 || one.ResidentBytes <= one.HeapBytes || one.Goroutines <= 0 || one.Descriptors <= 0 {
			t.Errorf("a sample lacks something: %+v", one)
		}
	}
	first, last := s.Samples[0], s.Samples[len(s.Samples)-1]
	if last.Seconds <= first.Seconds || last.CPUSeconds <= first.CPUSeconds || last.Requests <= first.Requests ||
		last.Reconciles <= first.Reconciles {
		t.Errorf("from %+v to %+v nothing was done", first, last)
	}
}

// TestScale checks that a small fleet becomes right with both caches, with as many drafts as there are variants, that a
// controller that is started then writes and reads nothing, and that everything is measured.
func TestScale(t *testing.T) {
	const variants = 100
	for _, cache := range []stack.Cache{stack.CRCache, stack.DBCache} {
		t.Run(string(cache), func(t *testing.T) {
			s, err := MeasureScale(t.Context(), variants, cache, t.Output())
			if err != nil {
				t.Fatal(err)
			}
			if made := s.Made.Requests; made.Drafts != variants || made.Saves != variants || made.Reads < variants {
				t.Errorf("the controller did %+v for %d variants", made, variants)
			}
			if again := s.Restart.Requests; again.Writes != 0 || again.Reads != 0 || again.All == 0 {
				t.Errorf("after a restart it did %+v", again)
			}
			for name, one := range map[string]report.Settled{"made": s.Made, "restart": s.Restart} {
				if one.Seconds <= 0 || one.CPUSeconds <= 0 || one.PeakBytes <= 0 {
					t.Errorf("%s: %+v", name, one)
				}
			}
		})
	}
}
