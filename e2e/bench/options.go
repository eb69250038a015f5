// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/package-variants/package-variants/e2e/bench/contest"
	"github.com/package-variants/package-variants/e2e/bench/report"
	"github.com/package-variants/package-variants/e2e/bench/soak"
	"github.com/package-variants/package-variants/e2e/stack"
)

// The parts of a run.
const (
	fanOut    = report.PartFanOut
	rest      = report.PartRest
	change    = report.PartChange
	expansion = report.PartExpansion
	functions = report.PartFunctions
	planning  = report.PartPlan
	inGit     = report.PartGit
	scale     = report.PartScale
	rollout   = report.PartRollout
	tenancy   = report.PartTenancy
	soaking   = report.PartSoak
)

// parts are the parts of a full run, in the order of the page; named are the parts that can be selected. The soak takes
// an hour.
var (
	parts = []string{fanOut, rest, change, expansion, functions, planning, inGit, scale, rollout, tenancy}
	named = append(slices.Clone(parts), soaking)
)

// options are the flags of a run.
type options struct {
	only            []string
	caches          []stack.Cache
	scenario        contest.Scenario
	settle, resting time.Duration
	count           int
	sizes, targets  []int
	hostile         report.Hostile
	soak            soak.Options
	// merge adds the measured parts to docs/benchmarks and keeps the others.
	merge bool
	// args are the arguments.
	args []string
}

// defaults are the options of a run for docs/benchmarks, and those that the project's expectations refer to.
func defaults() *options {
	return &options{
		only: parts, caches: []stack.Cache{stack.CRCache, stack.DBCache},
		scenario: contest.Scenario{Variants: 50, Repositories: 5},
		settle:   time.Minute, resting: time.Minute, count: 5, sizes: []int{100, 1000, 10000},
		targets: []int{250, 500, 1000},
		hostile: report.Hostile{Failing: 1000, Large: 20, PackageBytes: 5_000_000, Targets: 10_000, ChangesPerSecond: 10},
		soak:    soak.Options{Variants: 10000, For: time.Hour, Rate: 1, Seed: 1},
	}
}

// parse parses the arguments. It writes errors and the usage to out.
func parse(args []string, out io.Writer) (*options, error) {
	o := defaults()
	o.args = args
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(out)
	f.Func("only", "the parts to measure, of "+strings.Join(named, ", ")+
		", separated by commas (default all but "+soaking+")",
		func(text string) error {
			o.only = nil
			for _, part := range strings.Split(text, ",") {
				if !slices.Contains(named, part) {
					return fmt.Errorf("there is no part %q: it must be one of %s", part, strings.Join(named, ", "))
				}
				o.only = append(o.only, part)
			}
			return nil
		})
	f.Func("cache", "the cache of Porch to measure with, CR or DB (default both, one after the other)", o.setCache)
	f.IntVar(&o.scenario.Variants, "variants", o.scenario.Variants, "how many variants the set of the fan-out has")
	f.IntVar(&o.scenario.Repositories, "repositories", o.scenario.Repositories,
		"how many Repositories they are spread over")
	f.DurationVar(&o.settle, "settle", o.settle, "how long to wait before the rest is measured")
	f.DurationVar(&o.resting, "rest", o.resting, "how long the rest is measured")
	f.IntVar(&o.count, "count", o.count, "how often each benchmark of the functions is run; the median counts")
	f.Func("sizes", "how many variants the simulated fleets have, separated by commas (default 100,1000,10000)",
		numbers(&o.sizes))
	f.Func("targets", "how many targets the simulated rollouts have, separated by commas (default 250,500,1000)",
		numbers(&o.targets))
	f.IntVar(&o.hostile.Failing, "failing", o.hostile.Failing, "how many variants of the hostile namespace fail")
	f.DurationVar(&o.soak.For, "soak-for", o.soak.For, "how long the fleet of the soak changes")
	f.IntVar(&o.soak.Variants, "soak-variants", o.soak.Variants, "how many variants it has")
	f.Float64Var(&o.soak.Rate, "soak-rate", o.soak.Rate, "how many changes a second there are")
	f.Uint64Var(&o.soak.Seed, "soak-seed", o.soak.Seed, "what the changes are chosen by")
	f.BoolVar(&o.merge, "merge", false, "with -only: write the parts to "+docs+", and keep the others that are there")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		err := fmt.Errorf("unexpected argument %q: there are flags only, see -help", f.Arg(0))
		fmt.Fprintln(out, err)
		return nil, err
	}
	if err := o.mergeable(); err != nil {
		fmt.Fprintln(out, err)
		return nil, err
	}
	return o, nil
}

// setCache sets the only cache to measure with.
func (o *options) setCache(text string) error {
	if !slices.Contains(defaults().caches, stack.Cache(text)) {
		return fmt.Errorf("there is no cache %q: it must be CR or DB", text)
	}
	o.caches = []stack.Cache{stack.Cache(text)}
	return nil
}

// mergeable returns an error if the options ask for an impossible merge.
func (o *options) mergeable() error {
	switch {
	case o.merge && slices.Equal(o.only, parts):
		return errors.New("-merge is for some of the parts: name them by -only; all of them need no flag")
	case o.merge && len(o.caches) == 1:
		return errors.New("-merge is for both caches, which the page compares: leave -cache out")
	}
	return nil
}

// numbers returns a parser for comma-separated numbers.
func numbers(into *[]int) func(string) error {
	return func(text string) error {
		*into = nil
		for _, each := range strings.Split(text, ",") {
			n, err := strconv.Atoi(each)
			if err != nil {
				return fmt.Errorf("%q is not a number", each)
			}
			*into = append(*into, n)
		}
		return nil
	}
}

// measures reports whether a part is measured.
func (o *options) measures(part string) bool { return slices.Contains(o.only, part) }

// contests reports whether a selected part needs Porch itself.
func (o *options) contests() bool {
	return o.measures(fanOut) || o.measures(rest) || o.measures(change)
}

// whole reports whether this run is for docs/benchmarks: all parts, in their default size.
func (o *options) whole() bool { return len(o.args) == 0 }

// command returns the command that repeats the run.
func (o *options) command() string {
	if o.whole() {
		return "make bench"
	}
	return fmt.Sprintf("make bench BENCHFLAGS='%s'", strings.Join(o.args, " "))
}
