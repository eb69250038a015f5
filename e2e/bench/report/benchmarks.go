// SPDX-License-Identifier: Apache-2.0

package report

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// Benchmark is the median of a benchmark's runs with go test.
type Benchmark struct {
	// Package is the path of its package in the repository.
	Package string `json:"package"`
	// Name is its name, without its first word and the number of processors, such as Expansion/ours/1000. It ends with the
	// size of the input.
	Name string `json:"name"`
	// Values are the medians by unit, with the names and units of benchstat: seconds where go test prints nanoseconds.
	Values map[string]float64 `json:"values"`
}

// The names of benchmarks, without the size at the end.
const (
	expansionOurs  = "Expansion/ours"
	expansionPorch = "Expansion/porch"
	inProcess      = "InProcess"
	applyAll       = "Apply"
	asProcess      = "Process"
	planOfSet      = "Plan"
	fleetBySync    = "Fleet/sync"
	fleetByScript  = "Fleet/script"
)

// Measured returns the benchmarks of these names, in the order in which they were measured.
func (r *Run) Measured(names ...string) []Benchmark {
	var found []Benchmark
	for _, b := range r.Benchmarks {
		isOf := func(name string) bool { return strings.HasPrefix(b.Name, name+"/") }
		if slices.ContainsFunc(names, isOf) {
			found = append(found, b)
		}
	}
	return found
}

// Size returns the size of the input: targets, or the resources of a package.
func (b Benchmark) Size() int {
	n, _ := strconv.Atoi(path.Base(b.Name)) // readBenchmarks has checked it
	return n
}

// Seconds returns the time of one operation.
func (b Benchmark) Seconds() float64 { return b.Values["sec/op"] }

// PerSize returns the time for each unit of the input's size.
func (b Benchmark) PerSize() float64 { return b.Seconds() / float64(b.Size()) }

// Function returns the name of the measured function.
func (b Benchmark) Function() string {
	switch parts := strings.Split(b.Name, "/"); parts[0] {
	case asProcess:
		return parts[1]
	case applyAll:
		return "all three"
	default:
		return path.Base(path.Dir(b.Package))
	}
}

// Expansion is an expansion of that many targets by this project; Porch's own is nil if it was not run.
type Expansion struct {
	Benchmark
	Porch *Benchmark
}

// Expansions returns the expansions, sorted by the number of targets.
func (r *Run) Expansions() []Expansion {
	var all []Expansion
	for _, ours := range r.Measured(expansionOurs) {
		e := Expansion{Benchmark: ours}
		for _, porch := range r.Measured(expansionPorch) {
			if porch.Size() == ours.Size() {
				e.Porch = &porch
			}
		}
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b Expansion) int { return a.Size() - b.Size() })
	return all
}

// PorchCells returns Porch's time per target and its ratio to ours as table cells, empty if it was not run.
func (e Expansion) PorchCells() []string {
	if e.Porch == nil {
		return []string{"", ""}
	}
	return []string{seconds(e.Porch.PerSize()), ratio(e.Porch.Seconds(), e.Seconds())}
}

// LargeExpansions returns the expansions of many targets that were run with Porch's own too.
func (r *Run) LargeExpansions() []Expansion {
	return slices.DeleteFunc(r.Expansions(), func(e Expansion) bool { return e.Porch == nil || e.Size() < reference })
}

// OfNoop returns the processor time of a function as a process, relative to a function that does nothing.
func (b Benchmark) OfNoop() float64 { return b.Values["sec/process"] / b.Values["noop-sec/process"] }

// NoopRange is the range of OfNoop over the functions, for packages with that many resources.
type NoopRange struct {
	Resources   int
	Least, Most float64
}

// Text writes the range.
func (n NoopRange) Text() string {
	if digits(n.Least) == digits(n.Most) {
		return digits(n.Least)
	}
	return digits(n.Least) + " to " + digits(n.Most)
}

// NoopRanges returns the ranges, in the order in which their sizes were first measured.
func (r *Run) NoopRanges() []NoopRange {
	var all []NoopRange
	for _, b := range r.Measured(asProcess) {
		i := slices.IndexFunc(all, func(n NoopRange) bool { return n.Resources == b.Size() })
		if i < 0 {
			all = append(all, NoopRange{b.Size(), b.OfNoop(), b.OfNoop()})
			continue
		}
		all[i].Least, all[i].Most = min(all[i].Least, b.OfNoop()), max(all[i].Most, b.OfNoop())
	}
	return all
}
