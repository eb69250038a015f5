// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// The plots, by the names of their files in the directory of the page, without their ends: each is there for a light
// and for a dark surrounding.
const (
	fanOutPlot    = "fan-out"
	expansionPlot = "expansion"
	scalePlot     = "scale"
	soakPlot      = "soak"
)

// Plots returns the plots of what was measured, as SVG, by the names of their files.
func (r *Run) Plots() (map[string]string, error) {
	figures := map[string]func(*theme) (string, error){}
	if r.FanOut != nil {
		figures[fanOutPlot] = r.fanOutPlot
	}
	if len(r.Measured(expansionOurs)) > 0 {
		figures[expansionPlot] = r.expansionPlot
	}
	if r.Scale != nil {
		figures[scalePlot] = r.Scale.plot
	}
	if r.Soak != nil {
		figures[soakPlot] = r.Soak.plot
	}
	files := map[string]string{}
	for name, figure := range figures {
		for end, colours := range map[string]*theme{lightEnd: light, darkEnd: dark} {
			svg, err := figure(colours)
			if err != nil {
				return nil, fmt.Errorf("cannot draw %s: %w", name, err)
			}
			files[name+end] = svg
		}
	}
	return files, nil
}

// fanOutPlot draws the fan-out, and the rest after it.
func (r *Run) fanOutPlot(t *theme) (string, error) {
	f := r.FanOut
	pair := func(title string, text func(float64) string, ours, porch float64) *plot.Plot {
		return t.bars(title, text, bar{here, ours, t.ours}, bar{porchs, porch, t.other})
	}
	requests := func(of func([]RequestCount) int) (ours, porch float64) {
		return float64(of(f.Ours.Requests)), float64(of(f.Porch.Requests))
	}
	wall := []bar{{here, f.Ours.Seconds, t.ours}, {porchs, f.Porch.Seconds, t.other}}
	if best := f.BestFloor(); best != nil {
		wall = append([]bar{{"Porch's calls alone", best.Seconds, t.floor}}, wall...)
	}
	ours, porch := requests(Total)
	oursSaved, porchSaved := requests(PackageWrites)
	plots := []*plot.Plot{
		t.bars("Until all drafts are right", seconds, wall...),
		pair("Requests to the Kubernetes API", digits, ours, porch),
		pair("Processor time of the controller", seconds, f.Ours.CPUSeconds, f.Porch.CPUSeconds),
		pair("Writes of packages", digits, oursSaved, porchSaved),
		pair("Memory of the controller, at most", megabytes, float64(f.Ours.PeakBytes), float64(f.Porch.PeakBytes)),
	}
	if r.Rest != nil {
		plots = append(plots, pair("Writes a minute when nothing changes", digits,
			r.Rest.perMinute(Writes(r.Rest.Ours)), r.Rest.perMinute(Writes(r.Rest.Porch))))
	}
	return t.figure(fmt.Sprintf("From one set to %s drafts in %s repositories: this project's controller and Porch's own",
		count(f.Variants), count(f.Repositories)), 92, plots)
}

// expansionPlot draws the growth of the time that an expansion takes.
func (r *Run) expansionPlot(t *theme) (string, error) {
	ours, porch := line{label: here, colour: t.ours}, line{label: porchs, colour: t.other}
	oursEach, porchEach := ours, porch
	for _, e := range r.Expansions() {
		ours.add(e.Size(), e.Seconds())
		oursEach.add(e.Size(), e.PerSize())
		if e.Porch != nil {
			porch.add(e.Size(), e.Porch.Seconds())
			porchEach.add(e.Size(), e.Porch.PerSize())
		}
	}
	return t.figure("Expanding a set with five expressions a target, by the number of targets", plotHeight, []*plot.Plot{
		t.lines("Time in all", seconds, ours, porch), t.lines("Time for a target", seconds, oursEach, porchEach),
	})
}

// plot draws the growth of what the controller takes.
func (s *Scale) plot(t *theme) (string, error) {
	peak, heap := line{label: "resident, at most", colour: t.ours}, line{label: "live heap", colour: t.floor}
	ready, cpu := line{label: "time", colour: t.ours}, line{label: "processor time of the controller", colour: t.floor}
	for _, p := range s.Points {
		peak.add(p.Variants, float64(p.PeakBytes))
		heap.add(p.Variants, float64(p.HeapBytes))
		ready.add(p.Variants, p.ConvergeSeconds)
		cpu.add(p.Variants, p.CPUSeconds)
	}
	return t.figure("One controller before a simulated Porch, by the number of variants", plotHeight, []*plot.Plot{
		t.lines("Memory", megabytes, peak, heap), t.lines("Until all variants are ready", seconds, ready, cpu),
	})
}

// plot draws what the controller was, over the time.
func (s *Soak) plot(t *theme) (string, error) {
	resident, heap := line{label: "resident", colour: t.ours}, line{label: "live heap", colour: t.floor}
	goroutines := line{label: "goroutines", colour: t.ours}
	descriptors := line{label: "file descriptors", colour: t.floor}
	for _, one := range s.Samples {
		const minute = 60
		add := func(l *line, y float64) { l.points = append(l.points, plotter.XY{X: one.Seconds / minute, Y: y}) }
		add(&resident, float64(one.ResidentBytes))
		add(&heap, float64(one.HeapBytes))
		add(&goroutines, float64(one.Goroutines))
		add(&descriptors, float64(one.Descriptors))
	}
	return t.figure(fmt.Sprintf("One controller with %s variants that change all the time, by minutes",
		count(s.Variants)), plotHeight, []*plot.Plot{
		t.curves("Memory", megabytes, resident, heap), t.curves("In the process", digits, goroutines, descriptors),
	})
}
