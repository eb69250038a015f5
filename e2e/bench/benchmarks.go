// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/package-variants/package-variants/e2e/bench/report"
)

// suite has benchmarks of a module of this repository, run by go test.
type suite struct {
	module   string
	packages []string
	// benchmarks selects them, as go test -bench does.
	benchmarks string
	// count is how often each is run; the median counts.
	count int
}

// suites are the benchmarks of a part. What takes long is run once.
var suites = map[string][]suite{
	expansion: {{
		module: "e2e", packages: []string{"./compat"}, count: 3,
		benchmarks: "^BenchmarkExpansion$/(ours|porch)/^1000$|^BenchmarkExpansion$/ours/^10000$",
	}},
	functions: {
		{
			module: "functions",
			packages: []string{"./apply-package-context/packagecontext", "./prepend-pipeline/pipeline",
				"./inject-config/injection"},
			benchmarks: "^BenchmarkInProcess$/^(10|1000)$", count: 3,
		},
		{module: "functions", packages: []string{"./krm"}, benchmarks: "^BenchmarkProcess$/.*/^(10|1000)$", count: 1},
		{module: "engine", packages: []string{"./mutate"}, benchmarks: "^BenchmarkApply$/^(10|1000)$", count: 3},
	},
	planning: {{
		module: "sync-controller/kubectl-variants", packages: []string{"./internal/command/plan"},
		benchmarks: "^BenchmarkPlan$/^1000$", count: 1,
	}},
	inGit: {{module: "e2e", packages: []string{"./script"}, benchmarks: "^BenchmarkFleet$", count: 1}},
}

// units are what a benchmark must measure, by the first word of its name.
var units = map[string][]string{
	"Expansion": {"sec/op", "B/op"}, "InProcess": {"sec/op", "B/op"}, "Apply": {"sec/op", "B/op"},
	"Process": {"sec/process", "noop-sec/process", "catalog-sec/process"},
	"Plan":    {"sec/process", "peak-B/process", "took-sec/process"},
	"Fleet":   {"first-sec/process", "first-cpu-sec/process", "peak-B/process"},
}

// run runs the benchmarks. Their output also goes to out.
func (s suite) run(ctx context.Context, root string, out io.Writer) ([]report.Benchmark, error) {
	args := []string{
		"test", "-run", "^$", "-bench", s.benchmarks, "-benchmem", "-count", strconv.Itoa(s.count),
		"-timeout", "60m",
	}
	cmd := exec.CommandContext(ctx, "go", append(args, s.packages...)...)
	cmd.Dir = filepath.Join(root, s.module)
	workspace := filepath.Join(root, "go.work")
	if s.module == "e2e" { // it is not part of it
		workspace = "off"
	}
	cmd.Env = append(os.Environ(), "GOWORK="+workspace)
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&printed, out), out
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s in %s: %w", cmd, cmd.Dir, err)
	}
	return readBenchmarks(printed.String())
}

// readBenchmarks reads the output of go test, and returns the median of the runs of each benchmark, in order of
// appearance, in seconds where go test prints nanoseconds.
func readBenchmarks(printed string) ([]report.Benchmark, error) {
	const repository = "github.com/package-variants/package-variants/"
	var all []report.Benchmark
	runs := map[string][]float64{} // by benchmark and unit
	pkg := ""
	for line := range strings.Lines(printed) {
		words := strings.Fields(line)
		if len(words) == 2 && words[0] == "pkg:" {
			pkg = strings.TrimPrefix(words[1], repository)
		}
		if len(words) < 4 || !strings.HasPrefix(words[0], "Benchmark") {
			continue
		}
		name := processors.ReplaceAllString(strings.TrimPrefix(words[0], "Benchmark"), "")
		i := slices.IndexFunc(all, func(b report.Benchmark) bool { return b.Package == pkg && b.Name == name })
		if i < 0 {
			i, all = len(all), append(all, report.Benchmark{Package: pkg, Name: name, Values: map[string]float64{}})
		}
		for n := 2; n+1 < len(words); n += 2 { // a value and its unit
			value, err := strconv.ParseFloat(words[n], 64)
			if err != nil {
				return nil, fmt.Errorf("cannot read %q: %w", line, err)
			}
			unit := words[n+1]
			if inSeconds := nanoseconds.ReplaceAllString(unit, "${1}sec/"); inSeconds != unit {
				unit, value = inSeconds, value/1e9
			}
			key := pkg + " " + name + " " + unit
			runs[key] = append(runs[key], value)
			all[i].Values[unit] = median(runs[key])
		}
	}
	if len(all) == 0 {
		return nil, errors.New("the benchmarks have printed no result")
	}
	for _, b := range all {
		if err := check(b); err != nil {
			return nil, fmt.Errorf("benchmark %s: %w", b.Name, err)
		}
	}
	return all, nil
}

// processors is the number of processors at the end of a name, nanoseconds the unit of a time.
var processors, nanoseconds = regexp.MustCompile(`-[0-9]+$`), regexp.MustCompile(`^(.*-)?ns/`)

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// check returns an error if a benchmark lacks a value that the report needs.
func check(b report.Benchmark) error {
	if _, err := strconv.Atoi(path.Base(b.Name)); err != nil {
		return fmt.Errorf("the name does not end with a size: %w", err)
	}
	word, _, _ := strings.Cut(b.Name, "/")
	for _, unit := range units[word] {
		if _, ok := b.Values[unit]; !ok {
			return fmt.Errorf("%s was not measured", unit)
		}
	}
	return nil
}
