// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"

	"github.com/package-variants/package-variants/e2e/bench/chart"
)

// The files of the plots, in the directory of the page.
const (
	fanOutPlot    = "fan-out.svg"
	expansionPlot = "expansion.svg"
	scalePlot     = "scale.svg"
)

// Plots returns the plots of what was measured, as SVG, by the names of their files.
func (r *Run) Plots() map[string]string {
	plots := map[string]string{}
	if r.FanOut != nil {
		plots[fanOutPlot] = r.fanOutPlot()
	}
	if len(r.Expansion) > 0 {
		plots[expansionPlot] = r.expansionPlot()
	}
	if r.Scale != nil {
		plots[scalePlot] = r.Scale.plot()
	}
	return plots
}

// fanOutPlot draws the fan-out, and the rest after it.
func (r *Run) fanOutPlot() string {
	f := r.FanOut
	ours := func(v float64, text string) chart.Bar {
		return chart.Bar{Series: chart.Ours, Label: here, Value: v, Text: text}
	}
	porch := func(v float64, text string) chart.Bar {
		return chart.Bar{Series: chart.Other, Label: porchs, Value: v, Text: text}
	}
	pair := func(title string, of func(*Contender) float64, text func(float64) string) chart.Panel {
		return chart.Panel{Title: title, Bars: []chart.Bar{ours(of(&f.Ours), text(of(&f.Ours))), porch(of(&f.Porch), text(of(&f.Porch)))}}
	}
	number := func(v float64) string { return count(int(v)) }
	wall := pair("Until all drafts are right", func(c *Contender) float64 { return c.Seconds }, seconds)
	if best := f.BestFloor(); best != nil {
		floor := chart.Bar{Series: chart.Floor, Label: "Porch's calls alone", Value: best.Seconds, Text: seconds(best.Seconds)}
		wall.Bars = append([]chart.Bar{floor}, wall.Bars...)
	}
	panels := []chart.Panel{
		wall,
		pair("Requests to the Kubernetes API", func(c *Contender) float64 { return float64(Total(c.Requests)) }, number),
		pair("Processor time of the controller", func(c *Contender) float64 { return c.CPUSeconds }, seconds),
		pair("Writes of packages", func(c *Contender) float64 { return float64(PackageWrites(c.Requests)) }, number),
		pair("Memory of the controller, at most", func(c *Contender) float64 { return float64(c.PeakBytes) }, func(v float64) string { return megabytes(int64(v)) }),
	}
	if r.Rest != nil {
		writes := func(requests []RequestCount) float64 { return r.Rest.perMinute(Writes(requests)) }
		panels = append(panels, chart.Panel{Title: "Writes a minute when nothing changes", Bars: []chart.Bar{
			ours(writes(r.Rest.Ours), digits(writes(r.Rest.Ours))), porch(writes(r.Rest.Porch), digits(writes(r.Rest.Porch))),
		}})
	}
	title := fmt.Sprintf("From one set to %s drafts in %s repositories: this project's controller and Porch's own", count(f.Variants), count(f.Repositories))
	return chart.Bars(title, panels)
}

// perMinute returns how many of something that was counted there are in a minute.
func (r *Rest) perMinute(n int) float64 { return float64(n) / r.Seconds * 60 }

// expansionPlot draws the growth of the time that an expansion takes.
func (r *Run) expansionPlot() string {
	line := func(series chart.Series, label string, value func(ExpansionPoint) float64) chart.Line {
		l := chart.Line{Series: series, Label: label}
		for _, p := range r.Expansion {
			if v := value(p); v > 0 {
				l.Points = append(l.Points, chart.Point{X: float64(p.Targets), Y: v})
			}
		}
		return l
	}
	plot := func(title string, of func(seconds float64, p ExpansionPoint) float64) chart.Plot {
		return chart.Plot{Title: title, XText: whole, YText: seconds, Lines: []chart.Line{
			line(chart.Ours, here, func(p ExpansionPoint) float64 { return of(p.Seconds, p) }),
			line(chart.Other, porchs, func(p ExpansionPoint) float64 { return of(p.PorchSeconds, p) }),
		}}
	}
	return chart.Lines("Expanding a set with five expressions a target, by the number of targets", []chart.Plot{
		plot("Time in all", func(s float64, _ ExpansionPoint) float64 { return s }),
		plot("Time for a target", func(s float64, p ExpansionPoint) float64 { return s / float64(p.Targets) }),
	})
}

// plot draws the growth of what the controller takes.
func (s *Scale) plot() string {
	line := func(series chart.Series, label string, value func(ScalePoint) float64) chart.Line {
		l := chart.Line{Series: series, Label: label}
		for _, p := range s.Points {
			l.Points = append(l.Points, chart.Point{X: float64(p.Variants), Y: value(p)})
		}
		return l
	}
	return chart.Lines("One controller before a simulated Porch, by the number of variants", []chart.Plot{
		{Title: "Memory", XText: whole, YText: func(v float64) string { return megabytes(int64(v)) }, Lines: []chart.Line{
			line(chart.Ours, "resident, at most", func(p ScalePoint) float64 { return float64(p.PeakBytes) }),
			line(chart.Floor, "live heap", func(p ScalePoint) float64 { return float64(p.HeapBytes) }),
		}},
		{Title: "Until all variants are ready", XText: whole, YText: seconds, Lines: []chart.Line{
			line(chart.Ours, "time", func(p ScalePoint) float64 { return p.ConvergeSeconds }),
			line(chart.Floor, "processor time of the controller", func(p ScalePoint) float64 { return p.CPUSeconds }),
		}},
	})
}

// whole writes a whole number at an axis.
func whole(v float64) string { return count(int(v)) }
