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
	"slices"
	"strconv"
	"strings"

	"github.com/package-variants/package-variants/e2e/bench/report"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
)

// suite has benchmarks of a module of this repository, run by go test.
type suite struct {
	module   string
	packages []string
	names    []string // the functions
	// once is for benchmarks that take so long that one run of them is enough.
	once bool
}

// suites are the benchmarks of a part.
var suites = map[string][]suite{
	expansion: {{module: "e2e", packages: []string{"./compat"}, names: []string{"BenchmarkExpansion"}}},
	functions: {
		{
			module: "functions",
			packages: []string{"./apply-package-context/packagecontext", "./prepend-pipeline/pipeline",
				"./inject-config/injection", "./krm"},
			names: []string{"BenchmarkInProcess", "BenchmarkProcess"},
		},
		{module: "engine", packages: []string{"./mutate"}, names: []string{"BenchmarkApply"}},
	},
	planning: {{
		module: "sync-controller/kubectl-variants", packages: []string{"./internal/command/plan"},
		names: []string{"BenchmarkPlan"}, once: true,
	}},
	inGit: {{module: "e2e", packages: []string{"./script"}, names: []string{"BenchmarkFleet"}, once: true}},
}

// units are what a benchmark must measure, by the first word of its name.
var units = map[string][]string{
	"Expansion": {"sec/op", "B/op"}, "InProcess": {"sec/op", "B/op"}, "Apply": {"sec/op", "B/op"},
	"Process": {"sec/process", "noop-sec/process", "catalog-sec/process"},
	"Plan":    {"sec/process", "peak-B/process", "first-sec/process"},
	"Fleet": {"first-sec/process", "first-cpu-sec/process", "idle-sec/process", "idle-cpu-sec/process",
		"upgrade-sec/process", "upgrade-cpu-sec/process", "peak-B/process"},
}

// run runs the benchmarks count times, or once. Their output also goes to out.
func (s suite) run(ctx context.Context, root string, count int, out io.Writer) ([]report.Benchmark, error) {
	if s.once {
		count = 1
	}
	args := []string{
		"test", "-run", "^$", "-bench", "^(" + strings.Join(s.names, "|") + ")$", "-benchmem",
		"-count", strconv.Itoa(count), "-timeout", "30m",
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
	return readBenchmarks(&printed)
}

// readBenchmarks reads the output of go test, and returns the median of the runs of each benchmark, in order of
// appearance.
func readBenchmarks(printed io.Reader) ([]report.Benchmark, error) {
	reader := benchfmt.NewReader(printed, "go test")
	var all []report.Benchmark
	runs := map[string][]float64{} // by benchmark and unit
	for reader.Scan() {
		result, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		b := report.Benchmark{Package: packageOf(result), Name: nameOf(result.Name), Values: map[string]float64{}}
		i := slices.IndexFunc(all, func(o report.Benchmark) bool { return o.Package == b.Package && o.Name == b.Name })
		if i < 0 {
			i, all = len(all), append(all, b)
		}
		for _, v := range result.Values {
			key := strings.Join([]string{b.Package, b.Name, v.Unit}, " ")
			runs[key] = append(runs[key], v.Value)
			sample := benchmath.NewSample(slices.Clone(runs[key]), &benchmath.DefaultThresholds)
			all[i].Values[v.Unit] = benchmath.AssumeNothing.Summary(sample, 0.95).Center
		}
	}
	if err := reader.Err(); err != nil {
		return nil, err
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

// packageOf returns the path of a benchmark's package in the repository.
func packageOf(result *benchfmt.Result) string {
	const repository = "github.com/package-variants/package-variants/"
	return strings.TrimPrefix(result.GetConfig("pkg"), repository)
}

// nameOf returns the name of a benchmark without the number of processors.
func nameOf(name benchfmt.Name) string {
	base, parts := name.Parts()
	text := string(base)
	for _, part := range parts {
		if part[0] == '/' {
			text += string(part)
		}
	}
	return text
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
