// SPDX-License-Identifier: Apache-2.0

// Package report holds the measurements of a benchmark run, and shows them in Markdown and a chart. It does no I/O and
// reads no clock: the same run always gives the same text.
package report

import (
	"fmt"
	"maps"

	"github.com/package-variants/package-variants/e2e/internal/machine"
)

// The parts of a run, by their names.
const (
	PartFanOut    = "fanout"
	PartGit       = "git"
	PartFunctions = "functions"
	PartExpansion = "expansion"
	PartPlan      = "plan"
)

// Run is what one run of the benchmarks measured on one machine. It is kept as JSON, from which the documents can be
// written again. A part that was not measured is nil or empty, and the documents leave it out. Times are in seconds and
// sizes in bytes.
type Run struct {
	Origin
	// Apart are the origins of the parts that another run measured.
	Apart map[string]Origin `json:"apart,omitempty"`
	// Contests are the fan-out, the rest and the changes beside Porch's controllers, with each cache of Porch.
	Contests Contests `json:"contests,omitempty"`
	// Benchmarks are those that go test runs, by part.
	Benchmarks map[string][]Benchmark `json:"benchmarks,omitempty"`
}

// Origin says when, how and on what machine something was measured.
type Origin struct {
	// Date is the day of the run, as 2006-01-02.
	Date string `json:"date"`
	// Command is the command that repeats the run.
	Command string `json:"command"`
	// Machine is what it ran on.
	Machine machine.Machine `json:"machine"`
	// Versions are those of the measured programs, and of what they ran on.
	Versions []Version `json:"versions"`
}

// Version is the version of a program or a module.
type Version struct {
	// Name is the program or module.
	Name string `json:"name"`
	// Version is its version, such as v1.5.3.
	Version string `json:"version"`
}

// VersionOf returns the version of a program or module, "" if it is unknown.
func (o Origin) VersionOf(name string) string {
	for _, v := range o.Versions {
		if v.Name == name {
			return v.Version
		}
	}
	return ""
}

// OriginOf returns where the measurements of a part come from.
func (r *Run) OriginOf(part string) *Origin {
	if apart, found := r.Apart[part]; found {
		return &apart
	}
	return &r.Origin
}

// Merge returns a run with the given parts of another run. Everything else stays as it was.
func (r *Run) Merge(other *Run, parts ...string) *Run {
	merged := *r
	merged.Apart, merged.Benchmarks = map[string]Origin{}, map[string][]Benchmark{}
	maps.Copy(merged.Apart, r.Apart)
	maps.Copy(merged.Benchmarks, r.Benchmarks)
	for _, part := range parts {
		merged.Apart[part] = *other.OriginOf(part)
		if part == PartFanOut {
			merged.Contests = other.Contests
		} else {
			merged.Benchmarks[part] = other.Benchmarks[part]
		}
	}
	return &merged
}

// Bound is something that the project promises itself.
type Bound struct {
	// Text says what is bounded, and by what.
	Text string
	// Verdicts are what was measured, with each cache of Porch if that matters.
	Verdicts []Verdict
}

// Verdict is what was measured, and whether that is within the bound.
type Verdict struct {
	Measured string
	Met      bool
}

// Cells returns the verdicts as table cells.
func (b Bound) Cells() []string {
	var cells []string
	for _, v := range b.Verdicts {
		if v.Met {
			cells = append(cells, v.Measured)
		} else {
			cells = append(cells, v.Measured+" (**missed**)")
		}
	}
	return cells
}

// Bounds returns the bounds that the run's measurements with Porch can judge.
func (r *Run) Bounds() []Bound { return r.Contests.bounds() }

// Missed returns how many of the verdicts about a run are outside of their bounds, and how many verdicts there are.
func (r *Run) Missed() (missed, all int) {
	for _, b := range r.Bounds() {
		for _, v := range b.Verdicts {
			if all++; !v.Met {
				missed++
			}
		}
	}
	return missed, all
}

// silent is the verdict about requests of a controller that has nothing to do.
func silent(r Requests) Verdict {
	return Verdict{count(r.Writes) + " and " + count(r.Reads), r.Writes == 0 && r.Reads == 0}
}

// atMost is the verdict about a number with a limit.
func atMost(n, limit float64) Verdict { return Verdict{digits(n), n <= limit} }

// Outcome says how many of the bounds are kept.
func (r *Run) Outcome() string {
	missed, all := r.Missed()
	return fmt.Sprintf("%d of the %d bounds that the project sets itself are kept", all-missed, all)
}

// CacheNames returns the names of the caches that were measured.
func (r *Run) CacheNames() []string { return r.Contests.Names() }
