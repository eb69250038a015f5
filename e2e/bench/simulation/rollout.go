// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/e2e/bench/report"
	"github.com/package-variants/package-variants/e2e/bench/tally"
	"github.com/package-variants/package-variants/e2e/internal/harness"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/e2e/stack/stacktest"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// RolloutOptions say which rollouts to simulate.
type RolloutOptions struct {
	// Targets are the sizes of the sets; each target has its own Repository.
	Targets []int
	// Latencies are those of Porch.
	Latencies Latencies
	// Log gets progress messages.
	Log io.Writer
}

// MeasureRollouts measures rollouts of sets of each size, each in its own cluster, and adds them to run. For each size
// it measures two rollouts: of the first revision, which makes the packages, and of the next one. It needs the
// environment that the Makefile sets. When it returns, everything that it started has ended.
func MeasureRollouts(ctx context.Context, o RolloutOptions, run *report.Run) error {
	rollouts := &report.Rollouts{Latencies: o.Latencies.Report()}
	for _, targets := range o.Targets {
		if targets <= 0 || targets > perSet {
			return fmt.Errorf("cannot simulate a set of %d targets: there must be 1 to %d", targets, perSet)
		}
		var point report.RolloutPoint
		if err := harness.Run(ctx, o.Log, func(t harness.T) { point = measureRollouts(t, &o, targets) }); err != nil {
			return fmt.Errorf("a rollout over %d targets: %w", targets, err)
		}
		rollouts.Points = append(rollouts.Points, point)
	}
	run.Rollouts = rollouts
	return nil
}

// operation is a fleet with a person who publishes its drafts, and a controller whose requests are counted.
type operation struct {
	*fleet
	*observed
	proxy  *proxy.Proxy
	person *person
	flight *flight
}

// measureRollouts measures the rollouts over one fleet.
func measureRollouts(t harness.T, o *RolloutOptions, targets int) report.RolloutPoint {
	porch := NewPorch(o.Latencies, stack.CRCache)
	s := stacktest.Start(t, stack.Options{PorchAPI: porch})
	if err := s.InstallVariants(t.Context()); err != nil {
		t.Fatal(err)
	}
	f, err := newFleet(s.Config, porch, targets, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.prepare(t.Context()); err != nil {
		t.Fatalf("cannot prepare the fleet: %v", err)
	}
	between, kubeconfig := proxy.StartFor(t, s.Config, proxy.Options{})
	who := employ(t, porch, 2*targets) // so that no draft waits for room
	op := &operation{
		fleet: f, observed: start(t, kubeconfig, 0), proxy: between, person: who, flight: follow(t, f, who.drafts),
	}
	op.drain(0)
	point := report.RolloutPoint{Targets: targets}
	apply := func() error { return f.apply(t.Context(), "set.yaml", "rollout.yaml") }
	point.First = op.rollOut("blueprints.web.v1", 1, apply)
	op.judge(firstWorkspace, firstImage)
	point.Next = op.rollOut("blueprints.web.v2", 2, f.publishNext)
	op.judge(nextWorkspace, nextImage)
	return point
}

// publishNext publishes the second revision of the blueprint.
func (f *fleet) publishNext() error { return f.publish("v2", nextImage) }

// publish publishes a revision of the blueprint that has another image.
func (f *fleet) publish(workspace, image string) error {
	files, err := Blueprint(image)
	if err != nil {
		return err
	}
	f.porch.Publish(namespace, "blueprints", "web", workspace, files)
	return nil
}

// judge fails unless the packages are what the set asks for.
func (op *operation) judge(workspace, image string) {
	op.t.Helper()
	if err := op.check(workspace, image); err != nil {
		op.t.Fatal(err)
	}
}

// rollOut measures a rollout, from begin until the set says that all waves are through, and counts the requests until
// the controller is at rest.
func (op *operation) rollOut(upstream string, number int, begin func() error) report.RolledOut {
	op.t.Helper()
	op.flight.begin(upstream, number)
	op.proxy.Reset()
	before, began := op.usage(), time.Now()
	if err := begin(); err != nil {
		op.t.Fatalf("cannot begin the rollout of %s: %v", upstream, err)
	}
	for {
		select {
		case <-op.t.Context().Done():
			op.t.Fatal("interrupted")
		case err := <-op.person.failed:
			op.t.Fatal(err)
		case <-op.flight.ended:
			op.t.Fatal("the watch of the variants has ended before the rollout")
		case <-time.After(glance):
		}
		if op.isThrough(upstream) {
			break
		}
	}
	rolled := report.RolledOut{Seconds: time.Since(began).Seconds()}
	after, _ := op.drain(0)
	rolled.CPUSeconds, rolled.SetSeconds = after.cpuSeconds-before.cpuSeconds, after.setSeconds-before.setSeconds
	rolled.Reconciles, rolled.SetReconciles = after.reconciles-before.reconciles, after.setReconciles-before.setReconciles
	rolled.Requests = tally.Of(op.proxy.Requests())
	rolled.Waves = op.waves()
	op.t.Logf("%s over %d targets: %.1f s, %.2f requests for each, %d reconciles of the set, %.1f ms each", upstream,
		op.variants, rolled.Seconds, rolled.PerTarget(op.variants), rolled.SetReconciles, 1000*rolled.SecondsOfSet())
	return rolled
}

// isThrough reports whether the set says that the rollout of an upstream revision is complete.
func (op *operation) isThrough(upstream string) bool {
	op.t.Helper()
	set := op.set()
	if r := set.Status.Rollout; r != nil && r.Phase == v1alpha2.RolloutStopped {
		op.t.Fatalf("the rollout is stopped: %+v", set.Status.Conditions)
	}
	r := set.Status.Rollout
	return r != nil && r.Phase == v1alpha2.RolloutComplete && r.Revision.Name == upstream &&
		int(set.Status.Ready) == op.variants
}

// set returns the current set.
func (op *operation) set() *v1alpha2.PackageVariantSet {
	op.t.Helper()
	var sets v1alpha2.PackageVariantSetList
	if err := op.client.List(op.t.Context(), &sets, client.InNamespace(namespace)); err != nil {
		op.t.Fatalf("cannot see the set: %v", err)
	}
	if len(sets.Items) != 1 {
		op.t.Fatalf("there are %d sets, not one", len(sets.Items))
	}
	return &sets.Items[0]
}

// waves returns the waves of the set, with the most targets that were in flight.
func (op *operation) waves() []report.RolledWave {
	op.t.Helper()
	most := op.flight.reached()
	set := op.set()
	limits := map[string]int{}
	for _, w := range set.Spec.Rollout.Waves {
		limits[w.Name] = w.MaxConcurrent.IntValue()
	}
	var waves []report.RolledWave
	for _, w := range set.Status.Rollout.Waves {
		waves = append(waves, report.RolledWave{Name: w.Name, Targets: int(w.Targets), MaxConcurrent: limits[w.Name],
			InFlight: most[w.Name]})
	}
	return waves
}
