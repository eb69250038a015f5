// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"
)

// Expectation is something that this project should do better than Porch's controllers, or well enough.
type Expectation struct {
	// Text says what is expected, and Measured what was measured.
	Text, Measured string
	// Met reports whether it is met.
	Met bool
}

// The limits of the expectations.
const (
	leastRequests      = 5    // that a controller needs for a variant
	mostRequests       = 7.0  // for each variant, of ours at most
	leastFewerRequests = 5.0  // requests of Porch's controllers in the first minute, for each of ours
	mostOfPorchs       = 1.0  // our time, for each second of Porch's controllers
	mostOfFloor        = 1.15 // our time, for each second of the floor
	leastFaster        = 50.0 // the time of Porch's expansion, for each second of ours
	mostSuperlinear    = 1.5  // the growth of what a target or a variant takes, from the reference on
	mostOfNoop         = 1.1  // the processor time of a function, relative to one that does nothing
	// requests for a target that a rollout may take
	mostRolloutRequests = 8.0
	mostTenancy         = 2.0   // the time beside a hostile namespace, for each second alone
	mostMemory          = 500e6 // of the controller with the largest fleet
	reference           = 1000  // targets, and variants, from which growth is judged
)

// Expectations returns the expectations that the measurements can judge, in the order of the parts.
func (r *Run) Expectations() []Expectation {
	var contests, scales []Expectation
	for i := range r.Caches {
		on := &r.Caches[i]
		contests = append(contests, on.named(on.FanOut.expectations(), on.Rest.expectations(), on.Change.expectations())...)
		scales = append(scales, on.named(on.Scale.expectations())...)
	}
	return slices.Concat(contests, r.expansionExpectations(), r.processExpectations(), r.planExpectations(),
		r.gitExpectations(), scales, r.Rollouts.expectations(), r.Tenancy.expectations(), r.Soak.expectations())
}

// named returns expectations with the name of the cache added.
func (c *OnCache) named(expectations ...[]Expectation) []Expectation {
	all := slices.Concat(expectations...)
	for i := range all {
		all[i].Text = c.Cache + " cache: " + all[i].Text
	}
	return all
}

// Met returns the expectations that are met.
func (r *Run) Met() []Expectation {
	return slices.DeleteFunc(r.Expectations(), func(e Expectation) bool { return !e.Met })
}

// Missed returns the expectations that are not met.
func (r *Run) Missed() []Expectation {
	return slices.DeleteFunc(r.Expectations(), func(e Expectation) bool { return e.Met })
}

func (f *FanOut) expectations() []Expectation {
	if f == nil {
		return nil
	}
	n, requests := f.Variants, f.Ours.Requests
	created, saved := Granted(requests, "create", "packagerevisions"), Granted(requests, "update", contents)
	status := statusWrites(requests)
	all := []Expectation{
		{
			Text:     "fan-out: for each variant one draft is made, its contents saved once and its status written twice",
			Measured: fmt.Sprintf("%s, %s and %s for %s variants", count(created), count(saved), count(status), count(n)),
			Met:      created == n && saved == n && status == 2*n,
		},
		atMost(fmt.Sprintf("fan-out: requests per variant (the minimum is %d)", leastRequests),
			float64(Total(requests))/float64(n), mostRequests),
		atLeast("fan-out: requests of Porch's controllers in the first "+seconds(f.Ours.FirstSeconds)+", for each of ours",
			float64(Total(f.Porch.First))/float64(Total(f.Ours.First)), leastFewerRequests),
		atMost("fan-out: our time, for each second of Porch's controllers", f.Ours.Seconds/f.Porch.Seconds, mostOfPorchs),
	}
	if best := f.BestFloor(); best != nil {
		all = append(all, atMost("fan-out: our time, for each second of Porch's own clones and saves",
			f.Ours.Seconds/best.Seconds, mostOfFloor))
	}
	return all
}

func (r *Rest) expectations() []Expectation {
	if r == nil {
		return nil
	}
	return []Expectation{silent("at rest", Asked{ContentReads: ContentReads(r.Ours), Writes: Writes(r.Ours)})}
}

func (c *Change) expectations() []Expectation {
	if c == nil {
		return nil
	}
	only := func(what string, pair ChangePair) Expectation {
		return Expectation{
			Text: what + ": only the affected packages are read and written",
			Measured: fmt.Sprintf("%s packages of %s affected variants read, %s of others",
				count(pair.Ours.Read-pair.Ours.Others), count(pair.Affected), count(pair.Ours.Others)),
			Met: pair.Ours.Seconds > 0 && pair.Ours.Others == 0,
		}
	}
	return []Expectation{only("an object changes", c.Object), only("an upstream is published", c.Upstream)}
}

func (r *Run) expansionExpectations() []Expectation {
	expansions := r.Expansions()
	i := slices.IndexFunc(expansions, func(e Expansion) bool { return e.Size() == reference })
	if i < 0 {
		return nil
	}
	var all []Expectation
	at, last := expansions[i], expansions[len(expansions)-1]
	if at.Porch != nil {
		all = append(all, atLeast("expansion: Porch's time for each second of ours, at 1,000 targets",
			at.Porch.Seconds()/at.Seconds(), leastFaster))
	}
	if last.Size() > reference {
		all = append(all, atMost(
			fmt.Sprintf("expansion: time for a target at %s targets, for each second at 1,000", count(last.Size())),
			last.PerSize()/at.PerSize(), mostSuperlinear))
	}
	return all
}

func (r *Run) processExpectations() []Expectation {
	ranges := r.NoopRanges()
	if len(ranges) == 0 {
		return nil
	}
	worst := slices.MaxFunc(ranges, func(a, b NoopRange) int { return cmp.Compare(a.Most, b.Most) })
	return []Expectation{atMost("functions: processor time, for each second of a function that does nothing, at worst",
		worst.Most, mostOfNoop)}
}

func (s *Scale) expectations() []Expectation {
	last := s.Last()
	if last == nil {
		return nil
	}
	all := []Expectation{{
		Text:     fmt.Sprintf("scale: at most %s of memory with %s variants", megabytes(mostMemory), count(last.Variants)),
		Measured: megabytes(float64(last.PeakBytes)), Met: last.PeakBytes <= mostMemory,
	}}
	for _, p := range s.Points {
		if p.Variants == reference && last.Variants > reference {
			times := float64(last.Variants) / float64(p.Variants)
			cpu, requests := last.CPUSeconds/p.CPUSeconds/times, float64(last.Requests)/float64(p.Requests)/times
			all = append(all, atMost(
				fmt.Sprintf("scale: processor time or requests for a variant at %s variants, for each at 1,000",
					count(last.Variants)),
				max(cpu, requests), mostSuperlinear))
		}
	}
	if asked := last.Restart.Asked; asked != nil {
		all = append(all, silent(fmt.Sprintf("scale: start with %s variants that are ready", count(last.Variants)), *asked))
	}
	return all
}

// silent expects that a settled fleet costs nothing.
func silent(what string, asked Asked) Expectation {
	return Expectation{
		Text:     what + ": no write, and no reading of contents",
		Measured: fmt.Sprintf("%s and %s", count(asked.Writes), count(asked.ContentReads)), Met: asked == Asked{},
	}
}

func atLeast(text string, ratio, limit float64) Expectation {
	return Expectation{
		Text: fmt.Sprintf("%s: at least %s", text, digits(limit)), Measured: digits(ratio), Met: ratio >= limit,
	}
}

func atMost(text string, ratio, limit float64) Expectation {
	return Expectation{
		Text: fmt.Sprintf("%s: at most %s", text, digits(limit)), Measured: digits(ratio), Met: ratio <= limit,
	}
}
