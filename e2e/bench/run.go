// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/package-variants/package-variants/e2e/bench/contest"
	"github.com/package-variants/package-variants/e2e/bench/report"
	"github.com/package-variants/package-variants/e2e/bench/simulation"
	"github.com/package-variants/package-variants/e2e/bench/soak"
	"github.com/package-variants/package-variants/e2e/internal/machine"
	"github.com/package-variants/package-variants/e2e/internal/postgres"
	"github.com/package-variants/package-variants/e2e/stack"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

const (
	// burst is how many events about packages the controller gets at once.
	burst = 10000
	// still is how long the controller must be idle before its memory at rest is read.
	still = 10 * time.Second
	// tenants is how many variants the namespace beside a hostile one has; rounds is how many revisions it follows alone,
	// and how many beside it.
	tenants, rounds = 50, 3
)

// bench measures what the options ask for and writes the documents. It writes progress to out.
func bench(ctx context.Context, o *options, out io.Writer) error {
	log.SetLogger(logr.Discard()) // the clients' errors say it all
	root, err := repository()
	if err != nil {
		return err
	}
	run, err := describe(ctx, root, o)
	if err != nil {
		return err
	}
	if o.contests() && slices.Contains(o.caches, stack.DBCache) {
		if err := postgres.Available(); err != nil {
			return fmt.Errorf("the DB cache of Porch is measured, too, unless -cache says otherwise: %w", err)
		}
	}
	began := time.Now()
	if err := measure(ctx, root, o, out, run); err != nil {
		return err
	}
	if o.merge {
		kept, err := read(root)
		if err != nil {
			return err
		}
		run = kept.Merge(run, o.only...)
	}
	dir, err := write(run, root, o.whole() || o.merge)
	if err != nil {
		return err
	}
	for _, e := range run.Expectations() {
		met := "met"
		if !e.Met {
			met = "NOT MET"
		}
		fmt.Fprintf(out, "%-8s %s: %s\n", met, e.Text, e.Measured)
	}
	fmt.Fprintf(out, "That took %s. It is written to %s.\n", time.Since(began).Round(time.Second), dir)
	return nil
}

// describe returns a run without measurements.
func describe(ctx context.Context, root string, o *options) (*report.Run, error) {
	described, err := machine.Describe()
	if err != nil {
		return nil, err
	}
	versions, err := versions(ctx, root)
	if err != nil {
		return nil, err
	}
	return &report.Run{Origin: report.Origin{
		Date: time.Now().UTC().Format(time.DateOnly), Command: o.command(), Machine: described, Versions: versions,
	}}, nil
}

// measure measures the parts one after the other, so that none disturbs another.
func measure(ctx context.Context, root string, o *options, out io.Writer, run *report.Run) error {
	if o.contests() {
		err := contest.Measure(ctx, contest.Options{
			Scenario: o.scenario, Caches: o.caches,
			FanOut: o.measures(fanOut), Rest: o.measures(rest), Change: o.measures(change),
			Settle: o.settle, Resting: o.resting, Log: out,
		}, run)
		if err != nil {
			return err
		}
	}
	for _, part := range parts {
		if !o.measures(part) {
			continue
		}
		for _, s := range suites[part] {
			measured, err := s.run(ctx, root, o.count, out)
			if err != nil {
				return err
			}
			run.Benchmarks = append(run.Benchmarks, measured...)
		}
	}
	return simulate(ctx, root, o, out, run)
}

// simulate measures the parts that use a simulated Porch, with the latencies of a real one, measured in this run or in
// the one that it is merged into.
func simulate(ctx context.Context, root string, o *options, out io.Writer, run *report.Run) error {
	timed := run
	if o.merge && !o.measures(fanOut) {
		var err error
		if timed, err = read(root); err != nil {
			return err
		}
	}
	if o.measures(scale) {
		for _, cache := range o.caches {
			err := simulation.Measure(ctx, simulation.Options{
				Variants: o.sizes, Cache: cache, Latencies: latenciesWith(timed, cache), Events: burst, Settle: still, Log: out,
			}, run)
			if err != nil {
				return err
			}
		}
	}
	latencies := latenciesWith(timed, stack.CRCache)
	if o.measures(rollout) {
		err := simulation.MeasureRollouts(ctx, simulation.RolloutOptions{
			Targets: o.targets, Latencies: latencies, Log: out,
		}, run)
		if err != nil {
			return err
		}
	}
	if o.measures(tenancy) {
		err := simulation.MeasureTenancy(ctx, simulation.TenancyOptions{
			Variants: tenants, Revisions: rounds, Hostile: o.hostile, Latencies: latencies, Log: out,
		}, run)
		if err != nil {
			return err
		}
	}
	if !o.measures(soaking) {
		return nil
	}
	o.soak.Latencies, o.soak.Log = latencies, out
	return soak.Measure(ctx, o.soak, run)
}

// latenciesWith returns the measured latencies of Porch with a cache.
func latenciesWith(timed *report.Run, cache stack.Cache) simulation.Latencies {
	for _, on := range timed.Caches.With(fanOut) {
		if on.Cache == string(cache) {
			return simulation.LatenciesOf(on.FanOut.Latencies)
		}
	}
	return simulation.DefaultLatencies
}

// repository returns the root of the repository that the working directory is in.
func repository() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s is not in the repository: there is no go.work above it", start)
		}
	}
}
