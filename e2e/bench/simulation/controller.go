// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"strconv"
	"time"

	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/harness"
	"github.com/package-variants/package-variants/e2e/internal/machine"
)

const (
	// glance is the polling interval for the controller's progress; no time is more precise than that.
	glance = 100 * time.Millisecond
	// still is how long a controller must be idle to count as done: longer than it waits for a cache that lags.
	still = 1200 * time.Millisecond
)

// observed is a running controller.
type observed struct {
	*controller.Process
	t harness.T
}

// usage is the work and the resources of a controller since its start.
type usage struct {
	cpuSeconds                                float64
	peakBytes, heapBytes, residentBytes       int64
	setSeconds                                float64
	reconciles, setReconciles, requests, todo int
}

// start starts the controller and returns once it is ready. A concurrency of 0 stands for its default.
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

// usage returns the usage of the controller so far.
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

// drain waits until the controller has done at least that many reconciles of variants since its start and has nothing
// left to do. It returns the usage and the time of the last work.
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
