// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/package-variants/package-variants/e2e/bench/report"
	"github.com/package-variants/package-variants/e2e/internal/harness"
	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/e2e/stack/stacktest"
)

// Options say what to simulate.
type Options struct {
	// Variants are the sizes of the fleets, multiples of ten.
	Variants []int
	// Cache is Porch's cache, and Latencies are Porch's latencies with it.
	Cache     stack.Cache
	Latencies Latencies
	// Concurrency is how many variants the controller works on at once; 0 is its default.
	Concurrency int
	// Events is how many events there are in a burst.
	Events int
	// Settle is the idle time before the controller's memory at rest is read.
	Settle time.Duration
	// Log gets progress messages.
	Log io.Writer
}

// Measure measures the controller with fleets of each size, each in its own cluster, and adds the results to run. It
// needs the environment that the Makefile sets. When it returns, everything that it started has ended.
func Measure(ctx context.Context, o Options, run *report.Run) error {
	scale := &report.Scale{Latencies: o.Latencies.Report()}
	for _, variants := range o.Variants {
		if variants <= 0 || variants%perRepository != 0 {
			return fmt.Errorf("cannot simulate %d variants: their number must be a multiple of %d", variants, perRepository)
		}
		var point report.ScalePoint
		if err := harness.Run(ctx, o.Log, func(t harness.T) { point = measure(t, &o, variants) }); err != nil {
			return fmt.Errorf("%d variants: %w", variants, err)
		}
		scale.Points = append(scale.Points, point)
	}
	run.On(string(o.Cache)).Scale = scale
	return nil
}

// measure measures the controller with one fleet: while its sets are applied, in bursts of events, and after a restart.
func measure(t harness.T, o *Options, variants int) report.ScalePoint {
	porch := NewPorch(o.Latencies, o.Cache)
	s := stacktest.Start(t, stack.Options{PorchAPI: porch})
	if err := s.InstallVariants(t.Context()); err != nil {
		t.Fatal(err)
	}
	f, err := newFleet(s.Config, porch, variants, perRepository)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.prepare(t.Context()); err != nil {
		t.Fatalf("cannot prepare the fleet: %v", err)
	}
	t.Logf("%d variants in %d repositories, %s cache", variants, f.repositories(), o.Cache)
	c := start(t, s.Kubeconfig, o.Concurrency)
	c.drain(0)
	point := report.ScalePoint{Variants: variants, Repositories: f.repositories()}
	c.converge(o, f, &point)
	t.Logf("  ready after %.1f s and %.1f s of processor time; memory %d MB at most", point.ConvergeSeconds,
		point.CPUSeconds, point.PeakBytes>>20)
	point.Unrelated = c.burst(f, o.Events, f.strangers(), 1)
	point.Related = c.burst(f, o.Events, f.drafts(firstWorkspace), min(variants, o.Events))
	t.Logf("  %.0f events a second about others' packages, %.0f about the variants'", point.Unrelated.PerSecond(),
		point.Related.PerSecond())
	c.Stop()
	asked := c.asking(f)
	point.Restart = start(t, s.Kubeconfig, o.Concurrency).restart(variants)
	point.Restart.Asked = asked()
	t.Logf("  restarted: %.1f s, %.1f s of processor time; %d contents read, %d writes", point.Restart.Seconds,
		point.Restart.CPUSeconds, point.Restart.Asked.ContentReads, point.Restart.Asked.Writes)
	return point
}

// converge applies the sets and measures the controller until they say that all variants are ready, and then at rest.
// The drafts must be what the variants ask for.
func (c *observed) converge(o *Options, f *fleet, point *report.ScalePoint) {
	c.t.Helper()
	asked := c.asking(f)
	before, began := c.usage(), time.Now()
	if err := f.apply(c.t.Context(), "set.yaml"); err != nil {
		c.t.Fatalf("cannot apply the sets: %v", err)
	}
	for ready := 0; ready < f.variants; {
		select {
		case <-c.t.Context().Done():
		case <-time.After(glance):
		}
		var err error
		if ready, err = f.ready(c.t.Context()); err != nil {
			c.t.Fatalf("cannot see whether the sets are ready: %v", err)
		}
	}
	point.ConvergeSeconds = time.Since(began).Seconds()
	done := c.usage()
	if err := f.check(firstWorkspace, firstImage); err != nil {
		c.t.Fatal(err)
	}
	point.CPUSeconds = done.cpuSeconds - before.cpuSeconds
	point.Reconciles, point.SetReconciles = done.reconciles-before.reconciles, done.setReconciles-before.setReconciles
	point.Requests = done.requests - before.requests
	point.Asked = asked()
	point.Asked.Writes -= f.sets() // which apply wrote
	c.drain(0)
	time.Sleep(o.Settle)
	rest := c.usage()
	point.PeakBytes, point.HeapBytes, point.RestBytes = rest.peakBytes, rest.heapBytes, rest.residentBytes
}

// asking returns a function that returns the requests since now.
func (c *observed) asking(f *fleet) func() *report.Asked {
	c.t.Helper()
	ask := func() report.Asked {
		asked, err := f.asked(c.t.Context())
		if err != nil {
			c.t.Fatal(err)
		}
		return asked
	}
	before := ask()
	return func() *report.Asked {
		now := ask()
		return &report.Asked{ContentReads: now.ContentReads - before.ContentReads, Writes: now.Writes - before.Writes}
	}
}

// burst sends events about revisions, in turn, and measures until the controller has processed them, with at least the
// given number of reconciles.
func (c *observed) burst(f *fleet, events int, names []string, reconciles int) report.Burst {
	c.t.Helper()
	before, began := c.usage(), time.Now()
	touch := func(name, value string) {
		if err := f.porch.Touch(namespace, name, value); err != nil {
			c.t.Fatal(err)
		}
	}
	for i := range events {
		touch(names[i%len(names)], "event-"+strconv.Itoa(i))
	}
	touch(f.drafts(firstWorkspace)[0], "last of "+names[0]) // its reconcile comes after all other events
	after, at := c.drain(before.reconciles + reconciles)
	return report.Burst{
		Events: events + 1, Seconds: at.Sub(began).Seconds(), CPUSeconds: after.cpuSeconds - before.cpuSeconds,
		Reconciles: after.reconciles - before.reconciles, Requests: after.requests - before.requests,
	}
}

// restart measures a newly started controller with a settled fleet.
func (c *observed) restart(variants int) report.Restart {
	c.t.Helper()
	began := time.Now()
	done, at := c.drain(variants)
	return report.Restart{
		Seconds: at.Sub(began).Seconds(), CPUSeconds: done.cpuSeconds, PeakBytes: done.peakBytes,
		Reconciles: done.reconciles, Requests: done.requests,
	}
}
