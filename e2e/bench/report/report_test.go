// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/tree"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/e2e/internal/machine"
)

// sample is a run with numbers that are easy to recognize in the documents.
func sample() *Run {
	return &Run{
		Origin: Origin{
			Date: "2026-01-02", Command: "make bench",
			Machine:  machine.Machine{CPU: "Example 9000", Cores: 2, MemoryBytes: 8_000_000_000, System: "Linux 6.1"},
			Versions: []Version{{"this project", "commit one"}, {"Go", "1.26.0"}, {"Porch", "v1.5.3"}},
		},
		Caches: Caches{sampleOn("CR", 1), sampleOn("DB", 2)},
		Benchmarks: []Benchmark{
			{"e2e/compat", "Expansion/porch/100", map[string]float64{"sec/op": 0.03}},
			{"e2e/compat", "Expansion/ours/100", map[string]float64{"sec/op": 0.0005, "B/op": 200_000}},
			{"e2e/compat", "Expansion/porch/1000", map[string]float64{"sec/op": 0.4}},
			{"e2e/compat", "Expansion/ours/100000", map[string]float64{"sec/op": 0.4, "B/op": 200_000_000}},
			{"e2e/compat", "Expansion/ours/1000", map[string]float64{"sec/op": 0.002, "B/op": 2_000_000}},
			{"functions/inject-config/injection", "InProcess/10", map[string]float64{"sec/op": 0.0001, "B/op": 50_000}},
			{"functions/krm", "Process/inject-config/10", processed(0.0102)},
			{"functions/krm", "Process/prepend-pipeline/10", processed(0.0104)},
			{"functions/krm", "Process/prepend-pipeline/1000", processed(0.009)},
			{"engine/mutate", "Apply/10", map[string]float64{"sec/op": 0.0002, "B/op": 150_000}},
			{"sync-controller/kubectl-variants/internal/command/plan", "Plan/10000", map[string]float64{"sec/process": 160,
				"peak-B/process": 1.2e9, "first-sec/process": 1.25}},
			{"sync-controller/kubectl-variants/internal/command/plan", "Plan/1000", map[string]float64{"sec/process": 8,
				"peak-B/process": 250e6, "first-sec/process": 1.2}},
			{"e2e/script", "Fleet/script/50", fleetTook(60, 30, 60e6)},
			{"e2e/script", "Fleet/sync/50", fleetTook(2, 0.5, 50e6)},
			{"e2e/script", "Fleet/sync/1000", fleetTook(40, 4, 150e6)},
		},
		Rollouts: sampleRollouts(),
		Tenancy: &Tenancy{
			Latencies: []Latency{{Verb: "create", Resource: "packagerevisions", MedianSeconds: 0.06}},
			Variants:  50, Repositories: 5,
			Hostile:      Hostile{Failing: 1000, Large: 20, PackageBytes: 5_000_000, Targets: 10_000, ChangesPerSecond: 10},
			AloneSeconds: []float64{4, 5, 9}, BesideSeconds: []float64{12, 7.5, 8},
			AloneCPUSeconds: 6, BesideCPUSeconds: 40, BesideReconciles: 1500, BesideSetReconciles: 12,
		},
		Soak: sampleSoak(),
	}
}

// fleetTook are the values of a fleet in git.
func fleetTook(first, idle, memory float64) map[string]float64 {
	return map[string]float64{"first-sec/process": first, "first-cpu-sec/process": first / 2, "idle-sec/process": idle,
		"idle-cpu-sec/process": idle / 2, "upgrade-sec/process": first, "upgrade-cpu-sec/process": first / 2,
		"peak-B/process": memory}
}

// sampleOn is the measurement with a cache, with some times multiplied by slower.
func sampleOn(cache string, slower float64) OnCache {
	return OnCache{
		Cache: cache,
		FanOut: &FanOut{
			Variants: 50, Repositories: 5, Files: 26,
			Ours: Contender{
				Seconds: 11 * slower, CPUSeconds: 0.5, PeakBytes: 60_000_000,
				Requests: []RequestCount{
					{Verb: "create", Resource: "packagerevisions", Count: 51, Refused: 1},
					{Verb: "get", Resource: contents, Count: 50}, {Verb: "update", Resource: contents, Count: 50},
					{Verb: "patch", Resource: "packagevariants/status", Count: 100},
				},
				FirstSeconds: 60, First: []RequestCount{{Verb: "create", Resource: "packagerevisions", Count: 250}},
			},
			Porch: Contender{
				Seconds: 88, CPUSeconds: 4, PeakBytes: 120_000_000,
				Requests: []RequestCount{
					{Verb: "create", Resource: "packagerevisions", Count: 50}, {Verb: "update", Resource: contents, Count: 400},
					{Verb: "update", Resource: "packagevariants", Count: 2000},
				},
				FirstSeconds: 60, First: []RequestCount{{Verb: "update", Resource: contents, Count: 1750}},
				Wrong: 1, Fault: "edge-1/web-00: Porch has 0 revisions, not 1",
			},
			Floor: []FloorRun{{PerRepository: 1, Total: 1, Seconds: 30}, {PerRepository: 1, Total: 5, Seconds: 10, Retries: 2},
				{PerRepository: 2, Total: 10, Seconds: 8, Wrong: 3, Fault: "lost"}},
			Latencies: []Latency{{Verb: "create", Resource: "packagerevisions", Calls: 50, MedianSeconds: 0.1,
				P95Seconds: 0.25}},
		},
		Rest: &Rest{
			Variants: 50, SettleSeconds: 60, Seconds: 30,
			Ours: []RequestCount{{Verb: "watch", Resource: "packagevariants", Count: 1},
				{Verb: "update", Resource: "leases", Count: 9}},
			Porch: []RequestCount{{Verb: "update", Resource: contents, Count: 100},
				{Verb: "get", Resource: contents, Count: 100}},
		},
		Change: &Change{
			Object: ChangePair{Variants: 50, Affected: 20,
				Ours: Reaction{
					Seconds: 2.5, Reconciles: 40, Evaluations: 20, Read: 20, Saved: 20,
					Requests: []RequestCount{{Verb: "get", Resource: contents, Count: 20}},
				},
				Porch: Reaction{
					Seconds: 9, Reconciles: 300, Evaluations: 300, Read: 50, Saved: 50, Others: 30,
					Requests: []RequestCount{{Verb: "get", Resource: contents, Count: 300}},
				}},
			Upstream: ChangePair{Variants: 60, Affected: 10,
				Ours: Reaction{
					Seconds: 1.25, Reconciles: 20, Read: 11, Others: 1,
					Requests: []RequestCount{{Verb: "create", Resource: "packagerevisions", Count: 10}},
				},
				Porch: Reaction{WaitedSeconds: 60, Right: 0, Reconciles: 3000, Read: 60, Saved: 60, Others: 50}},
		},
		Scale: &Scale{
			Latencies: []Latency{
				{Verb: "create", Resource: "packagerevisions", MedianSeconds: 0.1},
				{Verb: "get", Resource: contents, MedianSeconds: 0.01},
			},
			Points: []ScalePoint{
				{
					Variants: 1000, Repositories: 100, PeakBytes: 100_000_000, HeapBytes: 30_000_000, RestBytes: 90_000_000,
					ConvergeSeconds: 20, CPUSeconds: 5, Reconciles: 2000, SetReconciles: 30, Requests: 7000,
					Unrelated: Burst{Events: 10_000, Seconds: 2, CPUSeconds: 1},
					Related:   Burst{Events: 10_000, Seconds: 5, CPUSeconds: 2, Reconciles: 10_000},
					Restart:   Restart{Seconds: 3, CPUSeconds: 2, PeakBytes: 100_000_000, Reconciles: 1000, Requests: 1200},
				},
				{
					Variants: 10_000, Repositories: 1000, PeakBytes: 600_000_000, HeapBytes: 250_000_000, RestBytes: 500_000_000,
					ConvergeSeconds: 200 * slower, CPUSeconds: 60, Reconciles: 20_000, SetReconciles: 300, Requests: 70_000,
					Asked:     &Asked{ContentReads: 10_000, Writes: 40_000},
					Unrelated: Burst{Events: 10_000, Seconds: 2, CPUSeconds: 1},
					Related:   Burst{Events: 10_000, Seconds: 5, CPUSeconds: 2, Reconciles: 10_000},
					Restart: Restart{
						Seconds: 30, CPUSeconds: 20, PeakBytes: 600_000_000, Reconciles: 10_000, Requests: 12_000, Asked: &Asked{},
					},
				},
			},
		},
	}
}

// sampleRollouts are rollouts over 100 and 1,000 targets.
func sampleRollouts() *Rollouts {
	point := func(targets int, next float64) RolloutPoint {
		return RolloutPoint{
			Targets: targets,
			First: RolledOut{
				Seconds: 20, CPUSeconds: 2.5, Reconciles: 5 * targets, SetReconciles: 40, SetSeconds: 0.0004 * float64(targets),
				Requests: []RequestCount{
					{Verb: "create", Resource: "packagerevisions", Count: targets},
					{Verb: "patch", Resource: "packagevariants/status", Count: 3 * targets},
				},
				Waves: []RolledWave{{"canary", targets / 20, 10, 5}, {"all", targets - targets/20, 100, 95}},
			},
			Next: RolledOut{
				Seconds: 40, CPUSeconds: 5, Reconciles: 6 * targets, SetReconciles: 40, SetSeconds: next * float64(targets),
				Requests: []RequestCount{
					{Verb: "create", Resource: "packagerevisions", Count: targets},
					{Verb: "patch", Resource: "packagevariants", Count: targets},
					{Verb: "patch", Resource: "packagevariants/status", Count: 6 * targets},
				},
				Waves: []RolledWave{{"canary", targets / 20, 10, 10}, {"all", targets - targets/20, 100, 100}},
			},
		}
	}
	return &Rollouts{
		Latencies: []Latency{{Verb: "create", Resource: "packagerevisions", MedianSeconds: 0.1}},
		Points:    []RolloutPoint{point(100, 0.002), point(1000, 0.004)},
	}
}

// processed has the values of a function that runs as a process.
func processed(cpu float64) map[string]float64 {
	return map[string]float64{"sec/op": 1, "sec/process": cpu, "noop-sec/process": 0.01, "catalog-sec/process": 0.02}
}

// TestDocuments compares the documents of a full run, and of a run of one part, with golden files.
func TestDocuments(t *testing.T) {
	t.Parallel()
	run := sample()
	page, err := run.Markdown()
	if err != nil {
		t.Fatal(err)
	}
	summary, err := run.Summary("docs/benchmarks")
	if err != nil {
		t.Fatal(err)
	}
	fleets, err := run.Fleets("docs/benchmarks")
	if err != nil {
		t.Fatal(err)
	}
	part := &Run{
		Origin: Origin{
			Date: run.Date, Command: "make bench BENCHFLAGS='-only expansion'", Machine: run.Machine,
		},
		Benchmarks: run.Measured(expansionOurs, expansionPorch),
	}
	partPage, err := part.Markdown()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"page.md": page, "summary.md": summary, "fleets.md": fleets, "part.md": partPage}
	plots, err := run.Plots()
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(files, plots)
	if len(files) != 4+2*4 {
		t.Errorf("%d documents, want 4, and as many plots in two themes", len(files))
	}
	for name, got := range files {
		tree.Golden(t, filepath.Join("testdata", name), got)
	}
}

// TestMerge checks that a part measured later is shown with its own origin, and that nothing else changes.
func TestMerge(t *testing.T) {
	t.Parallel()
	since := &Run{Origin: Origin{
		Date: "2026-02-03", Command: "make bench BENCHFLAGS='-only rollout -merge'", Machine: sample().Machine,
		Versions: []Version{{"this project", "commit two"}, {"Go", "1.26.0"}, {"Porch", "v1.5.4"}},
	}, Rollouts: &Rollouts{Points: sampleRollouts().Points[:1]}}
	merged := sample().Merge(since, PartRollout)
	want := sample()
	want.Rollouts, want.Apart = since.Rollouts, []Apart{{PartRollout, since.Origin}}
	if diff := cmp.Diff(want, merged); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(want, merged.Merge(since, PartRollout)); diff != "" {
		t.Errorf("merged again (-want +got):\n%s", diff)
	}
	page, err := merged.Markdown()
	if err != nil {
		t.Fatal(err)
	}
	const line = "\nMeasured separately on 2026-02-03, with commit two, by " +
		"`make bench BENCHFLAGS='-only rollout -merge'`, on Porch v1.5.4:\n*rollout*.\n"
	if !strings.Contains(page, line) {
		t.Errorf("the page has no %q:\n%.1500s", line, page)
	}
	since.Caches = Caches{{Cache: "DB"}}
	since.Benchmarks, since.Machine.Cores = []Benchmark{{"e2e/compat", "Expansion/ours/100", nil}}, 4
	merged = merged.Merge(since, PartExpansion, PartScale)
	want.Apart = append(want.Apart, Apart{PartExpansion, since.Origin}, Apart{PartScale, since.Origin})
	want.On("DB").Scale, want.Benchmarks = nil, slices.Concat(sample().Benchmarks[5:], since.Benchmarks)
	if diff := cmp.Diff(want, merged); diff != "" {
		t.Errorf("two parts (-want +got):\n%s", diff)
	}
	const other = ", on 4 cores of an Example 9000, Linux 6.1, Porch v1.5.4"
	if got := merged.Apart[1].Elsewhere(merged.Origin); got != other {
		t.Errorf("%q, want %q", got, other)
	}
}

// TestSummaryRefuses checks that the README is not written from an incomplete run.
func TestSummaryRefuses(t *testing.T) {
	t.Parallel()
	run := &Run{Caches: Caches{{Cache: "CR", FanOut: sample().Caches[0].FanOut}}}
	_, err := run.Summary("docs")
	if want := "the README needs a run of all parts"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
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

// TestExpectations checks that each expectation is judged by its limit.
func TestExpectations(t *testing.T) {
	t.Parallel()
	met := func(run *Run) map[string]bool {
		out := map[string]bool{}
		for _, e := range run.Expectations() {
			out[e.Text] = e.Met
		}
		return out
	}
	want := map[string]bool{
		"CR cache: fan-out: for each variant one draft is made, its contents saved once and its status written twice":            true,
		"CR cache: fan-out: requests per variant (the minimum is 5): at most 7":                                                  true,
		"CR cache: fan-out: requests of Porch's controllers in the first 60 s, for each of ours: at least 5":                     true,
		"CR cache: fan-out: our time, for each second of Porch's own clones and saves: at most 1.15":                             true,
		"CR cache: fan-out: our time, for each second of Porch's controllers: at most 1":                                         true,
		"CR cache: at rest: no write, and no reading of contents":                                                                true,
		"CR cache: an object changes: only the affected packages are read and written":                                           true,
		"CR cache: an upstream is published: only the affected packages are read and written":                                    false,
		"expansion: Porch's time for each second of ours, at 1,000 targets: at least 50":                                         true,
		"expansion: time for a target at 100,000 targets, for each second at 1,000: at most 1.5":                                 false,
		"functions: processor time, for each second of a function that does nothing, at worst: at most 1.1":                      true,
		"plan: at most 10 s of processor time, 300 MB of memory and 2 s until the first line, for a set over 1,000 Repositories": true,
		"plan: processor time for a Repository at 10,000 Repositories, for each second at 1,000: at most 1.5":                    false,
		"git: at most 60 s from nothing, 5 s with nothing to do, and 400 MB of memory, for 1,000 packages":                       true,
		"CR cache: scale: at most 500 MB of memory with 10,000 variants":                                                         false,
		"CR cache: scale: processor time or requests for a variant at 10,000 variants, for each at 1,000: at most 1.5":           true,
		"CR cache: scale: start with 10,000 variants that are ready: no write, and no reading of contents":                       true,
		"rollout: requests for a target, over 1,000 targets: at most 8":                                                          true,
		"rollout: time of a reconcile of the set for a target at 1,000 targets, for each at 100: at most 1.5":                    false,
		"rollout: never more than maxConcurrent targets of a wave in flight":                                                     true,
		"tenancy: time of 50 variants beside a hostile namespace, for each second alone: at most 2":                              true,
		"soak: every change right within 60 s":                                                                                   true,
		"soak: every variant right in the end, and what is suspended as it was":                                                  true,
		"soak: live heap: growth in an hour, of the mean: at most 5 %":                                                           true,
		"soak: resident memory: growth in an hour, of the mean: at most 5 %":                                                     true,
		"soak: goroutines: growth in an hour, of the mean: at most 5 %":                                                          false,
		"soak: file descriptors: growth in an hour, of the mean: at most 5 %":                                                    true,
	}
	one := sample()
	one.Caches = one.Caches[:1]
	if diff := cmp.Diff(want, met(one)); diff != "" {
		t.Errorf("the sample (-want +got):\n%s", diff)
	}
	other := sample()
	other.Caches = other.Caches[:1]
	on := other.On("CR")
	on.FanOut.Ours.Requests[1].Count = 50 + 5*50 // requests
	on.FanOut.Porch.First[0].Count = 1249
	on.FanOut.Ours.Requests[2].Count = 51 // saves
	on.FanOut.Ours.Seconds, on.FanOut.Porch.Seconds = 11.51, 11.5
	on.Rest.Ours[0] = RequestCount{Verb: "get", Resource: contents, Count: 1}
	on.Change.Object.Ours.Seconds = 0
	on.Change.Upstream.Ours.Others = 0
	other.Benchmarks[2].Values["sec/op"] = 0.099 // Porch's expansion of 1,000 targets
	other.Benchmarks[3].Values["sec/op"] = 0.3   // ours of 100,000
	other.Benchmarks[7].Values["sec/process"] = 0.0111
	other.Benchmarks[10].Values["sec/process"] = 119
	other.Benchmarks[11].Values["peak-B/process"] = 300e6 + 1
	other.Benchmarks[14].Values["idle-sec/process"] = 5.1
	on.Scale.Points[1].Restart.Asked.ContentReads = 1
	on.Scale.Points[1].PeakBytes = 500_000_000
	on.Scale.Points[1].Requests = 7000 * 16
	other.Rollouts.Points[0].First.Waves[1].InFlight = 101
	other.Rollouts.Points[1].First.Requests[0].Count = 5001
	other.Rollouts.Points[1].Next.SetSeconds = 0.003 * 1000
	other.Tenancy.BesideSeconds[2] = 10.1
	other.Soak.All.Wrong, other.Soak.Wrong = 1, 1
	for i := range other.Soak.Samples {
		one := &other.Soak.Samples[i]
		one.HeapBytes, one.ResidentBytes = one.HeapBytes+int64(i)*1e7, one.ResidentBytes+int64(i)*1e7
		one.Goroutines, one.Descriptors = 150, 13+i
	}
	for text := range want {
		want[text] = !want[text]
	}
	if diff := cmp.Diff(want, met(other)); diff != "" {
		t.Errorf("the other (-want +got):\n%s", diff)
	}
	if got := (&Run{}).Expectations(); len(got) != 0 {
		t.Errorf("nothing was measured, and judged is %v", got)
	}
}

// TestFormat checks the formats of numbers.
func TestFormat(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"0 s": seconds(0), "2.35 µs": seconds(0.00000235), "366 µs": seconds(0.000366), "12 ms": seconds(0.012),
		"999 ms": seconds(0.99949),
		"1 s":    seconds(1), "83.2 s": seconds(83.21), "1,204 s": seconds(1203.6),
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

// TestRequests checks which requests count as what.
func TestRequests(t *testing.T) {
	t.Parallel()
	requests := []RequestCount{
		{Verb: "create", Resource: "packagerevisions", Count: 3, Refused: 1},
		{Verb: "update", Resource: "packagerevisions/approval", Count: 5},
		{Verb: "update", Resource: contents, Count: 7},
		{Verb: "get", Resource: contents, Count: 11},
		{Verb: "list", Resource: contents, Count: 13},
		{Verb: "update", Resource: "leases", Count: 17},
		{Verb: "patch", Resource: "packagevariants/status", Count: 19, Refused: 2},
		{Verb: "update", Resource: "packagevariants/status", Count: 23},
		{Verb: "watch", Resource: "packagevariants", Count: 29},
	}
	want := map[string]int{"all": 127, "writes": 57, "package writes": 14, "content reads": 24, "status": 40, "granted": 2,
		"refused": 3}
	got := map[string]int{
		"all": Total(requests), "writes": Writes(requests), "package writes": PackageWrites(requests),
		"content reads": ContentReads(requests), "status": statusWrites(requests),
		"granted": Granted(requests, "create", "packagerevisions"), "refused": Refused(requests),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
