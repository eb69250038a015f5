// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"
)

// What a plan over the reference's number of Repositories may take.
const (
	mostPlanSeconds = 10.0  // of processor time
	mostPlanMemory  = 300e6 // at any time
	mostFirstLine   = 2.0   // seconds until something is on the terminal
)

// Plans returns the plans of the kubectl plugin, sorted by their number of Repositories.
func (r *Run) Plans() []Benchmark {
	return slices.SortedFunc(slices.Values(r.Measured(planOfSet)), func(a, b Benchmark) int {
		return cmp.Compare(a.Size(), b.Size())
	})
}

// PlanRow is what a plan took: the cells of a table.
func (b Benchmark) PlanRow() []string {
	cpu := b.Values["sec/process"]
	return []string{count(b.Size()), seconds(cpu), seconds(cpu / float64(b.Size())), megabytes(b.Values["peak-B/process"]),
		seconds(b.Values["first-sec/process"])}
}

func (r *Run) planExpectations() []Expectation {
	plans := r.Plans()
	i := slices.IndexFunc(plans, func(b Benchmark) bool { return b.Size() == reference })
	if i < 0 {
		return nil
	}
	at, last := plans[i].Values, plans[len(plans)-1]
	cpu, memory, first := at["sec/process"], at["peak-B/process"], at["first-sec/process"]
	all := []Expectation{{
		Text: fmt.Sprintf("plan: at most %s of processor time, %s of memory and %s until the first line, for a set over "+
			"1,000 Repositories", seconds(mostPlanSeconds), megabytes(mostPlanMemory), seconds(mostFirstLine)),
		Measured: fmt.Sprintf("%s, %s and %s", seconds(cpu), megabytes(memory), seconds(first)),
		Met:      cpu <= mostPlanSeconds && memory <= mostPlanMemory && first <= mostFirstLine,
	}}
	if last.Size() > reference {
		all = append(all, atMost(
			fmt.Sprintf("plan: processor time for a Repository at %s Repositories, for each second at 1,000",
				count(last.Size())),
			last.Values["sec/process"]/float64(last.Size())*reference/cpu, mostSuperlinear))
	}
	return all
}
