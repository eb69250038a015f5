// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
)

// Tenancy is what one namespace costs another. With a simulated Porch, a namespace follows its upstreams alone, and
// beside a namespace that is as disruptive as it can be.
type Tenancy struct {
	// Latencies are those that the simulated Porch had.
	Latencies []Latency `json:"latencies"`
	// Variants is how many variants follow the upstream, in that many Repositories.
	Variants     int `json:"variants"`
	Repositories int `json:"repositories"`
	// Hostile is what the other namespace does.
	Hostile Hostile `json:"hostile"`
	// AloneSeconds are the times until all variants had followed a revision, one for each revision, without the other
	// namespace; BesideSeconds are the times with it.
	AloneSeconds  []float64 `json:"aloneSeconds"`
	BesideSeconds []float64 `json:"besideSeconds"`
	// AloneCPUSeconds and BesideCPUSeconds are the controller's total processor time in these times.
	AloneCPUSeconds  float64 `json:"aloneCPUSeconds"`
	BesideCPUSeconds float64 `json:"besideCPUSeconds"`
	// BesideReconciles and BesideSetReconciles are those of all namespaces in BesideSeconds.
	BesideReconciles    int `json:"besideReconciles"`
	BesideSetReconciles int `json:"besideSetReconciles"`
}

// Hostile is what a hostile namespace does.
type Hostile struct {
	// Failing is how many of its variants fail, Large how many have a package of size PackageBytes.
	Failing      int `json:"failing"`
	Large        int `json:"large"`
	PackageBytes int `json:"packageBytes"`
	// Targets is the number of targets of its set, each with an expression at the cost limit.
	Targets int `json:"targets"`
	// ChangesPerSecond is how often the object changes that its packages inject and its set selects.
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
