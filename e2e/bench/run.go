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
	"github.com/package-variants/package-variants/e2e/internal/machine"
	"github.com/package-variants/package-variants/e2e/internal/postgres"
	"github.com/package-variants/package-variants/e2e/stack"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// bench measures what the options ask for, writes the documents, and prints their tables. It writes progress to out.
func bench(ctx context.Context, o *options, out io.Writer) error {
	log.SetLogger(logr.Discard()) // the clients' errors say it all
	root, err := repository()
	if err != nil {
		return err
	}
	kept, err := read(root)
	if err != nil {
		return err
	}
	run, err := describe(ctx, root, o)
	if err != nil {
		return err
	}
	if o.measures(fanOut) && slices.Contains(o.caches, stack.DBCache) {
		if err := postgres.Available(); err != nil {
			return fmt.Errorf("the DB cache of Porch is measured, too, unless -cache says otherwise: %w", err)
		}
	}
	began := time.Now()
	if err := measure(ctx, root, o, out, run); err != nil {
		return err
	}
	tables, err := run.Tables()
	if err != nil {
		return err
	}
	if o.merge {
		run = kept.Merge(run, o.only...)
	}
	dir, err := write(run, root, o.whole() || o.merge)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%s\nThat took %s. It is written to %s.\n", tables, time.Since(began).Round(time.Second), dir)
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
	return &report.Run{Benchmarks: map[string][]report.Benchmark{}, Origin: report.Origin{
		Date: time.Now().UTC().Format(time.DateOnly), Command: o.command(), Machine: described, Versions: versions,
	}}, nil
}

// measure measures the parts one after the other, so that none disturbs another.
func measure(ctx context.Context, root string, o *options, out io.Writer, run *report.Run) error {
	for _, part := range parts {
		if !o.measures(part) {
			continue
		}
		began := time.Now()
		if err := measurePart(ctx, part, root, o, out, run); err != nil {
			return fmt.Errorf("%s: %w", part, err)
		}
		fmt.Fprintf(out, "== %s took %s\n", part, time.Since(began).Round(time.Second))
	}
	return nil
}

// measurePart measures one part.
func measurePart(ctx context.Context, part, root string, o *options, out io.Writer, run *report.Run) error {
	for _, s := range suites[part] {
		measured, err := s.run(ctx, root, out)
		if err != nil {
			return err
		}
		run.Benchmarks[part] = append(run.Benchmarks[part], measured...)
	}
	if part != fanOut {
		return nil
	}
	for _, cache := range o.caches {
		measured, err := contest.Measure(ctx, o.scenario, cache, out)
		if err != nil {
			return fmt.Errorf("with the %s cache: %w", cache, err)
		}
		run.Contests = append(run.Contests, *measured)
	}
	return nil
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
