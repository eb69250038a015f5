// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/package-variants/package-variants/e2e/bench/report"
	"github.com/package-variants/package-variants/e2e/bench/simulation"
	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/harness"
	"github.com/package-variants/package-variants/e2e/internal/machine"
	"github.com/package-variants/package-variants/e2e/stack"
)

const (
	// glance is the interval for checking a change, settleEach for checking the fleet, which takes longer.
	glance     = 100 * time.Millisecond
	settleEach = 2 * time.Second
	// personEach is the interval at which a person checks for proposed deletions.
	personEach = 500 * time.Millisecond
	// tellEach is the interval of progress messages while the fleet settles.
	tellEach = 15 * time.Second
	// settleWithin is the time for creating the fleet, and for it to become right in the end.
	settleWithin = 40 * time.Minute
	// patience is the time after which a change counts as wrong.
	patience = 5 * time.Minute
	// warmUp is the divisor for the warm-up: the first 1/warmUp of the time does not count for growth.
	warmUp = 6
	// sampleEach is the interval of samples in a run that is long enough; leastSamples is the least number of samples in a
	// shorter one.
	sampleEach   = time.Minute
	leastSamples = 10
)

// SoakOptions say how to soak.
type SoakOptions struct {
	// Variants is how many variants there are: a multiple of a hundred.
	Variants int
	// For is how long the fleet changes, Rate the number of changes in a second.
	For  time.Duration
	Rate float64
	// Seed is that of the changes.
	Seed uint64
}

// MeasureSoak measures a fleet that changes. It needs the environment that the Makefile sets. When it returns,
// everything that it started has ended. Progress goes to log.
func MeasureSoak(ctx context.Context, o SoakOptions, log io.Writer) (result *report.Soak, err error) {
	if o.For <= 0 || o.Rate <= 0 {
		return nil, fmt.Errorf("cannot soak for %s with %v changes a second: both must be more than 0", o.For, o.Rate)
	}
	if err := possible(o.Variants); err != nil {
		return nil, err
	}
	err = harness.Run(ctx, log, func(t harness.T) { result = measureSoak(t, &o) })
	return result, err
}

func measureSoak(t harness.T, o *SoakOptions) *report.Soak {
	porch := simulation.NewPorch(simulation.Latencies{}, stack.CRCache) // without latency, to create the fleet quickly
	w := newWorld(t, porch, layout{variants: o.Variants})
	c := controller.Start(t, controller.Options{Kubeconfig: w.stack.Kubeconfig})
	c.WaitReady(t.Context())
	t.Logf("%d variants in %d repositories: the controller is process %d, its metrics are at %s", w.variants, w.sites(),
		c.PID(), c.MetricsAddress())
	result := &report.Soak{Variants: w.variants, Repositories: w.sites(), Sets: w.cells(), Seed: o.Seed, Rate: o.Rate}
	began := time.Now()
	w.make()
	result.SettleSeconds = time.Since(began).Seconds()
	t.Logf("  all are right after %.0f s", result.SettleSeconds)
	porch.Take(simulation.LatenciesOf(stack.CRCache))
	w.soak(o, c, result)
	return result
}

// make makes the variants, and publishes the packages of some.
func (w *world) make() {
	w.t.Helper()
	w.makeDrafts(settleEach)
	ctx, cancel := context.WithTimeout(w.t.Context(), settleWithin)
	defer cancel()
	err := w.preload(ctx, w.variants*publishedPercent/100)
	if err == nil {
		err = w.settle(ctx, settleEach)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.person()
}

// soak changes the fleet for a time and measures it.
func (w *world) soak(o *SoakOptions, c *controller.Process, result *report.Soak) {
	w.t.Helper()
	before, err := machine.Busy(os.Getpid())
	if err != nil {
		w.t.Fatal(err)
	}
	f := newFlow(w, o)
	s := newSampler(w, c, f, max(time.Second, min(sampleEach, o.For/leastSamples)))
	began := time.Now()
	f.run(w.t.Context(), o.For)
	result.Seconds = time.Since(began).Seconds()
	result.WarmUpSeconds = result.Seconds / warmUp
	s.stop()
	after, err := machine.Busy(os.Getpid())
	if err != nil {
		w.t.Fatal(err)
	}
	result.OthersCPUSeconds = (after - before).Seconds()
	f.wait()
	result.Samples = s.samples
	result.Kinds, result.All, result.Faults = f.outcomes.kinds()
	result.PutOff = f.later
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	_ = w.settle(ctx, settleEach) // check reports what is still wrong
	result.Checked = w.variants
	result.Wrong, result.Fault = w.check()
	if there := w.known.count(); result.Wrong == 0 && there != w.expected() {
		result.Wrong, result.Fault = 1, fmt.Sprintf("there are %d variants, not %d", there, w.expected())
	}
	if s.failed != nil {
		w.t.Errorf("cannot look at the controller: %v", s.failed)
	}
	w.t.Logf("  %d changes, %d not right; in the end %d variants are wrong %s", result.All.Changes, result.All.Wrong,
		result.Wrong, result.Fault)
}

// expected returns how many variants must exist.
func (w *world) expected() int {
	_, away := w.counts()
	return w.variants - away*(perSite-1)
}
