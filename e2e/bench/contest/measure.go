// SPDX-License-Identifier: Apache-2.0

package contest

import (
	"context"
	"io"

	"github.com/package-variants/package-variants/e2e/bench/report"
	"github.com/package-variants/package-variants/e2e/internal/harness"
	"github.com/package-variants/package-variants/e2e/stack"
)

// Measure has both controllers, and a plain client, do the work of a scenario with one cache of Porch. It needs the
// environment that the Makefile sets. When it returns, everything that it started has ended. Progress goes to log.
func Measure(ctx context.Context, s Scenario, cache stack.Cache, log io.Writer) (*report.Contest, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	content, err := blueprintFiles(firstTag)
	if err != nil {
		return nil, err
	}
	packages := s.packages(fixed, s.Variants)
	result := &report.Contest{
		Cache: string(cache), Variants: s.Variants, Repositories: s.Repositories, Files: len(content),
		Injecting: len(inRegion(changed, packages)), Following: s.floatingVariants(),
	}
	steps := []func(harness.T){
		func(t harness.T) {
			t.Logf("this project's controller, %s cache", cache)
			result.Ours = startOurs(newArena(t, s, cache)).compete(s)
		},
		func(t harness.T) {
			t.Logf("Porch's own controllers, %s cache", cache)
			result.Porch = startPorchs(newArena(t, s, cache)).compete(s)
		},
	}
	for _, at := range s.paces() {
		steps = append(steps, func(t harness.T) {
			run := newPlain(newArena(t, s, cache)).fanOut(packages, at)
			t.Logf("a plain client, %s cache, %d at a time, %d in a repository: %.1f s, %d retries, %d wrong", cache, at.total,
				at.perRepository, run.Seconds, run.Retries, run.Wrong)
			result.Floor = append(result.Floor, run)
		})
	}
	for _, step := range steps {
		if err := harness.Run(ctx, log, step); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// compete does all of the work: the fan-out, the rest after it, and the changes.
func (c *contender) compete(s Scenario) report.Contender {
	c.t.Helper()
	var all report.Contender
	packages := s.packages(fixed, s.Variants)
	all.FanOut = c.fanOut(packages)
	c.t.Logf("  fan-out: %.1f s, %d requests, %d wrong %s", all.FanOut.Seconds, all.FanOut.Requests.All, all.FanOut.Wrong,
		all.FanOut.Fault)
	c.proxy.Reset()
	c.sleep(resting)
	all.RestSeconds, all.Rest = resting.Seconds(), report.CountRequests(c.proxy.Requests())
	c.t.Logf("  at rest: %d writes, %d reads of contents", all.Rest.Writes, all.Rest.Reads)
	all.Object = c.changeObject(packages)
	c.t.Logf("  an object changes: %.1f s", all.Object.Seconds)
	all.Upstream = c.follow(afterChange(s.packages(floating, s.floatingVariants())))
	c.t.Logf("  an upstream is published: %.1f s", all.Upstream.Seconds)
	return all
}
