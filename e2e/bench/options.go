// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/e2e/bench/contest"
	"github.com/package-variants/package-variants/e2e/bench/report"
	"github.com/package-variants/package-variants/e2e/stack"
)

// The parts of a run.
const (
	fanOut    = report.PartFanOut
	inGit     = report.PartGit
	functions = report.PartFunctions
	expansion = report.PartExpansion
	planning  = report.PartPlan
)

// parts are the parts of a run.
var parts = []string{inGit, fanOut, functions, expansion, planning}

// options are the flags of a run.
type options struct {
	only     []string
	caches   []stack.Cache
	scenario contest.Scenario
	// merge writes the parts to docs/benchmarks and keeps the others.
	merge bool
	// args are the arguments.
	args []string
}

// defaults are the options of a run for docs/benchmarks.
func defaults() *options {
	return &options{
		only: parts, caches: []stack.Cache{stack.CRCache, stack.DBCache},
		scenario: contest.Scenario{Variants: 50, Repositories: 5},
	}
}

// parse parses the arguments. It writes errors and the usage to out.
func parse(args []string, out io.Writer) (*options, error) {
	o := defaults()
	o.args = args
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(out)
	f.Func("only", "the parts to measure, of "+strings.Join(parts, ", ")+
		", separated by commas (default all)", o.setParts)
	f.Func("cache", "the cache of Porch to measure with, CR or DB (default both, one after the other)", o.setCache)
	f.IntVar(&o.scenario.Variants, "variants", o.scenario.Variants, "how many variants the set of the fan-out has")
	f.IntVar(&o.scenario.Repositories, "repositories", o.scenario.Repositories,
		"how many Repositories they are spread over")
	f.BoolVar(&o.merge, "merge", false, "write the parts to "+docs+", and keep the others that are there")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	var err error
	switch {
	case f.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q: there are flags only, see -help", f.Arg(0))
	case o.merge && len(o.caches) == 1:
		err = errors.New("-merge is for both caches, which the page compares: leave -cache out")
	}
	if err != nil {
		fmt.Fprintln(out, err)
		return nil, err
	}
	return o, nil
}

// setParts sets the parts to measure.
func (o *options) setParts(text string) error {
	o.only = strings.Split(text, ",")
	for _, part := range o.only {
		if !slices.Contains(parts, part) {
			return fmt.Errorf("there is no part %q: it must be one of %s", part, strings.Join(parts, ", "))
		}
	}
	return nil
}

// setCache sets the only cache to measure with.
func (o *options) setCache(text string) error {
	if !slices.Contains(defaults().caches, stack.Cache(text)) {
		return fmt.Errorf("there is no cache %q: it must be CR or DB", text)
	}
	o.caches = []stack.Cache{stack.Cache(text)}
	return nil
}

// measures reports whether a part is measured.
func (o *options) measures(part string) bool { return slices.Contains(o.only, part) }

// whole reports whether this run is for docs/benchmarks: all parts, in their default size.
func (o *options) whole() bool { return len(o.args) == 0 }

// command returns the command that repeats the run.
func (o *options) command() string {
	if o.whole() {
		return "make bench"
	}
	return fmt.Sprintf("make bench BENCHFLAGS='%s'", strings.Join(o.args, " "))
}
