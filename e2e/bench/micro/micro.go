// SPDX-License-Identifier: Apache-2.0

// Package micro measures what the functions take by themselves: the expansion of sets, the edits of packages in a Go
// program, and functions as processes. The benchmarks are those of the packages that they are about; this package runs
// them, as go test does, and reads what they print.
package micro

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/package-variants/package-variants/e2e/bench/report"

	"golang.org/x/perf/benchfmt"
)

// Options say what to measure.
type Options struct {
	// Expansion, Mutations and Processes say which parts are.
	Expansion, Mutations, Processes bool
	// Count is how often each benchmark is run; what is told is the median. It is 1 if it is 0.
	Count int
	// Log is told what goes on: it gets what the benchmarks print.
	Log io.Writer
}

// functionsModule is the module of the functions; the modules of this repository are beside it.
const functionsModule = "github.com/package-variants/package-variants/functions"

// The benchmarks, by what runs them: the package of a module of this repository.
var (
	expansion = suite{module: "e2e", pkg: "./compat", benchmark: "BenchmarkExpansion"}
	mutations = map[string]suite{
		"apply-package-context": {module: "functions", pkg: "./apply-package-context/packagecontext", benchmark: "BenchmarkInProcess"},
		"prepend-pipeline":      {module: "functions", pkg: "./prepend-pipeline/pipeline", benchmark: "BenchmarkInProcess"},
		"inject-config":         {module: "functions", pkg: "./inject-config/injection", benchmark: "BenchmarkInProcess"},
		report.AllMutations:     {module: "sync-controller", pkg: "./internal/mutate", benchmark: "BenchmarkApply"},
	}
	processes = suite{module: "functions", pkg: "./krm", benchmark: "BenchmarkProcess"}
)

// suite is a benchmark with its sub-benchmarks.
type suite struct{ module, pkg, benchmark string }

// Measure measures what the options ask for and puts it into a run. It needs the environment that the Makefile sets, and
// a working directory in the module e2e.
func Measure(ctx context.Context, o Options, run *report.Run) error {
	root, err := repository(ctx)
	if err != nil {
		return err
	}
	r := &runner{root: root, count: max(o.Count, 1), log: o.Log}
	if o.Expansion {
		if run.Expansion, err = expansionPoints(r.run(ctx, expansion)); err != nil {
			return err
		}
	}
	if o.Mutations {
		run.Mutations = nil
		for _, function := range []string{"apply-package-context", "prepend-pipeline", "inject-config", report.AllMutations} {
			points, err := mutationPoints(function)(r.run(ctx, mutations[function]))
			if err != nil {
				return err
			}
			run.Mutations = append(run.Mutations, points...)
		}
	}
	if o.Processes {
		if run.Processes, err = processPoints(r.run(ctx, processes)); err != nil {
			return err
		}
	}
	return nil
}

// repository returns the directory of this repository.
func repository(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", functionsModule).Output()
	if err != nil {
		return "", fmt.Errorf("cannot find the module %s: %w", functionsModule, err)
	}
	return filepath.Dir(strings.TrimSpace(string(out))), nil
}

// runner runs benchmarks.
type runner struct {
	root  string
	count int
	log   io.Writer
}

// run runs a suite and returns what it printed of each sub-benchmark.
func (r *runner) run(ctx context.Context, s suite) ([]result, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^"+s.benchmark+"$", "-benchmem",
		"-count", strconv.Itoa(r.count), "-timeout", "30m", s.pkg)
	cmd.Dir = filepath.Join(r.root, s.module)
	workspace := filepath.Join(r.root, "go.work")
	if s.module == "e2e" { // it is not part of it
		workspace = "off"
	}
	cmd.Env = append(os.Environ(), "GOWORK="+workspace)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&out, r.log), r.log
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s in %s: %w", cmd, cmd.Dir, err)
	}
	return read(strings.NewReader(out.String()), s.benchmark)
}

// result is what the runs of one sub-benchmark have measured.
type result struct {
	// path are the parts of its name.
	path []string
	// values are the medians, by unit, in seconds where go test prints nanoseconds.
	values map[string]float64
}

// read reads the results of a benchmark in the format of go test, in their order. It fails if there are none.
func read(in io.Reader, benchmark string) ([]result, error) {
	reader := benchfmt.NewReader(in, benchmark)
	var results []result
	at, all := map[string]int{}, map[string]map[string][]float64{}
	for reader.Scan() {
		r, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		name := r.Name.String()
		if _, known := at[name]; !known {
			at[name], all[name] = len(results), map[string][]float64{}
			results = append(results, result{path: parts(r.Name), values: map[string]float64{}})
		}
		for _, value := range r.Values {
			all[name][value.Unit] = append(all[name][value.Unit], value.Value)
			results[at[name]].values[value.Unit] = median(all[name][value.Unit])
		}
	}
	if err := reader.Err(); err != nil {
		return nil, fmt.Errorf("cannot read what %s printed: %w", benchmark, err)
	}
	if len(results) == 0 {
		return nil, fmt.Errorf("%s printed no result", benchmark)
	}
	return results, nil
}

// parts returns the parts of a benchmark's name, without its first and the number of processors.
func parts(name benchfmt.Name) []string {
	_, all := name.Parts()
	var path []string
	for _, part := range all {
		if text, ok := strings.CutPrefix(string(part), "/"); ok {
			path = append(path, text)
		}
	}
	return path
}
