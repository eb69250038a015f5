// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/package-variants/package-variants/e2e/bench/report"
	"github.com/package-variants/package-variants/e2e/internal/harness"
	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/e2e/stack/stacktest"
)

// between is the time from the publishing of drafts to the next revision of the upstream.
const between = 5 * time.Second

// TenancyOptions say what to simulate of two namespaces.
type TenancyOptions struct {
	// Variants is how many the namespace has that is measured, a multiple of ten.
	Variants int
	// Revisions is how many it follows alone, and how many beside the hostile one.
	Revisions int
	// Hostile is what the other does.
	Hostile report.Hostile
	// Latencies are those of Porch.
	Latencies Latencies
	// Log is told what goes on.
	Log io.Writer
}

// MeasureTenancy measures what a hostile namespace costs another, and puts it into a run. It needs the environment that
// the Makefile sets. When it returns, all that it started has ended.
func MeasureTenancy(ctx context.Context, o TenancyOptions, run *report.Run) error {
	if o.Variants <= 0 || o.Variants%perRepository != 0 {
		return fmt.Errorf("cannot simulate %d variants: their number must be a multiple of %d", o.Variants, perRepository)
	}
	measured := &report.Tenancy{Latencies: o.Latencies.Report(), Variants: o.Variants,
		Repositories: o.Variants / perRepository, Hostile: o.Hostile}
	err := harness.Run(ctx, o.Log, func(t harness.T) { measureTenancy(t, &o, measured) })
	if err != nil {
		return fmt.Errorf("beside a hostile namespace: %w", err)
	}
	run.Tenancy = measured
	return nil
}

func measureTenancy(t harness.T, o *TenancyOptions, measured *report.Tenancy) {
	porch := NewPorch(o.Latencies)
	s := stacktest.Start(t, stack.Options{PorchAPI: porch})
	if err := s.InstallVariants(t.Context()); err != nil {
		t.Fatal(err)
	}
	f, err := newFleet(s.Config, porch, o.Variants, perRepository)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.prepare(t.Context()); err != nil {
		t.Fatalf("cannot prepare the fleet: %v", err)
	}
	tenant := &tenant{fleet: f, observed: start(t, s.Kubeconfig, 0), revision: 1}
	if err := f.apply(t.Context(), "set.yaml", "latest.yaml"); err != nil {
		t.Fatalf("cannot apply the set: %v", err)
	}
	tenant.await(firstImage)
	tenant.follow() // so that caches and connections are as they will be
	before := tenant.usage()
	for range o.Revisions {
		measured.AloneSeconds = append(measured.AloneSeconds, tenant.follow().Seconds())
	}
	measured.AloneCPUSeconds = tenant.usage().cpuSeconds - before.cpuSeconds
	t.Logf("alone: %.1f s", measured.AloneSeconds)
	begin(t, f, o.Hostile)
	before = tenant.usage()
	for range o.Revisions {
		measured.BesideSeconds = append(measured.BesideSeconds, tenant.follow().Seconds())
	}
	after := tenant.usage()
	measured.BesideCPUSeconds = after.cpuSeconds - before.cpuSeconds
	measured.BesideReconciles = after.reconciles - before.reconciles
	measured.BesideSetReconciles = after.setReconciles - before.setReconciles
	t.Logf("beside the hostile namespace: %.1f s; %d reconciles of variants and %d of sets meanwhile",
		measured.BesideSeconds, measured.BesideReconciles, measured.BesideSetReconciles)
}

// tenant is a fleet that follows one revision of its upstream after the other.
type tenant struct {
	*fleet
	*observed
	revision int
}

// follow has people publish the drafts, publishes another revision of the blueprint, and returns how long it took until
// all drafts had it.
func (f *tenant) follow() time.Duration {
	f.t.Helper()
	f.publishDrafts()
	select { // the controller, which may never be at rest, sees that they are published
	case <-f.t.Context().Done():
	case <-time.After(between):
	}
	f.revision++
	image := fmt.Sprintf("registry.example.com/web:2.%d", f.revision)
	began := time.Now()
	if err := f.publish(fmt.Sprintf("v%d", f.revision), image); err != nil {
		f.t.Fatal(err)
	}
	f.await(image)
	return time.Since(began)
}

// workspace is that of the drafts with the revision.
func (f *tenant) workspace() string { return fmt.Sprintf("packagevariant-%d", f.revision) }

// await returns once all drafts are right.
func (f *tenant) await(image string) {
	f.t.Helper()
	for {
		err := f.check(f.workspace(), image)
		if err == nil {
			return
		}
		select {
		case <-f.t.Context().Done():
			f.t.Fatal(err)
		case <-time.After(glance / 2):
		}
	}
}

// publishDrafts publishes all drafts, once their variants say that they are ready.
func (f *tenant) publishDrafts() {
	f.t.Helper()
	for {
		ready, err := f.ready(f.t.Context())
		if err != nil {
			f.t.Fatal(err)
		}
		if ready == f.variants {
			break
		}
		select {
		case <-f.t.Context().Done():
			f.t.Fatal("the variants are not ready")
		case <-time.After(glance):
		}
	}
	for _, name := range f.drafts(f.workspace()) {
		if err := publish(f.porch, name); err != nil {
			f.t.Fatal(err)
		}
	}
}
