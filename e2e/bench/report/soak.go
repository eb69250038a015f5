// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Soak is the measurement of a fleet that changes constantly, with a simulated Porch.
type Soak struct {
	// Variants, Repositories and Sets are the numbers at the start.
	Variants     int `json:"variants"`
	Repositories int `json:"repositories"`
	Sets         int `json:"sets"`
	// Seed is the seed of the changes, and Rate how many there are in a second.
	Seed uint64  `json:"seed"`
	Rate float64 `json:"rate"`
	// SettleSeconds is how long it took to make the fleet, before the changes.
	SettleSeconds float64 `json:"settleSeconds"`
	// Seconds is how long there were changes.
	Seconds float64 `json:"seconds"`
	// WarmUpSeconds is the part of that time that does not count for growth.
	WarmUpSeconds float64 `json:"warmUpSeconds"`
	// Kinds are the changes, by their kinds.
	Kinds []SoakKind `json:"kinds"`
	// All are all changes together.
	All SoakKind `json:"all"`
	// Faults describe the first changes that were not right in time.
	Faults []string `json:"faults,omitempty"`
	// PutOff is how often a change was put off because all possible targets were already changing.
	PutOff int `json:"putOff"`
	// Wrong is how many of Checked variants were not right after the changes; Fault says what is wrong with one.
	Checked int    `json:"checked"`
	Wrong   int    `json:"wrong"`
	Fault   string `json:"fault,omitempty"`
	// Samples are samples of the controller over time.
	Samples []SoakSample `json:"samples"`
	// OthersCPUSeconds is the processor time that the machine spent on other things during the changes.
	OthersCPUSeconds float64 `json:"othersCPUSeconds"`
}

// SoakKind are the changes of a kind.
type SoakKind struct {
	// Name says what changes.
	Name string `json:"name"`
	// Changes is the number of changes, Variants how many variants they affected in total, Wrong how many changes were not
	// right.
	Changes  int `json:"changes"`
	Variants int `json:"variants"`
	Wrong    int `json:"wrong"`
	// MedianSeconds, P99Seconds and MostSeconds are the median, the 99th percentile and the maximum of the times from a
	// change until everything was right, without changes that were not.
	MedianSeconds float64 `json:"medianSeconds"`
	P99Seconds    float64 `json:"p99Seconds"`
	MostSeconds   float64 `json:"mostSeconds"`
}

// SoakSample is a sample of the controller.
type SoakSample struct {
	// Seconds is the time since the changes began.
	Seconds float64 `json:"seconds"`
	// HeapBytes is its live heap at the last collection, ResidentBytes its resident memory.
	HeapBytes     int64 `json:"heapBytes"`
	ResidentBytes int64 `json:"residentBytes"`
	Goroutines    int   `json:"goroutines"`
	Descriptors   int   `json:"descriptors"`
	// CPUSeconds, Requests and Reconciles are the controller's totals since its start.
	CPUSeconds float64 `json:"cpuSeconds"`
	Requests   int     `json:"requests"`
	Reconciles int     `json:"reconciles"`
}

// Growths returns the growth of each value that must not grow.
func (s *Soak) Growths() []Growth {
	of := func(name string, text func(float64) string, value func(*SoakSample) float64) Growth {
		var at, values []float64
		for i := range s.Samples {
			if one := &s.Samples[i]; one.Seconds >= s.WarmUpSeconds {
				at, values = append(at, one.Seconds), append(values, value(one))
			}
		}
		return growthOf(name, text, at, values)
	}
	return []Growth{
		of("live heap", megabytes, func(one *SoakSample) float64 { return float64(one.HeapBytes) }),
		of("resident memory", megabytes, func(one *SoakSample) float64 { return float64(one.ResidentBytes) }),
		of("goroutines", digits, func(one *SoakSample) float64 { return float64(one.Goroutines) }),
		of("file descriptors", digits, func(one *SoakSample) float64 { return float64(one.Descriptors) }),
	}
}

// KindRows are the changes by kind, and all together.
func (s *Soak) KindRows() [][]string {
	var rows [][]string
	for _, k := range append(slices.Clone(s.Kinds), s.All) {
		if k.Name == "all" {
			k.Name = "**all**"
		}
		rows = append(rows, []string{k.Name, count(k.Changes), count(k.Variants), seconds(k.MedianSeconds),
			seconds(k.P99Seconds), seconds(k.MostSeconds), count(k.Wrong)})
	}
	return rows
}

// Each are the controller's processor time, reconciles and requests for a change.
func (s *Soak) Each() []string {
	if len(s.Samples) == 0 || s.All.Changes == 0 {
		return []string{"nothing"}
	}
	first, last, n := s.Samples[0], s.Samples[len(s.Samples)-1], float64(s.All.Changes)
	return []string{
		seconds((last.CPUSeconds-first.CPUSeconds)/n) + " of processor time",
		digits(float64(last.Reconciles-first.Reconciles)/n) + " reconciles",
		digits(float64(last.Requests-first.Requests)/n) + " requests",
	}
}

// PerSecond is the number of changes per second.
func (s *Soak) PerSecond() float64 { return float64(s.All.Changes) / s.Seconds }

// OthersCores is how many cores were busy with other things.
func (s *Soak) OthersCores() float64 { return s.OthersCPUSeconds / s.Seconds }

// The limits of the expectations of a soak.
const (
	mostSecondsToRight = 60.0 // from a change until everything is right
	mostGrowth         = 0.05 // of the mean, in an hour
	leastSeconds       = 1200 // after the warm-up; a shorter run says nothing about growth in an hour
)

// Bounds returns the bounds of a soak, with what was measured.
func (s *Soak) Bounds() []Bound {
	all := []Bound{{
		Text: "every change right within " + seconds(mostSecondsToRight),
		Verdicts: []Verdict{{fmt.Sprintf("%s of %s not right, the others within %s", count(s.All.Wrong), count(s.All.Changes),
			seconds(s.All.MostSeconds)), s.All.Changes > 0 && s.All.Wrong == 0 && s.All.MostSeconds <= mostSecondsToRight}},
	}, {
		Text:     "every variant right in the end, and what is suspended as it was",
		Verdicts: []Verdict{{fmt.Sprintf("%s of %s wrong", count(s.Wrong), count(s.Checked)), s.Checked > 0 && s.Wrong == 0}},
	}}
	if s.Seconds-s.WarmUpSeconds < leastSeconds {
		return all
	}
	for _, g := range s.Growths() {
		all = append(all, Bound{
			Text:     fmt.Sprintf("%s: growth in an hour, of the mean: at most %.0f %%", g.Name, 100*mostGrowth),
			Verdicts: []Verdict{{percent(g.Part()), g.Part() <= mostGrowth}},
		})
	}
	return all
}

// Growth is how a sampled value grew: the straight line that fits it best, by least squares.
type Growth struct {
	// Name says what it is.
	Name string
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
	return []string{
		g.Name, g.text(g.Mean), g.text(g.Least), g.text(g.Most), signed(g.PerHour, g.text),
		strings.TrimPrefix(signed(g.Error, g.text), "+"), percent(g.Part()),
	}
}

// signed formats a number with its sign.
func signed(v float64, text func(float64) string) string {
	if math.IsNaN(v) {
		return "?"
	}
	if v < 0 {
		return "-" + text(-v)
	}
	return "+" + text(v)
}

// percent formats a ratio as a percentage with its sign.
func percent(part float64) string {
	return signed(part, func(v float64) string { return digits(100*v) + " %" })
}
