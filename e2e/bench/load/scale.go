// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"io"
	"time"

	"github.com/package-variants/package-variants/e2e/bench/report"
	"github.com/package-variants/package-variants/e2e/bench/simulation"
	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/harness"
	"github.com/package-variants/package-variants/e2e/internal/machine"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
	"github.com/package-variants/package-variants/e2e/stack"
)

const (
	// still is how long a controller must be idle to count as done: longer than it waits for a cache that lags.
	still = 1200 * time.Millisecond
	// scaleEach is the interval for checking the fleet: looking more often would disturb the controller.
	scaleEach = time.Second / 2
)

// MeasureScale measures the controller while it makes a fleet, and while a new one looks at the fleet. It needs the
// environment that the Makefile sets. When it returns, everything that it started has ended. Progress goes to log.
func MeasureScale(ctx context.Context, variants int, cache stack.Cache, log io.Writer) (*report.Scale, error) {
	if err := possible(variants); err != nil {
		return nil, err
	}
	scale := &report.Scale{Cache: string(cache), Variants: variants, Repositories: variants / perSite}
	err := harness.Run(ctx, log, func(t harness.T) {
		w := newWorld(t, simulation.NewPorch(simulation.LatenciesOf(cache), cache), layout{variants: variants})
		between, kubeconfig := proxy.StartFor(t, w.stack.Config, proxy.Options{})
		first := start(t, between, kubeconfig)
		scale.Made = first.measure(func() { w.makeDrafts(scaleEach) })
		t.Logf("%d variants, %s cache: ready after %.1f s, %.1f s of processor time, %d MB", variants, cache,
			scale.Made.Seconds, scale.Made.CPUSeconds, scale.Made.PeakBytes/1e6)
		first.Stop()
		between.Reset()
		second := start(t, between, kubeconfig)
		scale.Restart = second.measure(func() { second.drain(variants) })
		t.Logf("  restarted: %.1f s of processor time, %d writes, %d reads of contents", scale.Restart.CPUSeconds,
			scale.Restart.Requests.Writes, scale.Restart.Requests.Reads)
	})
	return scale, err
}

// makeDrafts applies the sets and returns once all variants are right; it looks at them at the given interval.
func (w *world) makeDrafts(each time.Duration) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), settleWithin)
	defer cancel()
	err := w.apply(ctx)
	if err == nil {
		err = w.settle(ctx, each)
	}
	if err != nil {
		w.t.Fatalf("cannot make the fleet: %v", err)
	}
}

// observed is a running controller behind a proxy.
type observed struct {
	*controller.Process
	t     harness.T
	proxy *proxy.Proxy
	began time.Time
}

// start starts the controller and returns once it is ready.
func start(t harness.T, between *proxy.Proxy, kubeconfig string) *observed {
	t.Helper()
	c := &observed{t: t, proxy: between, began: time.Now(),
		Process: controller.Start(t, controller.Options{Kubeconfig: kubeconfig})}
	c.WaitReady(t.Context())
	return c
}

// measure measures the controller from its start until do returns, and its requests until it is idle after that.
func (c *observed) measure(do func()) report.Settled {
	c.t.Helper()
	do()
	used, err := machine.Use(c.PID())
	if err != nil {
		c.t.Fatal(err)
	}
	settled := report.Settled{Seconds: time.Since(c.began).Seconds(), CPUSeconds: used.CPU.Seconds(),
		PeakBytes: used.PeakBytes}
	c.drain(0)
	settled.Requests = report.CountRequests(c.proxy.Requests())
	return settled
}

// drain returns once the controller has done at least that many reconciles of variants, and has been idle for a while.
func (c *observed) drain(reconciles int) {
	c.t.Helper()
	ticker := time.NewTicker(glance)
	defer ticker.Stop()
	last, since := 0, time.Now()
	for time.Since(since) < still {
		select {
		case <-c.t.Context().Done():
			c.t.Fatalf("the controller has done %d reconciles of at least %d", last, reconciles)
		case <-ticker.C:
		}
		m, err := c.Metrics()
		if err != nil {
			c.t.Fatal(err)
		}
		done := int(m.Sum("controller_runtime_reconcile_total", map[string]string{"controller": "packagevariant"}))
		busy := m.Sum("workqueue_depth", nil)+m.Sum("controller_runtime_active_workers", nil) > 0
		if busy || done != last || done < reconciles {
			last, since = done, time.Now()
		}
	}
}
