// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/bench/report"

	"github.com/google/go-cmp/cmp"
)

// TestReadBenchmarks checks that the lines that benchmarks print become medians of several runs.
func TestReadBenchmarks(t *testing.T) {
	t.Parallel()
	const pkg = "pkg: github.com/package-variants/package-variants/"
	for name, c := range map[string]struct {
		lines []string
		want  []report.Benchmark
		err   string
	}{
		"expansion": {
			lines: []string{
				pkg + "e2e/compat",
				"BenchmarkExpansion/porch/1000-2 1 500000000 ns/op 500000 ns/target 10 B/op 1 allocs/op",
				"BenchmarkExpansion/ours/1000-2 90 10000000 ns/op 2048 B/op",
				"BenchmarkExpansion/ours/1000-2 90 30000000 ns/op 2050 B/op",
				"BenchmarkExpansion/ours/1000-2 90 20000000 ns/op 2049 B/op",
			},
			want: []report.Benchmark{
				{Package: "e2e/compat", Name: "Expansion/porch/1000", Values: map[string]float64{
					"sec/op": 0.5, "sec/target": 0.0005, "B/op": 10, "allocs/op": 1,
				}},
				{Package: "e2e/compat", Name: "Expansion/ours/1000", Values: map[string]float64{"sec/op": 0.02, "B/op": 2049}},
			},
		},
		"plans": {
			lines: []string{
				pkg + "sync-controller/kubectl-variants/internal/command/plan",
				"BenchmarkPlan/1000-2 1 9000000000 ns/op 1500000000 took-ns/process 8000000000 ns/process 250000000 " +
					"peak-B/process",
			},
			want: []report.Benchmark{{
				Package: "sync-controller/kubectl-variants/internal/command/plan", Name: "Plan/1000", Values: map[string]float64{
					"sec/op": 9, "sec/process": 8, "peak-B/process": 250e6, "took-sec/process": 1.5,
				},
			}},
		},
		"the same name in two packages": {
			lines: []string{
				pkg + "functions/a/a", "BenchmarkInProcess/10-2 100 3000000000 ns/op 512 B/op",
				pkg + "functions/b/b", "BenchmarkInProcess/10 10 2000000 ns/op 1024 B/op",
			},
			want: []report.Benchmark{
				{Package: "functions/a/a", Name: "InProcess/10", Values: map[string]float64{"sec/op": 3, "B/op": 512}},
				{Package: "functions/b/b", Name: "InProcess/10", Values: map[string]float64{"sec/op": 0.002, "B/op": 1024}},
			},
		},
		"processes": {
			lines: []string{
				pkg + "functions/krm",
				"BenchmarkProcess/inject-config/10-2 3 20000000 ns/op 3000000 noop-ns/process 4000000 ns/process 8000000 " +
					"catalog-ns/process",
			},
			want: []report.Benchmark{{
				Package: "functions/krm", Name: "Process/inject-config/10", Values: map[string]float64{
					"sec/op": 0.02, "sec/process": 0.004, "noop-sec/process": 0.003, "catalog-sec/process": 0.008,
				},
			}},
		},
		"nothing printed": {err: "the benchmarks have printed no result"},
		"no such unit": {
			lines: []string{"BenchmarkProcess/inject-config/10-2 3 20000000 ns/op 3000000 noop-ns/process"},
			err:   "benchmark Process/inject-config/10: sec/process was not measured",
		},
		"no size": {
			lines: []string{"BenchmarkInProcess/ten-2 1 500000000 ns/op"},
			err:   `benchmark InProcess/ten: the name does not end with a size: strconv.Atoi: parsing "ten": invalid syntax`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := readBenchmarks("goos: linux\n" + strings.Join(c.lines, "\n") + "\nPASS\n")
			message := ""
			if err != nil {
				message = err.Error()
			}
			if message != c.err {
				t.Errorf("error %q, want %q", message, c.err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("benchmarks (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSuites checks that the benchmarks exist, since the compiler does not notice a missing one.
func TestSuites(t *testing.T) {
	t.Parallel()
	function := regexp.MustCompile(`\^(Benchmark[A-Za-z]+)\$`)
	for _, part := range parts[2:] {
		for _, s := range suites[part] {
			name := function.FindStringSubmatch(s.benchmarks)
			if name == nil {
				t.Fatalf("%s selects no function", s.benchmarks)
			}
			for _, pkg := range s.packages {
				files, err := filepath.Glob(filepath.Join(root, s.module, pkg, "*_test.go"))
				if err != nil {
					t.Fatal(err)
				}
				has := slices.ContainsFunc(files, func(file string) bool {
					return strings.Contains(text(t, file), "\nfunc "+name[1]+"(b *testing.B)")
				})
				if !has {
					t.Errorf("%s of %s has no %s", pkg, s.module, name[1])
				}
			}
		}
		if len(suites[part]) == 0 {
			t.Errorf("%s has no benchmarks", part)
		}
	}
}
