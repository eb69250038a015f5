// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"maps"
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
	floor := map[string]float64{"first-sec/process": 8, "first-cpu-sec/process": 4, "peak-B/process": 60e6}
	fleet := map[string]float64{"idle-sec/process": 0.2, "idle-cpu-sec/process": 0.1, "one-sec/process": 0.3,
		"one-cpu-sec/process": 0.15, "upgrade-sec/process": 6, "upgrade-cpu-sec/process": 3}
	maps.Copy(fleet, floor)
	return &Run{
		Origin: Origin{
			Date: "2026-01-02", Command: "make bench",
			Machine:  machine.Machine{CPU: "Example 9000", Cores: 2, MemoryBytes: 8_000_000_000, System: "Linux 6.1"},
			Versions: []Version{{"this project", "commit one"}, {"Go", "1.26.0"}, {"Porch", "v1.5.3"}},
		},
		Contests: Contests{sampleContest("CR", 10), sampleContest("DB", 8)},
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
			PartGit: {{"e2e/script", "Fleet/script/50", fleet}, {"e2e/script", "Fleet/floor/100", floor},
				{"e2e/script", "Fleet/sync/1000", fleet}, {"e2e/script", "Fleet/aged/1000", fleet}},
		},
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

// TestDocuments compares the documents of a run with golden files.
func TestDocuments(t *testing.T) {
	t.Parallel()
	run := sample()
	run.Apart = map[string]Origin{PartPlan: {Date: "2026-01-03", Command: "make bench BENCHFLAGS=more", Machine: run.Machine,
		Versions: []Version{{"this project", "commit two"}}}}
	documents := run.Charts()
	for name, text := range map[string]func() (string, error){
		"page.md": run.Markdown, "tables.txt": run.Tables,
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
	since.Origin = Origin{Date: "2026-02-03", Command: "make bench", Versions: []Version{{"this project", "commit two"}}}
	since.Contests = since.Contests[:1]
	since.Benchmarks[PartPlan] = nil
	want := sample()
	want.Contests, want.Benchmarks[PartPlan] = since.Contests, nil
	want.Apart = map[string]Origin{PartFanOut: since.Origin, PartPlan: since.Origin}
	merged := sample().Merge(since, PartFanOut, PartPlan)
	if diff := cmp.Diff(want, merged); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	again := sample().Merge(merged, PartFanOut)
	if again.OriginOf(PartFanOut).Date != "2026-02-03" || again.OriginOf(PartPlan).Date != "2026-01-02" {
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
	)
	want := map[string]Verdict{
		time: {"1.15", true}, requests: {"7", true}, rest: {"0 and 0", true},
		object: {"20, 0 of them others", true}, upstream: {"11, 1 of them others", false},
	}
	if diff := cmp.Diff(want, judged(sample())); diff != "" {
		t.Errorf("the sample (-want +got):\n%s", diff)
	}
	if missed, all := sample().Missed(); missed != 3 || all != 10 {
		t.Errorf("%d of %d are missed", missed, all)
	}
	other := sample()
	ours := &other.Contests[0].Ours
	ours.FanOut.Seconds, ours.FanOut.Requests.All = 11.51, 351
	ours.Rest.Writes = 1
	ours.Object.Seconds, ours.Upstream.Others = 0, 0
	maps.Copy(want, map[string]Verdict{
		time: {"1.15", false}, requests: {"7.02", false}, rest: {"1 and 0", false},
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

// TestFormat checks the formats of numbers.
func TestFormat(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"0 s": seconds(0), "2.35 µs": seconds(0.00000235), "366 µs": seconds(0.000366), "12 ms": seconds(0.012),
		"999 ms": seconds(0.99949), "1 s": seconds(1), "83.2 s": seconds(83.21), "1,204 s": seconds(1203.6),
		"0 MB": megabytes(0), "43.8 MB": megabytes(43_782_144), "25,277 MB": megabytes(25_277_000_000),
		"7": count(7), "1,000": count(1000), "-12,034,567": count(-12_034_567),
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
