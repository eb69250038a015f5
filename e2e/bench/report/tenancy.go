// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
)

// Tenancy is what a namespace costs another: before a simulated Porch, one follows its upstreams, alone and beside one
// that does all that it can to be in the way.
type Tenancy struct {
	// Latencies are those that the simulated Porch had.
	Latencies []Latency `json:"latencies"`
	// Variants is how many follow the upstream, in so many Repositories.
	Variants     int `json:"variants"`
	Repositories int `json:"repositories"`
	// Hostile is what the other namespace does.
	Hostile Hostile `json:"hostile"`
	// AloneSeconds are the times until all had followed a revision, one for each, without the other namespace;
	// BesideSeconds those beside it.
	AloneSeconds  []float64 `json:"aloneSeconds"`
	BesideSeconds []float64 `json:"besideSeconds"`
	// AloneCPUSeconds and BesideCPUSeconds are the processor time of the controller in all of these times.
	AloneCPUSeconds  float64 `json:"aloneCPUSeconds"`
	BesideCPUSeconds float64 `json:"besideCPUSeconds"`
	// BesideReconciles and BesideSetReconciles are those of all namespaces in BesideSeconds.
	BesideReconciles    int `json:"besideReconciles"`
	BesideSetReconciles int `json:"besideSetReconciles"`
}

// Hostile is what a hostile namespace does.
type Hostile struct {
	// Failing is how many of its variants fail, Large how many have a package of PackageBytes.
	Failing      int `json:"failing"`
	Large        int `json:"large"`
	PackageBytes int `json:"packageBytes"`
	// Targets is how many its set has, each with an expression that costs as much as one may.
	Targets int `json:"targets"`
	// ChangesPerSecond is how often the object changes that its packages have injected, and that its set selects.
	ChangesPerSecond int `json:"changesPerSecond"`
}

// Alone is the median of the times alone.
func (t *Tenancy) Alone() float64 { return middle(t.AloneSeconds) }

// Beside is the median of the times beside the other namespace.
func (t *Tenancy) Beside() float64 { return middle(t.BesideSeconds) }

func middle(times []float64) float64 {
	sorted := slices.Sorted(slices.Values(times))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// Rows are the times of each revision, and their medians.
func (t *Tenancy) Rows() [][]string {
	row := func(what string, times []float64, cpu float64) []string {
		return []string{what, seconds(slices.Min(times)), seconds(middle(times)), seconds(slices.Max(times)),
			seconds(cpu)}
	}
	return [][]string{
		row("alone", t.AloneSeconds, t.AloneCPUSeconds),
		row("beside the hostile namespace", t.BesideSeconds, t.BesideCPUSeconds),
	}
}

func (t *Tenancy) expectations() []Expectation {
	if t == nil {
		return nil
	}
	what := fmt.Sprintf("tenancy: time of %s variants beside a hostile namespace, for each second alone",
		count(t.Variants))
	return []Expectation{atMost(what, t.Beside()/t.Alone(), mostTenancy)}
}
