// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"testing"
	"time"

	"github.com/package-variants/package-variants/e2e/bench/report"
	"github.com/package-variants/package-variants/e2e/stack"
)

// TestMeasure checks that a small fleet converges with the simulated Porch and both caches, with no more writes than
// needed, and that everything is measured.
func TestMeasure(t *testing.T) {
	for _, cache := range []stack.Cache{stack.CRCache, stack.DBCache} {
		t.Run(string(cache), func(t *testing.T) { testMeasure(t, cache) })
	}
}

func testMeasure(t *testing.T, cache stack.Cache) {
	t.Helper()
	const variants = 20
	var run report.Run
	err := Measure(t.Context(), Options{
		Variants: []int{variants}, Cache: cache, Latencies: Latencies{Create: time.Millisecond, Save: time.Millisecond,
			Read: time.Millisecond},
		Events: 100, Log: t.Output(),
	}, &run)
	if err != nil {
		t.Fatal(err)
	}
	points := run.On(string(cache)).Scale.Points
	if len(points) != 1 {
		t.Fatalf("measured were %+v, want one point", points)
	}
	p := points[0]
	if p.Variants != variants || p.Repositories != variants/perRepository {
		t.Errorf("%d variants in %d repositories were measured", p.Variants, p.Repositories)
	}
	for name, n := range map[string]float64{
		"peak": float64(p.PeakBytes), "heap": float64(p.HeapBytes), "memory at rest": float64(p.RestBytes),
		"time": p.ConvergeSeconds, "processor time": p.CPUSeconds, "sets' reconciles": float64(p.SetReconciles),
		"processor time of the unrelated": p.Unrelated.CPUSeconds, "of the related": p.Related.CPUSeconds,
		"of the restart":      p.Restart.CPUSeconds,
		"peak of the restart": float64(p.Restart.PeakBytes), "time of the restart": p.Restart.Seconds,
	} {
		if n <= 0 {
			t.Errorf("%s: %v", name, n)
		}
	}
	if p.Reconciles < variants || p.Requests < 4*variants {
		t.Errorf("%d reconciles with %d requests", p.Reconciles, p.Requests)
	}
	// A variant, its draft, its content and its status are written, after one read of the content.
	if p.Asked.Writes < 4*variants || p.Asked.ContentReads < variants {
		t.Errorf("%+v for %d variants, want four writes of each and one reading", *p.Asked, variants)
	}
	if a := p.Restart.Asked; a == nil || a.Writes > p.Asked.Writes/2 || a.ContentReads > p.Asked.ContentReads {
		t.Errorf("restart: %+v, want fewer than at first", a)
	}
	most := 0 // requests of a reconcile
	if cache == stack.DBCache {
		most = 2 // a draft with a new version is read
	}
	if p.Unrelated.Reconciles != 1 || p.Unrelated.Requests > most {
		t.Errorf("events about others' packages: %+v, want the one reconcile of the last event", p.Unrelated)
	}
	if p.Related.Reconciles < variants || p.Related.Requests > most*p.Related.Reconciles {
		t.Errorf("events about the variants' packages: %+v, want each reconciled, with %d requests", p.Related, most)
	}
	if p.Restart.Reconciles < variants {
		t.Errorf("restart: %+v, want each variant reconciled", p.Restart)
	}
}

// TestMeasureRefuses checks that sizes that cannot be spread over Repositories are refused.
func TestMeasureRefuses(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]string{
		15: "cannot simulate 15 variants: their number must be a multiple of 10",
		0:  "cannot simulate 0 variants: their number must be a multiple of 10",
	} {
		if err := Measure(t.Context(), Options{Variants: []int{size}}, &report.Run{}); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
