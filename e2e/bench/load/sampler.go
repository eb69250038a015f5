// SPDX-License-Identifier: Apache-2.0

package load

import (
	"time"

	"github.com/package-variants/package-variants/e2e/bench/report"
	"github.com/package-variants/package-variants/e2e/internal/controller"
)

// sampler takes samples of the controller at intervals.
type sampler struct {
	*world
	controller *controller.Process
	flow       *flow
	began      time.Time
	quit       chan struct{}
	ended      chan struct{}
	// samples and failed may be read once stop has returned.
	samples []report.SoakSample
	failed  error
}

// newSampler starts to sample.
func newSampler(w *world, c *controller.Process, f *flow, each time.Duration) *sampler {
	s := &sampler{world: w, controller: c, flow: f, began: time.Now(), quit: make(chan struct{}),
		ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		ticker := time.NewTicker(each)
		defer ticker.Stop()
		for s.add() {
			select {
			case <-s.quit:
				s.add()
				return
			case <-ticker.C:
			}
		}
	}()
	return s
}

// stop ends the sampling, with a last sample.
func (s *sampler) stop() {
	close(s.quit)
	<-s.ended
}

// add adds a sample, and reports whether it could.
func (s *sampler) add() bool {
	sample, err := s.sample()
	if err != nil {
		s.failed = err
		return false
	}
	s.samples = append(s.samples, sample)
	s.t.Logf("  %5.0f s: heap %.1f MB, resident %.1f MB, %d goroutines, %d descriptors, %d changes pending, %d requests, "+
		"%.0f s of processor time", sample.Seconds, float64(sample.HeapBytes)/1e6, float64(sample.ResidentBytes)/1e6,
		sample.Goroutines, sample.Descriptors, s.flow.pending.Load(), sample.Requests, sample.CPUSeconds)
	return true
}

// sample takes one sample of the controller.
func (s *sampler) sample() (report.SoakSample, error) {
	m, err := s.controller.Metrics()
	if err != nil {
		return report.SoakSample{}, err
	}
	n := func(name string) int { return int(m.Sum(name, nil)) }
	return report.SoakSample{
		Seconds:   time.Since(s.began).Seconds(),
		HeapBytes: int64(n("go_gc_heap_live_bytes")), ResidentBytes: int64(n("process_resident_memory_bytes")),
		Goroutines: n("go_goroutines"), Descriptors: n("process_open_fds"),
		CPUSeconds: m.Sum("process_cpu_seconds_total", nil), Requests: n("rest_client_requests_total"),
		Reconciles: n("controller_runtime_reconcile_total"),
	}, nil
}
