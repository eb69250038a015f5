// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
)

// Soak is the measurement of a fleet that changes constantly, with a simulated Porch.
type Soak struct {
	// Variants, Repositories and Sets are the numbers at the start.
	Variants     int `json:"variants"`
	Repositories int `json:"repositories"`
	Sets         int `json:"sets"`
	// Latencies are those that the simulated Porch had.
	Latencies []Latency `json:"latencies"`
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
	// Remark says in a sentence what was unusual in the run.
	Remark string `json:"remark,omitempty"`
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
	// Goroutines and Descriptors are the controller's; Watches are all that the API server and Porch served to any client.
	Goroutines  int `json:"goroutines"`
	Descriptors int `json:"descriptors"`
	Watches     int `json:"watches"`
	// Queue is how many objects were queued, Pending how many changes were not right yet.
	Queue   int `json:"queue"`
	Pending int `json:"pending"`
	// Revisions is how many PackageRevisions there were.
	Revisions int `json:"revisions"`
	// CPUSeconds, Requests and Reconciles are the controller's totals since its start.
	CPUSeconds float64 `json:"cpuSeconds"`
	Requests   int     `json:"requests"`
	Reconciles int     `json:"reconciles"`
}

// measured returns the samples after the warm-up.
func (s *Soak) measured() []SoakSample {
	return slices.DeleteFunc(slices.Clone(s.Samples), func(one SoakSample) bool { return one.Seconds < s.WarmUpSeconds })
}

// growth is the growth of one value of the samples after the warm-up.
func (s *Soak) growth(name string, text func(float64) string, of func(*SoakSample) float64) Growth {
	var at, values []float64
	for _, one := range s.measured() {
		at, values = append(at, one.Seconds), append(values, of(&one))
	}
	return growthOf(name, text, at, values)
}

// Growths returns the growth of each value that must not grow.
func (s *Soak) Growths() []Growth {
	all := []Growth{
		s.growth("live heap", megabytes, func(one *SoakSample) float64 { return float64(one.HeapBytes) }),
		s.growth("resident memory", megabytes, func(one *SoakSample) float64 { return float64(one.ResidentBytes) }),
		s.growth("goroutines", digits, func(one *SoakSample) float64 { return float64(one.Goroutines) }),
		s.growth("file descriptors", digits, func(one *SoakSample) float64 { return float64(one.Descriptors) }),
	}
	for i := range all {
		all[i].Bounded = true
	}
	return all
}

// Others returns the growth of other values: what the API server serves, what waits, and what exists.
func (s *Soak) Others() []Growth {
	return []Growth{
		s.growth("watches that are served", digits, func(one *SoakSample) float64 { return float64(one.Watches) }),
		s.growth("objects in the work queues", digits, func(one *SoakSample) float64 { return float64(one.Queue) }),
		s.growth("changes that are not right yet", digits, func(one *SoakSample) float64 { return float64(one.Pending) }),
		s.growth("PackageRevisions", digits, func(one *SoakSample) float64 { return float64(one.Revisions) }),
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

// each returns the increase of a counter per change, between the first and the last sample.
func (s *Soak) each(of func(*SoakSample) float64) float64 {
	if len(s.Samples) == 0 || s.All.Changes == 0 {
		return 0
	}
	return (of(&s.Samples[len(s.Samples)-1]) - of(&s.Samples[0])) / float64(s.All.Changes)
}

// CPUEach is the controller's processor time per change, in seconds.
func (s *Soak) CPUEach() float64 {
	return s.each(func(one *SoakSample) float64 { return one.CPUSeconds })
}

// RequestsEach is the number of requests per change.
func (s *Soak) RequestsEach() float64 {
	return s.each(func(one *SoakSample) float64 { return float64(one.Requests) })
}

// ReconcilesEach is the number of reconciles per change.
func (s *Soak) ReconcilesEach() float64 {
	return s.each(func(one *SoakSample) float64 { return float64(one.Reconciles) })
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

func (s *Soak) expectations() []Expectation {
	if s == nil {
		return nil
	}
	all := []Expectation{{
		Text: "soak: every change right within " + seconds(mostSecondsToRight),
		Measured: fmt.Sprintf("%s of %s were not right; the others within %s, 99 %% of them within %s, while other "+
			"processes used %s cores", count(s.All.Wrong), count(s.All.Changes), seconds(s.All.MostSeconds),
			seconds(s.All.P99Seconds), digits(s.OthersCores())),
		Met: s.All.Changes > 0 && s.All.Wrong == 0 && s.All.MostSeconds <= mostSecondsToRight,
	}, {
		Text:     "soak: every variant right in the end, and what is suspended as it was",
		Measured: fmt.Sprintf("%s of %s were wrong", count(s.Wrong), count(s.Checked)), Met: s.Checked > 0 && s.Wrong == 0,
	}}
	if s.Seconds-s.WarmUpSeconds < leastSeconds {
		return all
	}
	for _, g := range s.Growths() {
		all = append(all, Expectation{
			Text:     fmt.Sprintf("soak: %s: growth in an hour, of the mean: at most %.0f %%", g.Name, 100*mostGrowth),
			Measured: percent(g.Part()), Met: g.Part() <= mostGrowth,
		})
	}
	return all
}
