// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// The plots, by file name in the directory of the page, without the endings: each has a light and a dark version.
const (
	fanOutPlot    = "fan-out"
	expansionPlot = "expansion"
	scalePlot     = "scale"
	soakPlot      = "soak"
)

// Plots returns the plots of the measurements as SVG, by file name.
func (r *Run) Plots() (map[string]string, error) {
	figures := map[string]func(*theme) (string, error){}
	if fanOuts := r.Caches.With(PartFanOut); len(fanOuts) > 0 {
		figures[fanOutPlot] = fanOuts.fanOutPlot
	}
	if len(r.Measured(expansionOurs)) > 0 {
		figures[expansionPlot] = r.expansionPlot
	}
	if scales := r.Caches.With(PartScale); len(scales) > 0 {
		figures[scalePlot] = scales.scalePlot
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

// fanOutPlot draws the fan-out and the rest.
func (c Caches) fanOutPlot(t *theme) (string, error) {
	pair := func(title string, text func(float64) string, caches Caches,
		of func(*OnCache) (ours, porch float64)) *plot.Plot {
		var bars []bar
		for i := range caches {
			ours, porch := of(&caches[i])
			bars = append(bars, caches[i].bar(here, ours, t.ours), caches[i].bar(porchs, porch, t.other))
		}
		return t.bars(title, text, bars...)
	}
	contender := func(of func(*Contender) float64) func(*OnCache) (ours, porch float64) {
		return func(on *OnCache) (ours, porch float64) { return of(&on.FanOut.Ours), of(&on.FanOut.Porch) }
	}
	requests := func(of func([]RequestCount) int) func(*OnCache) (ours, porch float64) {
		return contender(func(c *Contender) float64 { return float64(of(c.Requests)) })
	}
	var wall []bar
	for i := range c {
		f := c[i].FanOut
		if best := f.BestFloor(); best != nil {
			wall = append(wall, c[i].bar("Porch's calls alone", best.Seconds, t.floor))
		}
		wall = append(wall, c[i].bar(here, f.Ours.Seconds, t.ours), c[i].bar(porchs, f.Porch.Seconds, t.other))
	}
	plots := []*plot.Plot{
		t.bars("Until all drafts are right", seconds, wall...),
		pair("Requests to the Kubernetes API", digits, c, requests(Total)),
		pair("Processor time of the controller", seconds, c, contender(func(c *Contender) float64 { return c.CPUSeconds })),
		pair("Writes of packages", digits, c, requests(PackageWrites)),
		pair("Memory of the controller, at most", megabytes, c,
			contender(func(c *Contender) float64 { return float64(c.PeakBytes) })),
	}
	if resting := c.With(PartRest); len(resting) > 0 {
		plots = append(plots, pair("Writes a minute when nothing changes", digits, resting,
			func(on *OnCache) (ours, porch float64) {
				return on.Rest.perMinute(Writes(on.Rest.Ours)), on.Rest.perMinute(Writes(on.Rest.Porch))
			}))
	}
	f := c.First().FanOut
	return t.figure(fmt.Sprintf("From one set to %s in %s repositories: this project's controller and Porch's own",
		f.Drafts(), count(f.Repositories)), vg.Length(32+60*len(c)), plots)
}

// bar is a bar for the cache.
func (c *OnCache) bar(label string, value float64, colour color.Color) bar {
	return bar{label + ", " + c.Cache, value, colour}
}

// expansionPlot draws how the time of an expansion grows.
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

// scalePlot draws how the controller's needs grow.
func (c Caches) scalePlot(t *theme) (string, error) {
	var plots []*plot.Plot
	for i := range c {
		peak, heap := line{label: "resident, at most", colour: t.ours}, line{label: "live heap", colour: t.floor}
		ready, cpu := line{label: "time", colour: t.ours}, line{label: "processor time of the controller", colour: t.floor}
		for _, p := range c[i].Scale.Points {
			peak.add(p.Variants, float64(p.PeakBytes))
			heap.add(p.Variants, float64(p.HeapBytes))
			ready.add(p.Variants, p.ConvergeSeconds)
			cpu.add(p.Variants, p.CPUSeconds)
		}
		plots = append(plots, t.lines("Memory, "+c[i].Cache, megabytes, peak, heap),
			t.lines("Until all variants are ready, "+c[i].Cache, seconds, ready, cpu))
	}
	return t.figure("One controller before a simulated Porch, by the number of variants", plotHeight, plots)
}

// plot draws the samples of the controller over time.
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
