// SPDX-License-Identifier: Apache-2.0

package report

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/plot"
)

// sampleSoak is a soak of half an hour in which goroutines grow by 120 per hour.
func sampleSoak() *Soak {
	s := &Soak{
		Variants: 10_000, Repositories: 1000, Sets: 100, Seed: 7, Rate: 2, SettleSeconds: 900, Seconds: 1800,
		WarmUpSeconds: 300, OthersCPUSeconds: 900, PutOff: 3, Checked: 10_000, Remark: "It rained.",
		Latencies: []Latency{{Verb: "create", Resource: "packagerevisions", MedianSeconds: 0.1}},
		Kinds: []SoakKind{
			{Name: "a draft is approved", Changes: 40, Variants: 40, MedianSeconds: 0.5, P99Seconds: 2, MostSeconds: 3},
			{Name: "an upstream revision is published", Changes: 10, Variants: 2000, MedianSeconds: 12, P99Seconds: 30,
				MostSeconds: 59},
		},
		All: SoakKind{Name: "all", Changes: 50, Variants: 2040, MedianSeconds: 0.6, P99Seconds: 29, MostSeconds: 59},
	}
	for minute := 0; minute <= 30; minute += 5 {
		noise := int64(1_000_000 * (minute % 2))
		s.Samples = append(s.Samples, SoakSample{
			Seconds: float64(60 * minute), HeapBytes: 130_000_000 + noise, ResidentBytes: 300_000_000, Goroutines: 150 + 2*minute,
			Descriptors: 13, Watches: 36, Queue: minute % 3, Pending: 2, Revisions: 10_600 + minute, CPUSeconds: 300 + float64(minute),
			Requests: 100_000 + 30*minute, Reconciles: 40_000 + 20*minute,
		})
	}
	s.Samples[0].Goroutines = 10_000 // before the warm-up is over
	return s
}

// TestGrowthOf checks which line is fitted to values, and the result when no line fits.
func TestGrowthOf(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for name, c := range map[string]struct {
		at, values       []float64
		mean, hour, fail float64
	}{
		"a line":        {[]float64{0, 60, 120}, []float64{5, 6, 7}, 6, 60, 0},
		"a fall":        {[]float64{0, 1800, 3600}, []float64{7, 6, 5}, 6, -2, 0},
		"flat":          {[]float64{0, 60, 120}, []float64{5, 5, 5}, 5, 0, 0},
		"noise":         {[]float64{0, 3600, 7200, 10800}, []float64{4, 6, 4, 6}, 5, 0.4, math.Sqrt(3.2 / 2 / 5)},
		"two":           {[]float64{0, 60}, []float64{5, 6}, 5.5, nan, nan},
		"at one moment": {[]float64{9, 9, 9}, []float64{4, 5, 6}, 5, nan, nan},
		"none":          {nil, nil, 0, nan, nan},
	} {
		g := growthOf(name, digits, c.at, c.values)
		same := func(a, b float64) bool { return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) < 1e-9 }
		if !same(g.Mean, c.mean) || !same(g.PerHour, c.hour) || !same(g.Error, c.fail) {
			t.Errorf("%s: %v, %v in an hour with an error of %v; want %v, %v and %v", name, g.Mean, g.PerHour, g.Error, c.mean,
				c.hour, c.fail)
		}
	}
}

// TestGrowths checks which growths are reported from the samples after the warm-up.
func TestGrowths(t *testing.T) {
	t.Parallel()
	var got [][]string
	for _, g := range append(sampleSoak().Growths(), sampleSoak().Others()...) {
		got = append(got, g.Row())
	}
	want := [][]string{
		{"live heap", "130 MB", "130 MB", "131 MB", "-1.03 MB", "1.68 MB", "-0.788 %"},
		{"resident memory", "300 MB", "300 MB", "300 MB", "+0 MB", "0 MB", "+0 %"},
		{"goroutines", "185", "160", "210", "+120", "0", "+64.9 %"},
		{"file descriptors", "13", "13", "13", "+0", "0", "+0 %"},
		{"watches that are served", "36", "36", "36", "+0", "0", ""},
		{"objects in the work queues", "1", "0", "2", "-2.74", "2.52", ""},
		{"changes that are not right yet", "2", "2", "2", "+0", "0", ""},
		{"PackageRevisions", "10,618", "10,605", "10,630", "+60", "0", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestSoakExpectations checks the expectations of a soak.
func TestSoakExpectations(t *testing.T) {
	t.Parallel()
	other := sampleSoak()
	other.All.Wrong, other.Wrong = 1, 2
	slow := sampleSoak()
	slow.All.MostSeconds = 60.1
	brief := sampleSoak()
	brief.WarmUpSeconds, brief.OthersCPUSeconds = 601, 900
	short := sampleSoak()
	short.Samples = short.Samples[:2]
	const beside = ", while other processes used 0.5 cores"
	const growth = ": growth in an hour, of the mean: at most 5 %"
	expected := func(changes string, inTime bool, wrong string, right bool, goroutines string) []Expectation {
		return []Expectation{
			{"soak: every change right within 60 s", changes, inTime},
			{"soak: every variant right in the end, and what is suspended as it was", wrong, right},
			{"soak: live heap" + growth, "-0.788 %", true}, {"soak: resident memory" + growth, "+0 %", true},
			{"soak: goroutines" + growth, goroutines, false}, {"soak: file descriptors" + growth, "+0 %", true},
		}
	}
	none := expected("0 of 50 were not right; the others within 59 s, 99 % of them within 29 s"+beside, true,
		"0 of 10,000 were wrong", true, "+64.9 %")
	undecided := append([]Expectation{}, none[:2]...)
	for _, e := range none[2:] {
		undecided = append(undecided, Expectation{e.Text, "not known", false})
	}
	for name, c := range map[string]struct {
		soak *Soak
		want []Expectation
	}{
		"not measured": {nil, nil},
		"in time":      {sampleSoak(), none},
		"wrong": {other, expected("1 of 50 were not right; the others within 59 s, 99 % of them within 29 s"+beside, false,
			"2 of 10,000 were wrong", false, "+64.9 %")},
		"too late": {slow, expected("0 of 50 were not right; the others within 60.1 s, 99 % of them within 29 s"+beside, false,
			"0 of 10,000 were wrong", true, "+64.9 %")},
		"brief":         {brief, none[:2]},
		"short to tell": {short, undecided},
	} {
		if diff := cmp.Diff(c.want, c.soak.expectations()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestBySteps checks the steps of an axis.
func TestBySteps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		high float64
		want []string
	}{
		"a step of 2":       {9, []string{"0", "2", "4", "6", "8", "10"}},
		"a step of 5":       {24, []string{"0", "5", "10", "15", "20", "25"}},
		"a step of 10":      {50, []string{"0", "10", "20", "30", "40", "50"}},
		"less than one":     {0.003, []string{"0", "0.001", "0.002", "0.003"}},
		"nothing":           {0, []string{"0", "0.2", "0.4", "0.6", "0.8", "1"}},
		"no values, by Inf": {math.Inf(-1), []string{"0", "0.2", "0.4", "0.6", "0.8", "1"}},
	} {
		axis := plot.Axis{Min: 3, Max: c.high}
		bySteps(&axis, digits)
		var got []string
		for _, tick := range axis.Tick.Marker.Ticks(axis.Min, axis.Max) {
			got = append(got, tick.Label)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestSoakFaults checks the end of the page with and without faults.
func TestSoakFaults(t *testing.T) {
	t.Parallel()
	const before, after = "with 18 requests.", "It is not a part of `make bench`: `make soak` measures it, and `SOAK_FOR` " +
		"says for how long.\n"
	wrong := sampleSoak()
	wrong.Faults, wrong.Fault = []string{"one is late", "another is, too"}, "site-0001/web-0 has no draft"
	for want, s := range map[string]*Soak{
		"\n\n" + after: sampleSoak(),
		"\n\nWhat was wrong:\n\n- one is late\n- another is, too\n\nIn the end: site-0001/web-0 has no draft\n\n" + after: wrong,
	} {
		page, err := (&Run{Soak: s}).Markdown()
		if err != nil {
			t.Fatal(err)
		}
		_, got, _ := strings.Cut(page, before)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after %q (-want +got):\n%s", before, diff)
		}
	}
}
