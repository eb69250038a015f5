// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"maps"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/machine"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
	"github.com/package-variants/package-variants/e2e/internal/tree"

	"github.com/google/go-cmp/cmp"
)

// sample is a run with numbers that are easy to recognize in the documents.
func sample() *Run {
	processed := func(cpu float64) map[string]float64 {
		return map[string]float64{"sec/process": cpu, "noop-sec/process": 0.01, "catalog-sec/process": 0.02}
	}
	fleet := map[string]float64{"first-sec/process": 8, "first-cpu-sec/process": 4, "idle-sec/process": 0.2,
		"idle-cpu-sec/process": 0.1, "upgrade-sec/process": 6, "upgrade-cpu-sec/process": 3, "peak-B/process": 60e6}
	return &Run{
		Origin: Origin{
			Date: "2026-01-02", Command: "make bench",
			Machine:  machine.Machine{CPU: "Example 9000", Cores: 2, MemoryBytes: 8_000_000_000, System: "Linux 6.1"},
			Versions: []Version{{"this project", "commit one"}, {"Go", "1.26.0"}, {"Porch", "v1.5.3"}},
		},
		Contests: Contests{sampleContest("CR", 10), sampleContest("DB", 8)},
		Scales:   []Scale{sampleScale("CR"), sampleScale("DB")},
		Benchmarks: map[string][]Benchmark{
			PartExpansion: {
				{"e2e/compat", "Expansion/porch/1000", map[string]float64{"sec/op": 0.4}},
				{"e2e/compat", "Expansion/ours/1000", map[string]float64{"sec/op": 0.002, "B/op": 2_000_000}},
				{"e2e/compat", "Expansion/ours/10000", map[string]float64{"sec/op": 0.02, "B/op": 20_000_000}},
			},
			PartFunctions: {
				{"functions/inject-config/injection", "InProcess/10", map[string]float64{"sec/op": 0.0001, "B/op": 50_000}},
				{"functions/inject-config/injection", "InProcess/1000", map[string]float64{"sec/op": 0.001, "B/op": 500_000}},
				{"functions/krm", "Process/inject-config/10", processed(0.0102)},
				{"functions/krm", "Process/inject-config/1000", processed(0.005)},
				{"engine/mutate", "Apply/10", map[string]float64{"sec/op": 0.0002, "B/op": 150_000}},
			},
			PartPlan: {{"sync-controller/kubectl-variants/internal/command/plan", "Plan/1000", map[string]float64{
				"sec/process": 8, "peak-B/process": 250e6, "took-sec/process": 1.2}}},
			PartGit: {{"e2e/script", "Fleet/script/50", fleet}, {"e2e/script", "Fleet/sync/50", fleet}},
		},
		Soak: sampleSoak(),
	}
}

// sampleContest is a contest with a cache, in which Porch's own clones and saves take so many seconds.
func sampleContest(cache string, floor float64) Contest {
	return Contest{
		Cache: cache, Variants: 50, Repositories: 5, Files: 26, Injecting: 20, Following: 10,
		Ours: Contender{
			FanOut: FanOut{Seconds: 11.5, CPUSeconds: 1.5, PeakBytes: 60_000_000,
				Requests: Requests{All: 350, Refused: 1, Writes: 270, Drafts: 50, Saves: 50, Reads: 51}},
			RestSeconds: 40,
			Object:      Reaction{Seconds: 2.5, Read: 20, Saved: 20, Requests: Requests{All: 100}},
			Upstream:    Reaction{Seconds: 1.25, Read: 11, Saved: 10, Others: 1, Requests: Requests{All: 60, Drafts: 10}},
		},
		Porch: Contender{
			FanOut:      FanOut{Seconds: 30, CPUSeconds: 5, PeakBytes: 50_000_000, Requests: Requests{All: 1000}, Wrong: 2},
			RestSeconds: 40, Rest: Requests{All: 1000, Writes: 800, Reads: 100},
			Object:   Reaction{Seconds: 9, Read: 50, Saved: 50, Others: 30, Requests: Requests{All: 900}},
			Upstream: Reaction{WaitedSeconds: 45, Read: 60, Saved: 60, Others: 50},
		},
		Floor: []FloorRun{{PerRepository: 1, Total: 5, Seconds: floor}, {PerRepository: 2, Total: 10, Seconds: 5, Wrong: 1}},
	}
}

func sampleScale(cache string) Scale {
	return Scale{
		Cache: cache, Variants: 1000, Repositories: 100,
		Made: Settled{Seconds: 70, CPUSeconds: 20, PeakBytes: 110_000_000,
			Requests: Requests{All: 6200, Writes: 5000, Drafts: 1000, Saves: 1000, Reads: 1001}},
		Restart: Settled{Seconds: 3, CPUSeconds: 1.5, PeakBytes: 95_000_000, Requests: Requests{All: 9}},
	}
}

// sampleSoak is a soak of half an hour in which goroutines grow by 120 per hour.
func sampleSoak() *Soak {
	s := &Soak{
		Variants: 10_000, Repositories: 1000, Sets: 100, Seed: 7, Rate: 2, SettleSeconds: 900, Seconds: 1800,
		WarmUpSeconds: 300, OthersCPUSeconds: 900, PutOff: 3, Checked: 10_000,
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
			Descriptors: 13, CPUSeconds: 300 + float64(minute), Requests: 100_000 + 30*minute, Reconciles: 40_000 + 20*minute,
		})
	}
	s.Samples[0].Goroutines = 10_000 // before the warm-up is over
	return s
}

// TestDocuments compares the documents of a full run, and of a run of one part, with golden files.
func TestDocuments(t *testing.T) {
	t.Parallel()
	run := sample()
	faulty := sampleSoak()
	faulty.Faults, faulty.Fault = []string{"one is late"}, "site-0001/web-0 has no draft"
	run.Apart = map[string]Origin{PartSoak: {Date: "2026-01-03", Command: "make soak", Machine: run.Machine,
		Versions: []Version{{"this project", "commit two"}}}}
	documents := run.Charts()
	for name, text := range map[string]func() (string, error){
		"page.md": run.Markdown, "tables.txt": run.Tables,
		"part.md":    (&Run{Origin: run.Origin, Soak: faulty}).Markdown,
		"summary.md": func() (string, error) { return run.Summary("docs/benchmarks") },
		"fleets.md":  func() (string, error) { return run.Fleets("docs/benchmarks") },
	} {
		var err error
		if documents[name], err = text(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	for name, got := range documents {
		tree.Golden(t, filepath.Join("testdata", name), got)
	}
	for name, most := range map[string]int{"page.md": 200, "tables.txt": 120} {
		if lines := strings.Count(documents[name], "\n"); lines > most {
			t.Errorf("%s has %d lines, more than %d", name, lines, most)
		}
	}
}

// TestMerge checks that the parts of another run come with its origin, and that nothing else changes.
func TestMerge(t *testing.T) {
	t.Parallel()
	since := sample()
	since.Origin = Origin{Date: "2026-02-03", Command: "make soak", Versions: []Version{{"this project", "commit two"}}}
	since.Scales, since.Soak.Seed = since.Scales[:1], 8
	since.Benchmarks[PartPlan] = nil
	want := sample()
	want.Scales, want.Soak, want.Benchmarks[PartPlan] = since.Scales, since.Soak, nil
	want.Apart = map[string]Origin{PartScale: since.Origin, PartSoak: since.Origin, PartPlan: since.Origin}
	merged := sample().Merge(since, PartScale, PartSoak, PartPlan)
	if diff := cmp.Diff(want, merged); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	again := sample().Merge(merged, PartSoak)
	if again.OriginOf(PartSoak).Date != "2026-02-03" || again.OriginOf(PartScale).Date != "2026-01-02" {
		t.Errorf("the origins are %+v", again.Apart)
	}
}

// TestJSON checks that writing and reading a run does not change it.
func TestJSON(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(sample())
	if err != nil {
		t.Fatal(err)
	}
	var got Run
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample(), &got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestBounds checks that each bound is judged by its limit.
func TestBounds(t *testing.T) {
	t.Parallel()
	judged := func(run *Run) map[string]Verdict {
		out := map[string]Verdict{}
		for _, b := range run.Bounds() {
			out[b.Text] = b.Verdicts[0]
		}
		return out
	}
	const (
		time     = "fan-out: our time, for each second of Porch's own clones and saves: at most 1.15"
		requests = "fan-out: requests for a variant: at most 7"
		rest     = "at rest: writes, and reads of contents: none"
		object   = "an object changes: packages read: only the affected ones"
		upstream = "an upstream is published: packages read: only the affected ones"
		restart  = "a restart with 1,000 variants that are ready: writes, and reads of contents: none"
	)
	want := map[string]Verdict{
		time: {"1.15", true}, requests: {"7", true}, rest: {"0 and 0", true}, restart: {"0 and 0", true},
		object: {"20, 0 of them others", true}, upstream: {"11, 1 of them others", false},
	}
	if diff := cmp.Diff(want, judged(sample())); diff != "" {
		t.Errorf("the sample (-want +got):\n%s", diff)
	}
	if missed, all := sample().Missed(); missed != 3 || all != 12 {
		t.Errorf("%d of %d are missed", missed, all)
	}
	other := sample()
	ours := &other.Contests[0].Ours
	ours.FanOut.Seconds, ours.FanOut.Requests.All = 11.51, 351
	ours.Rest.Writes, other.Scales[0].Restart.Requests.Reads = 1, 1
	ours.Object.Seconds, ours.Upstream.Others = 0, 0
	maps.Copy(want, map[string]Verdict{
		time: {"1.15", false}, requests: {"7.02", false}, rest: {"1 and 0", false}, restart: {"0 and 1", false},
		object: {"20, 0 of them others", false}, upstream: {"11, 0 of them others", true},
	})
	if diff := cmp.Diff(want, judged(other)); diff != "" {
		t.Errorf("the other (-want +got):\n%s", diff)
	}
	other.Contests[0].Floor = other.Contests[0].Floor[1:] // the one with faults
	if got := judged(other)[time]; got.Met {
		t.Errorf("without clones and saves: %+v", got)
	}
	if got := (&Run{}).Bounds(); len(got) != 0 {
		t.Errorf("nothing was measured, and judged is %v", got)
	}
}

// TestSoakBounds checks the bounds of a soak.
func TestSoakBounds(t *testing.T) {
	t.Parallel()
	verdicts := func(change func(*Soak)) []Verdict {
		s := sampleSoak()
		change(s)
		var all []Verdict
		for _, b := range s.Bounds() {
			all = append(all, b.Verdicts...)
		}
		return all
	}
	right, inTime := Verdict{"0 of 10,000 wrong", true}, Verdict{"0 of 50 not right, the others within 59 s", true}
	growths := []Verdict{{"-0.788 %", true}, {"+0 %", true}, {"+64.9 %", false}, {"+0 %", true}}
	unknown := []Verdict{{"?", false}, {"?", false}, {"?", false}, {"?", false}}
	for name, c := range map[string]struct {
		change func(*Soak)
		want   []Verdict
	}{
		"in time": {func(*Soak) {}, append([]Verdict{inTime, right}, growths...)},
		"wrong": {func(s *Soak) { s.All.Wrong, s.Wrong = 1, 2 }, append([]Verdict{
			{"1 of 50 not right, the others within 59 s", false}, {"2 of 10,000 wrong", false}}, growths...)},
		"too late": {func(s *Soak) { s.All.MostSeconds = 60.1 }, append([]Verdict{
			{"0 of 50 not right, the others within 60.1 s", false}, right}, growths...)},
		"too short for growth": {func(s *Soak) { s.WarmUpSeconds = 601 }, []Verdict{inTime, right}},
		"too few samples":      {func(s *Soak) { s.Samples = s.Samples[:2] }, append([]Verdict{inTime, right}, unknown...)},
	} {
		if diff := cmp.Diff(c.want, verdicts(c.change)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
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

// TestFormat checks the formats of numbers.
func TestFormat(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"0 s": seconds(0), "2.35 µs": seconds(0.00000235), "366 µs": seconds(0.000366), "12 ms": seconds(0.012),
		"999 ms": seconds(0.99949), "1 s": seconds(1), "83.2 s": seconds(83.21), "1,204 s": seconds(1203.6),
		"0 MB": megabytes(0), "43.8 MB": megabytes(43_782_144), "25,277 MB": megabytes(25_277_000_000),
		"7": count(7), "1,000": count(1000), "-12,034,567": count(-12_034_567), "5.03 minutes": minutes(302),
		"2": ratio(3, 1.5), "": ratio(1, 0), "0": digits(0), "0.00123": digits(0.001234),
		"1.15": digits(1.15), "3.1": digits(3.1), "100": digits(99.96), "1,001": digits(1000.6),
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestCountRequests checks which requests count as what.
func TestCountRequests(t *testing.T) {
	t.Parallel()
	const contents = "packagerevisionresources"
	got := CountRequests([]proxy.Request{
		{Verb: "create", Resource: "packagerevisions", Status: 201},
		{Verb: "create", Resource: "packagerevisions", Status: 500},
		{Verb: "update", Resource: "packagerevisions", Subresource: "approval", Status: 200},
		{Verb: "update", Resource: contents, Status: 200},
		{Verb: "update", Resource: contents, Status: 409},
		{Verb: "get", Resource: contents, Status: 200},
		{Verb: "list", Resource: contents, Status: 200},
		{Verb: "update", Resource: "leases", Status: 200},
		{Verb: "create", Resource: "events", Status: 201},
		{Verb: "watch", Resource: "packagevariants", Status: 200},
		{Verb: "get", Status: 200},
	})
	want := Requests{All: 11, Refused: 2, Writes: 6, Drafts: 1, Saves: 1, Reads: 2}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
