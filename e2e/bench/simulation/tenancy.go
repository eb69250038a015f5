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

// between is the time from publishing the drafts to the next revision of the upstream.
const between = 5 * time.Second

// TenancyOptions say how to simulate two namespaces.
type TenancyOptions struct {
	// Variants is the number of variants in the measured namespace, a multiple of ten.
	Variants int
	// Revisions is the number of revisions that it follows alone, and again beside the hostile namespace.
	Revisions int
	// Hostile is what the other namespace does.
	Hostile report.Hostile
	// Latencies are those of Porch.
	Latencies Latencies
	// Log gets progress messages.
	Log io.Writer
}

// MeasureTenancy measures what a hostile namespace costs another, and adds it to run. It needs the environment that the
// Makefile sets. When it returns, everything that it started has ended.
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
	porch := NewPorch(o.Latencies, stack.CRCache)
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
	tenant.follow() // to warm up caches and connections
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

// tenant is a fleet that follows the revisions of its upstream.
type tenant struct {
	*fleet
	*observed
	revision int
}

// follow publishes the drafts and another revision of the blueprint, and returns the time until all drafts have that
// revision.
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

// workspace is the workspace of the drafts with the current revision.
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

// publishDrafts publishes each draft once its variant says that it is ready.
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
