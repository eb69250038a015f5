// SPDX-License-Identifier: Apache-2.0

package load

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/package-variants/package-variants/e2e/bench/report"
)

// mostFaults is the most changes whose faults are reported.
const mostFaults = 10

// outcomes are the outcomes of changes.
type outcomes struct {
	mu     sync.Mutex
	byKind map[string]*outcome
	faults []string
}

// outcome is the outcome of the changes of one kind.
type outcome struct {
	variants, wrong int
	took            []float64 // seconds, for changes that became right
}

// add adds a change with its duration; the error says why it did not become right.
func (o *outcomes) add(c *change, took time.Duration, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.byKind == nil {
		o.byKind = map[string]*outcome{}
	}
	of := o.byKind[c.kind]
	if of == nil {
		of = &outcome{}
		o.byKind[c.kind] = of
	}
	of.variants += len(c.targets)
	if err == nil {
		of.took = append(of.took, took.Seconds())
		return
	}
	of.wrong++
	if len(o.faults) < mostFaults {
		o.faults = append(o.faults, c.kind+": "+err.Error())
	}
}

// names are the kinds in the order of the report.
var names = []string{published, template, facts, left, joined, edited, suspended, resumed, approved, recreation}

// kinds returns the outcomes by kind, those of all changes together, and the faults.
func (o *outcomes) kinds() (each []report.SoakKind, all report.SoakKind, faults []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var together outcome
	for _, name := range names {
		of := o.byKind[name]
		if of == nil {
			continue
		}
		each = append(each, of.report(name))
		together.variants += of.variants
		together.wrong += of.wrong
		together.took = append(together.took, of.took...)
	}
	return each, together.report("all"), o.faults
}

func (o *outcome) report(name string) report.SoakKind {
	slices.Sort(o.took)
	return report.SoakKind{
		Name: name, Changes: len(o.took) + o.wrong, Variants: o.variants, Wrong: o.wrong,
		MedianSeconds: quantile(o.took, 0.5), P99Seconds: quantile(o.took, 0.99), MostSeconds: quantile(o.took, 1),
	}
}

// quantile returns the smallest of the sorted values that the given part of them does not exceed; 0 if there are none.
func quantile(sorted []float64, part float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max(0, int(math.Ceil(part*float64(len(sorted))))-1)]
}
