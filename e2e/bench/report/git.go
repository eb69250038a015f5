// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
	"strings"
)

// What a fleet in git of the reference's size may take.
const (
	mostFirstSync = 60.0  // seconds until all drafts are pushed
	mostIdleSync  = 5.0   // seconds of a sync with nothing to do
	mostGitMemory = 400e6 // of variants sync, at any time
)

// GitFleets returns the fleets in git: those of the script first, and then by their size.
func (r *Run) GitFleets() []Benchmark {
	return slices.Concat(r.Measured(fleetByScript), r.Measured(fleetBySync))
}

// GitRow is what a fleet in git took: the cells of a table.
func (b Benchmark) GitRow() []string {
	way := "`variants sync`"
	if strings.HasPrefix(b.Name, fleetByScript) {
		way = "a script of kpt and git"
	}
	row := []string{way, count(b.Size())}
	for _, what := range []string{"first", "idle", "upgrade"} {
		row = append(row, seconds(b.Values[what+"-sec/process"]), seconds(b.Values[what+"-cpu-sec/process"]))
	}
	return append(row, megabytes(b.Values["peak-B/process"]))
}

func (r *Run) gitExpectations() []Expectation {
	ours := r.Measured(fleetBySync)
	i := slices.IndexFunc(ours, func(b Benchmark) bool { return b.Size() == reference })
	if i < 0 {
		return nil
	}
	first, idle, memory := ours[i].Values["first-sec/process"], ours[i].Values["idle-sec/process"],
		ours[i].Values["peak-B/process"]
	return []Expectation{{
		Text: fmt.Sprintf("git: at most %s from nothing, %s with nothing to do, and %s of memory, for 1,000 packages",
			seconds(mostFirstSync), seconds(mostIdleSync), megabytes(mostGitMemory)),
		Measured: fmt.Sprintf("%s, %s and %s", seconds(first), seconds(idle), megabytes(memory)),
		Met:      first <= mostFirstSync && idle <= mostIdleSync && memory <= mostGitMemory,
	}}
}
