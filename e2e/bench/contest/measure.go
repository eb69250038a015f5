// SPDX-License-Identifier: Apache-2.0

package contest

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/package-variants/package-variants/e2e/bench/report"
	"github.com/package-variants/package-variants/e2e/internal/harness"
	"github.com/package-variants/package-variants/e2e/stack"
)

// Options say what to measure.
type Options struct {
	Scenario
	// Caches are the caches of Porch to measure with, one after the other.
	Caches []stack.Cache
	// FanOut, Rest and Change select the parts to measure. The fan-out runs in any case.
	FanOut, Rest, Change bool
	// Settle is the wait after a fan-out before the rest is measured; Resting is how long it is measured.
	Settle, Resting time.Duration
	// Log gets progress messages.
	Log io.Writer
}

// Measure measures what the options ask for and adds it to run. It needs the environment that the Makefile sets. When
// it returns, everything that it started has ended.
func Measure(ctx context.Context, options Options, run *report.Run) error {
	if err := options.Validate(); err != nil {
		return err
	}
	for _, cache := range options.Caches {
		if err := measure(ctx, options, cache, run.On(string(cache))); err != nil {
			return fmt.Errorf("with the %s cache: %w", cache, err)
		}
	}
	return nil
}

// measure measures what the options ask for with one cache.
func measure(ctx context.Context, options Options, cache stack.Cache, on *report.OnCache) error {
	m := &measurement{Options: options, cache: cache, fanOut: &report.FanOut{}, rest: &report.Rest{},
		change: &report.Change{}}
	steps := []func(harness.T){m.ours, m.porchs}
	if options.FanOut {
		for _, pace := range options.paces() {
			steps = append(steps, func(t harness.T) { m.floor(t, pace) })
		}
	}
	for _, step := range steps {
		if err := harness.Run(ctx, options.Log, step); err != nil {
			return err
		}
	}
	if options.FanOut {
		content, err := blueprintFiles(firstTag)
		if err != nil {
			return err
		}
		m.fanOut.Variants, m.fanOut.Repositories, m.fanOut.Files = options.Variants, options.Repositories, len(content)
		on.FanOut = m.fanOut
	}
	if options.Rest {
		m.rest.Variants = options.Variants
		m.rest.SettleSeconds, m.rest.Seconds = options.Settle.Seconds(), options.Resting.Seconds()
		on.Rest = m.rest
	}
	if options.Change {
		packages, followers := m.packages(fixed, m.Variants), m.floatingVariants()
		m.change.Object.Variants, m.change.Object.Affected = m.Variants, len(inRegion(changed, packages))
		m.change.Upstream.Variants, m.change.Upstream.Affected = m.Variants+followers, followers
		on.Change = m.change
	}
	return nil
}

// measurement is one call of measure.
type measurement struct {
	Options
	cache  stack.Cache
	fanOut *report.FanOut
	rest   *report.Rest
	change *report.Change
	best   float64 // the time of the fastest floor so far
}

// ours measures this project's controller.
func (m *measurement) ours(t harness.T) {
	t.Logf("this project's controller, %s cache: starting", m.cache)
	m.compete(startOurs(newArena(t, m.Scenario, m.cache)), &m.fanOut.Ours, &m.rest.Ours, &m.change.Object.Ours,
		&m.change.Upstream.Ours)
}

// porchs measures Porch's controllers.
func (m *measurement) porchs(t harness.T) {
	t.Logf("Porch's own controllers, %s cache: starting", m.cache)
	m.compete(startPorchs(newArena(t, m.Scenario, m.cache)), &m.fanOut.Porch, &m.rest.Porch, &m.change.Object.Porch,
		&m.change.Upstream.Porch)
}

// compete runs all measurements with a contender.
func (m *measurement) compete(c *contender, fanOut *report.Contender, rest *[]report.RequestCount, object,
	upstream *report.Reaction) {
	packages := m.packages(fixed, m.Variants)
	*fanOut = c.fanOut(packages)
	c.t.Logf("  fan-out: %.1f s, %d wrong", fanOut.Seconds, fanOut.Wrong)
	if m.Rest {
		c.t.Logf("  at rest: %s after %s", m.Resting, m.Settle)
		*rest = c.rest(m.Settle, m.Resting)
	}
	if m.Change {
		*object = c.changeObject(packages)
		c.t.Logf("  an object changes: %.1f s", object.Seconds)
		*upstream = c.follow(afterChange(m.packages(floating, m.floatingVariants())))
		c.t.Logf("  an upstream is published: %.1f s", upstream.Seconds)
	}
}

// floor measures a plain client at a pace.
func (m *measurement) floor(t harness.T, at pace) {
	p := newPlain(newArena(t, m.Scenario, m.cache))
	run := p.fanOut(m.packages(fixed, m.Variants), at)
	t.Logf("a plain client, %s cache, %d at a time, %d in a repository: %.1f s, %d retries, %d wrong", m.cache, at.total,
		at.perRepository, run.Seconds, run.Retries, run.Wrong)
	m.fanOut.Floor = append(m.fanOut.Floor, run)
	if run.Wrong == 0 && (m.best == 0 || run.Seconds < m.best) {
		m.best, m.fanOut.Latencies = run.Seconds, latencies(p.calls)
	}
}
