// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"strconv"
	"time"

	"github.com/package-variants/package-variants/e2e/bench/machine"
	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/harness"
)

const (
	// glance is how often it is looked what the controller has done. No time is measured better than that.
	glance = 100 * time.Millisecond
	// still is for how long a controller that is through has done nothing: longer than it waits for a cache that is
	// behind.
	still = 1200 * time.Millisecond
)

// observed is a controller that runs.
type observed struct {
	*controller.Process
	t harness.T
}

// usage is what a controller has done and taken since it was started.
type usage struct {
	cpuSeconds                                float64
	peakBytes, heapBytes, residentBytes       int64
	setSeconds                                float64
	reconciles, setReconciles, requests, todo int
}

// start starts the controller, with its default of a concurrency for 0, and returns once it is ready.
func start(t harness.T, kubeconfig string, concurrency int) *observed {
	t.Helper()
	var args []string
	if concurrency > 0 {
		args = append(args, "--concurrency="+strconv.Itoa(concurrency))
	}
	c := &observed{Process: controller.Start(t, controller.Options{Kubeconfig: kubeconfig, Args: args}), t: t}
	c.WaitReady(t.Context())
	return c
}

// usage returns what the controller has done until now.
func (c *observed) usage() usage {
	c.t.Helper()
	m, err := c.Metrics()
	if err != nil {
		c.t.Fatal(err)
	}
	used, err := machine.Use(c.PID())
	if err != nil {
		c.t.Fatal(err)
	}
	of := func(name string) map[string]string { return map[string]string{"controller": name} }
	return usage{
		cpuSeconds: used.CPU.Seconds(), peakBytes: used.PeakBytes,
		heapBytes: int64(m.Sum("go_gc_heap_live_bytes", nil)), residentBytes: int64(m.Sum("process_resident_memory_bytes",
			nil)),
		reconciles:    int(m.Sum("controller_runtime_reconcile_total", of("packagevariant"))),
		setReconciles: int(m.Sum("controller_runtime_reconcile_total", of("packagevariantset"))),
		setSeconds:    m.Observed("controller_runtime_reconcile_time_seconds", of("packagevariantset")),
		requests:      int(m.Sum("rest_client_requests_total", nil)),
		todo:          int(m.Sum("workqueue_depth", nil) + m.Sum("controller_runtime_active_workers", nil)),
	}
}

// drain returns once the controller has done at least so many reconciles of variants since it was started, and is
// through with what there is, and says what it has done and when the last of it was.
func (c *observed) drain(reconciles int) (usage, time.Time) {
	c.t.Helper()
	ticker := time.NewTicker(glance)
	defer ticker.Stop()
	last, since := usage{}, time.Now()
	for {
		now := c.usage()
		if now.todo > 0 || now.reconciles != last.reconciles || now.setReconciles != last.setReconciles ||
			now.reconciles < reconciles {
			since = time.Now()
		}
		if last = now; time.Since(since) > still {
			return now, since
		}
		select {
		case <-c.t.Context().Done():
			c.t.Fatalf("the controller has done %d reconciles of at least %d, and %d are to do", now.reconciles, reconciles,
				now.todo)
		case <-ticker.C:
		}
	}
}
