// SPDX-License-Identifier: Apache-2.0

package contest

import (
	"context"
	"io"
	"time"

	"github.com/package-variants/package-variants/e2e/bench/report"
	"github.com/package-variants/package-variants/e2e/internal/harness"
)

// Options are what is measured.
type Options struct {
	Scenario
	// FanOut, Rest and Change say which parts are. The work of a fan-out is done in any case.
	FanOut, Rest, Change bool
	// Settle is how long is waited after a fan-out before the rest is measured, which takes the time Resting.
	Settle, Resting time.Duration
	// Log is told what goes on.
	Log io.Writer
}

// Measure measures what the options ask for and puts it into a run. It needs the environment that the Makefile sets.
// When it returns, all that it started has ended.
func Measure(ctx context.Context, options Options, run *report.Run) error {
	if err := options.Validate(); err != nil {
		return err
	}
	m := &measurement{Options: options, fanOut: &report.FanOut{}, rest: &report.Rest{}, change: &report.Change{}}
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
		m.fanOut.Variants, m.fanOut.Repositories = options.Variants, options.Repositories
		run.FanOut = m.fanOut
	}
	if options.Rest {
		m.rest.Variants = options.Variants
		m.rest.SettleSeconds, m.rest.Seconds = options.Settle.Seconds(), options.Resting.Seconds()
		run.Rest = m.rest
	}
	if options.Change {
		packages, followers := m.packages(fixed, m.Variants), m.floatingVariants()
		m.change.Object.Variants, m.change.Object.Affected = m.Variants, len(inRegion(changed, packages))
		m.change.Upstream.Variants, m.change.Upstream.Affected = m.Variants+followers, followers
		run.Change = m.change
	}
	return nil
}

// measurement is one call of Measure.
type measurement struct {
	Options
	fanOut *report.FanOut
	rest   *report.Rest
	change *report.Change
	best   float64 // the time of the best floor
}

// ours measures this project's controller.
func (m *measurement) ours(t harness.T) {
	t.Logf("this project's controller: starting")
	m.compete(startOurs(newArena(t, m.Scenario)), &m.fanOut.Ours, &m.rest.Ours, &m.change.Object.Ours,
		&m.change.Upstream.Ours)
}

// porchs measures Porch's controllers.
func (m *measurement) porchs(t harness.T) {
	t.Logf("Porch's own controllers: starting")
	m.compete(startPorchs(newArena(t, m.Scenario)), &m.fanOut.Porch, &m.rest.Porch, &m.change.Object.Porch,
		&m.change.Upstream.Porch)
}

// compete has a contender do all that is measured.
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
	p := newPlain(newArena(t, m.Scenario))
	run := p.fanOut(m.packages(fixed, m.Variants), at)
	t.Logf("a plain client, %d at a time, %d in a repository: %.1f s, %d retries, %d wrong", at.total, at.perRepository,
		run.Seconds, run.Retries, run.Wrong)
	m.fanOut.Floor = append(m.fanOut.Floor, run)
	if run.Wrong == 0 && (m.best == 0 || run.Seconds < m.best) {
		m.best, m.fanOut.Latencies = run.Seconds, latencies(p.calls)
	}
}
