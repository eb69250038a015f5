// SPDX-License-Identifier: Apache-2.0

package micro

import (
	"errors"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/bench/report"

	"github.com/google/go-cmp/cmp"
)

// printed reads what a benchmark printed.
func printed(lines ...string) ([]result, error) {
	return read(strings.NewReader("goos: linux\npkg: example.com/pkg\n"+strings.Join(lines, "\n")+"\nPASS\n"), "the benchmark")
}

// TestPoints holds what is made of the lines that benchmarks print: the median of several runs.
func TestPoints(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lines []string
		read  func([]result, error) (any, error)
		want  any
		err   string
	}{
		"expansion": {
			[]string{
				"BenchmarkExpansion/porch/1000-2 1 500000000 ns/op 500000 ns/target 10 B/op 1 allocs/op",
				"BenchmarkExpansion/ours/1000-2 90 10000000 ns/op 10000 ns/target 2048 B/op 1 allocs/op",
				"BenchmarkExpansion/ours/1000-2 90 30000000 ns/op 30000 ns/target 2050 B/op 1 allocs/op",
				"BenchmarkExpansion/ours/1000-2 90 20000000 ns/op 20000 ns/target 2049 B/op 1 allocs/op",
				"BenchmarkExpansion/ours/100-2 900 1000000 ns/op 10000 ns/target 204 B/op 1 allocs/op",
			},
			func(r []result, err error) (any, error) { return expansionPoints(r, err) },
			[]report.ExpansionPoint{
				{Targets: 100, Seconds: 0.001, AllocatedBytes: 204},
				{Targets: 1000, Seconds: 0.02, AllocatedBytes: 2049, PorchSeconds: 0.5},
			}, "",
		},
		"mutations": {
			[]string{"BenchmarkInProcess/10-2 100 3000000000 ns/op 512 B/op 3 allocs/op", "BenchmarkInProcess/1000 10 2000000 ns/op 1024 B/op 3 allocs/op"},
			func(r []result, err error) (any, error) { return mutationPoints("inject-config")(r, err) },
			[]report.MutationPoint{
				{Function: "inject-config", Resources: 10, Seconds: 3, AllocatedBytes: 512},
				{Function: "inject-config", Resources: 1000, Seconds: 0.002, AllocatedBytes: 1024},
			}, "",
		},
		"processes": {
			[]string{"BenchmarkProcess/inject-config/10-2 3 20000000 ns/op 3000000 noop-ns/process 4000000 ns/process 8000000 catalog-ns/process 1.33 x-noop"},
			func(r []result, err error) (any, error) { return processPoints(r, err) },
			[]report.ProcessPoint{{Function: "inject-config", Resources: 10, CPUSeconds: 0.004, NoopCPUSeconds: 0.003, CatalogCPUSeconds: 0.008}}, "",
		},
		"nothing printed": {
			nil, func(r []result, err error) (any, error) { return processPoints(r, err) }, []report.ProcessPoint(nil),
			"the benchmark printed no result",
		},
		"no such unit": {
			[]string{"BenchmarkProcess/inject-config/10-2 3 20000000 ns/op 3000000 noop-ns/process 8000000 catalog-ns/process"},
			func(r []result, err error) (any, error) { return processPoints(r, err) }, []report.ProcessPoint(nil),
			"the benchmark inject-config/10 has no sec/process",
		},
		"another name": {
			[]string{"BenchmarkExpansion/1000-2 1 500000000 ns/op"},
			func(r []result, err error) (any, error) { return expansionPoints(r, err) }, []report.ExpansionPoint(nil),
			"the benchmark 1000 has not 1 names and a number",
		},
		"no number": {
			[]string{"BenchmarkInProcess/ten-2 1 500000000 ns/op"},
			func(r []result, err error) (any, error) { return mutationPoints("x")(r, err) }, []report.MutationPoint(nil),
			`the benchmark ten does not end with a number: strconv.Atoi: parsing "ten": invalid syntax`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := c.read(printed(c.lines...))
			message := ""
			if err != nil {
				message = err.Error()
			}
			if message != c.err {
				t.Errorf("error %q, want %q", message, c.err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("points (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPointsFail holds that what keeps a benchmark from running is told.
func TestPointsFail(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	if _, err := expansionPoints(nil, boom); !errors.Is(err, boom) {
		t.Errorf("expansion: %v", err)
	}
	if _, err := mutationPoints("x")(nil, boom); !errors.Is(err, boom) {
		t.Errorf("mutations: %v", err)
	}
	if _, err := processPoints(nil, boom); !errors.Is(err, boom) {
		t.Errorf("processes: %v", err)
	}
}

// TestSuites holds that the benchmarks are there, for what is run by name is not missed by a compiler.
func TestSuites(t *testing.T) {
	t.Parallel()
	root, err := repository(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	suites := []suite{expansion, processes}
	for _, s := range mutations {
		suites = append(suites, s)
	}
	for _, s := range suites {
		files, err := filepath.Glob(filepath.Join(root, s.module, s.pkg, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := slices.ContainsFunc(files, func(file string) bool {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			return parsed.Scope.Lookup(s.benchmark) != nil
		})
		if !found {
			t.Errorf("%s of %s has no %s", s.pkg, s.module, s.benchmark)
		}
	}
}
