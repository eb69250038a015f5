// SPDX-License-Identifier: Apache-2.0

package report

import (
	"math"
	"slices"
)

const secondsPerHour = 3600

// Growth is how a sampled value grew: the straight line that fits it best, by least squares.
type Growth struct {
	// Name says what it is.
	Name string
	// Bounded says that it must not grow; growth of other values is only reported.
	Bounded bool
	// text formats a value.
	text func(float64) string
	// Mean, Least and Most are those of the samples.
	Mean, Least, Most float64
	// PerHour is the slope of the line, and Error its standard error; both are NaN if there are too few samples.
	PerHour, Error float64
}

// Part returns the growth per hour, relative to the mean.
func (g *Growth) Part() float64 { return g.PerHour / g.Mean }

// growthOf fits a line to values at times in seconds.
func growthOf(name string, text func(float64) string, at, values []float64) Growth {
	g := Growth{Name: name, text: text, PerHour: math.NaN(), Error: math.NaN()}
	if len(values) == 0 {
		return g
	}
	g.Mean, g.Least, g.Most = mean(values), slices.Min(values), slices.Max(values)
	middle := mean(at)
	var squares, products float64
	for i := range at {
		squares += (at[i] - middle) * (at[i] - middle)
		products += (at[i] - middle) * (values[i] - g.Mean)
	}
	const free = 2 // a line has two parameters
	if len(values) <= free || squares == 0 {
		return g
	}
	slope := products / squares
	var rest float64
	for i := range at {
		off := values[i] - g.Mean - slope*(at[i]-middle)
		rest += off * off
	}
	g.PerHour = slope * secondsPerHour
	g.Error = math.Sqrt(rest/float64(len(values)-free)/squares) * secondsPerHour
	return g
}

func mean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// Row returns the growth as a table row.
func (g *Growth) Row() []string {
	fail := "not known"
	if !math.IsNaN(g.Error) {
		fail = g.text(g.Error)
	}
	part := ""
	if g.Bounded {
		part = percent(g.Part())
	}
	return []string{
		g.Name, g.text(g.Mean), g.text(g.Least), g.text(g.Most), signed(g.PerHour, g.text), fail, part,
	}
}

// signed formats a number with its sign.
func signed(v float64, text func(float64) string) string {
	if math.IsNaN(v) {
		return "not known"
	}
	if v < 0 {
		return "-" + text(-v)
	}
	return "+" + text(v)
}

// percent formats a ratio as a percentage with its sign.
func percent(part float64) string {
	if math.IsNaN(part) {
		return "not known"
	}
	return signed(part, func(v float64) string { return digits(100*v) + " %" })
}
