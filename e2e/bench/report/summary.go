// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
	"strings"
)

// SummaryTable writes what the README says of each part.
func (r *Run) SummaryTable() string {
	var rows [][]string
	add := func(what, ours, porch string) { rows = append(rows, []string{what, ours, porch}) }
	f, rest, change := r.FanOut, r.Rest, r.Change
	add(fmt.Sprintf("%s drafts in %s repositories, from `kubectl apply` until all are right", count(f.Variants), count(f.Repositories)),
		seconds(f.Ours.Seconds), seconds(f.Porch.Seconds))
	if best := f.BestFloor(); best != nil {
		add("the same by nothing but Porch's own clones and saves", seconds(best.Seconds), seconds(best.Seconds))
	}
	add("requests for that", count(Total(f.Ours.Requests)), count(Total(f.Porch.Requests)))
	add("writes a minute when nothing changes", digits(rest.perMinute(Writes(rest.Ours))), digits(rest.perMinute(Writes(rest.Porch))))
	took := func(r Reaction) string {
		if r.Seconds == 0 {
			return "not within " + seconds(r.WaitedSeconds)
		}
		return fmt.Sprintf("%s, %s packages read", seconds(r.Seconds), count(r.Read))
	}
	add(fmt.Sprintf("an object changes that %s of %s drafts have injected", count(change.Object.Affected), count(change.Object.Variants)),
		took(change.Object.Ours), took(change.Object.Porch))
	add(fmt.Sprintf("an upstream is published that %s of %s packages follow", count(change.Upstream.Affected), count(change.Upstream.Variants)),
		took(change.Upstream.Ours), took(change.Upstream.Porch))
	for _, p := range r.Expansion {
		if p.PorchSeconds > 0 && p.Targets >= reference {
			add(fmt.Sprintf("expanding a set with five expressions a target, %s targets", count(p.Targets)),
				seconds(p.perTarget())+" a target", seconds(p.PorchSeconds/float64(p.Targets))+" a target")
		}
	}
	for _, p := range r.Mutations {
		if p.Function == AllMutations && p.PorchSeconds > 0 {
			add(fmt.Sprintf("the edits of a package of %s resources, in the process", count(p.Resources)), seconds(p.Seconds), seconds(p.PorchSeconds))
		}
	}
	return table([]string{"", here, porchs}, rows)
}

// Judgement tells how many of the expectations are met, and which are not.
func (r *Run) Judgement() string {
	all := r.Expectations()
	var missed []string
	for _, e := range all {
		if !e.Met {
			missed = append(missed, fmt.Sprintf("- not met: %s. Measured: %s.", e.Text, e.Measured))
		}
	}
	text := fmt.Sprintf("%d of %d expectations are met.", len(all)-len(missed), len(all))
	if len(missed) == 0 {
		return text
	}
	return text + "\n\n" + strings.Join(missed, "\n")
}

// ProcessText tells what the functions take as processes, empty if that was not measured.
func (r *Run) ProcessText() string {
	var parts []string
	var sizes []int
	for _, p := range r.Processes {
		if !slices.Contains(sizes, p.Resources) {
			sizes = append(sizes, p.Resources)
			parts = append(parts, fmt.Sprintf("%s on packages of %s resources", r.noopRange(p.Resources), count(p.Resources)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "As processes, the functions take the processor time of a function that does nothing, built on the same SDK, times\n" +
		strings.Join(parts, ", ") + "."
}

// noopRange writes the least and the most processor time of the functions, for each second of one that does nothing, with
// packages of so many resources.
func (r *Run) noopRange(resources int) string {
	var ratios []float64
	for _, p := range r.Processes {
		if p.Resources == resources {
			ratios = append(ratios, p.CPUSeconds/p.NoopCPUSeconds)
		}
	}
	low, high := times(slices.Min(ratios)), times(slices.Max(ratios))
	if low == high {
		return low
	}
	return low + " to " + high
}

// ScaleText tells what the largest fleet took, empty if none was measured.
func (r *Run) ScaleText() string {
	if r.Scale == nil || len(r.Scale.Points) == 0 {
		return ""
	}
	last := r.Scale.Points[len(r.Scale.Points)-1]
	return fmt.Sprintf("With %s variants in %s repositories of a simulated Porch, the controller takes at most %s of memory, and %s\nof processor time until all are ready.",
		count(last.Variants), count(last.Repositories), megabytes(last.PeakBytes), seconds(last.CPUSeconds))
}
