// SPDX-License-Identifier: Apache-2.0

package micro

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/package-variants/package-variants/e2e/bench/report"
)

// Units of the benchmarks, as benchfmt writes them.
const (
	seconds        = "sec/op"
	bytes          = "B/op"
	process        = "sec/process"
	noopProcess    = "noop-sec/process"
	catalogProcess = "catalog-sec/process"
)

// median returns the median of values, of which there must be one; of an even number, the greater of the two in the middle.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// sized returns the last part of a result's name as a number, and the parts before it, of which there must be so many.
func (r *result) sized(before int) ([]string, int, error) {
	if len(r.path) != before+1 {
		return nil, 0, fmt.Errorf("the benchmark %s has not %d names and a number", strings.Join(r.path, "/"), before)
	}
	n, err := strconv.Atoi(r.path[before])
	if err != nil {
		return nil, 0, fmt.Errorf("the benchmark %s does not end with a number: %w", strings.Join(r.path, "/"), err)
	}
	return r.path[:before], n, nil
}

// value returns a value, or an error if it was not measured.
func (r *result) value(unit string) (float64, error) {
	value, ok := r.values[unit]
	if !ok {
		return 0, fmt.Errorf("the benchmark %s has no %s", strings.Join(r.path, "/"), unit)
	}
	return value, nil
}

// expansionPoints returns the results of BenchmarkExpansion, by whose the code is and the number of targets.
func expansionPoints(results []result, err error) ([]report.ExpansionPoint, error) {
	if err != nil {
		return nil, err
	}
	points := map[int]*report.ExpansionPoint{}
	for i := range results {
		names, n, err := results[i].sized(1)
		if err != nil {
			return nil, err
		}
		if points[n] == nil {
			points[n] = &report.ExpansionPoint{Targets: n}
		}
		took, err := results[i].value(seconds)
		if err != nil {
			return nil, err
		}
		if names[0] == "porch" {
			points[n].PorchSeconds = took
			continue
		}
		allocated, err := results[i].value(bytes)
		if err != nil {
			return nil, err
		}
		points[n].Seconds, points[n].AllocatedBytes = took, int64(allocated)
	}
	var sorted []report.ExpansionPoint
	for _, p := range points {
		sorted = append(sorted, *p)
	}
	slices.SortFunc(sorted, func(a, b report.ExpansionPoint) int { return cmp.Compare(a.Targets, b.Targets) })
	return sorted, nil
}

// mutationPoints returns what makes points of the results of a function, by the number of resources.
func mutationPoints(function string) func([]result, error) ([]report.MutationPoint, error) {
	return func(results []result, err error) ([]report.MutationPoint, error) {
		if err != nil {
			return nil, err
		}
		var points []report.MutationPoint
		for i := range results {
			_, n, err := results[i].sized(0)
			if err != nil {
				return nil, err
			}
			took, err := results[i].value(seconds)
			if err != nil {
				return nil, err
			}
			allocated, err := results[i].value(bytes)
			if err != nil {
				return nil, err
			}
			points = append(points, report.MutationPoint{Function: function, Resources: n, Seconds: took, AllocatedBytes: int64(allocated)})
		}
		return points, nil
	}
}

// processPoints returns the results of BenchmarkProcess, by function and number of resources.
func processPoints(results []result, err error) ([]report.ProcessPoint, error) {
	if err != nil {
		return nil, err
	}
	var points []report.ProcessPoint
	for i := range results {
		names, n, err := results[i].sized(1)
		if err != nil {
			return nil, err
		}
		point := report.ProcessPoint{Function: names[0], Resources: n}
		for unit, into := range map[string]*float64{
			process: &point.CPUSeconds, noopProcess: &point.NoopCPUSeconds, catalogProcess: &point.CatalogCPUSeconds,
		} {
			if *into, err = results[i].value(unit); err != nil {
				return nil, err
			}
		}
		points = append(points, point)
	}
	return points, nil
}
