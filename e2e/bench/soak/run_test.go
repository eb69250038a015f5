// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"testing"
	"time"

	"github.com/package-variants/package-variants/e2e/bench/report"
	"github.com/package-variants/package-variants/e2e/bench/simulation"
)

// TestMeasure holds that a small fleet that changes for a short time is right after each change and in the end, and
// that all is measured.
func TestMeasure(t *testing.T) {
	var run report.Run
	const ms = time.Millisecond
	err := Measure(t.Context(), Options{
		Variants: 200, For: 15 * time.Second, Rate: 8, Seed: 1,
		Latencies: simulation.Latencies{Create: 5 * ms, Save: 5 * ms, Read: ms}, Log: t.Output(),
	}, &run)
	if err != nil {
		t.Fatal(err)
	}
	s := run.Soak
	for _, k := range s.Kinds {
		t.Logf("%+v", k)
	}
	if s.Wrong != 0 || s.All.Wrong != 0 {
		t.Errorf("%d changes were not right, %v; in the end %d variants, %s", s.All.Wrong, s.Faults, s.Wrong, s.Fault)
	}
}
