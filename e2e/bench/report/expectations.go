// SPDX-License-Identifier: Apache-2.0

package report

import "fmt"

// Expectation is something that this project sets out to do better than Porch's controllers, or well enough.
type Expectation struct {
	// Text says what is expected, and Measured what was measured.
	Text, Measured string
	// Met tells whether it is so.
	Met bool
}

// The limits of the expectations.
const (
	leastFewerRequests = 3.0   // requests of Porch's controllers, for each of ours
	mostOfFloor        = 1.15  // our time, for each second of the floor
	leastFaster        = 50.0  // the time of Porch's expansion, for each second of ours
	mostSuperlinear    = 1.5   // the growth of what a target or a variant takes, from the reference on
	mostOfNoop         = 1.1   // the processor time of a function, for each second of one that does nothing
	mostMemory         = 500e6 // of the controller with the largest fleet
	reference          = 1000  // the targets, and the variants, from which on growth is looked at
)

// Expectations returns the expectations that what was measured allows to judge, in the order of the parts.
func (r *Run) Expectations() []Expectation {
	var all []Expectation
	for _, part := range []func() []Expectation{
		r.FanOut.expectations, r.Rest.expectations, r.Change.expectations, r.expansionExpectations, r.processExpectations, r.Scale.expectations,
	} {
		all = append(all, part()...)
	}
	return all
}

func (f *FanOut) expectations() []Expectation {
	if f == nil {
		return nil
	}
	n, requests := f.Variants, f.Ours.Requests
	created, saved, status := Granted(requests, "create", "packagerevisions"), Granted(requests, "update", contents), statusWrites(requests)
	all := []Expectation{
		{
			Text:     "fan-out: for each variant one draft is made, its contents saved once and one status written",
			Measured: fmt.Sprintf("%s, %s and %s for %s variants", count(created), count(saved), count(status), count(n)),
			Met:      created == n && saved == n && status == n,
		},
		atLeast("fan-out: requests of Porch's controllers, for each of ours", float64(Total(f.Porch.Requests))/float64(Total(requests)), leastFewerRequests),
	}
	if best := f.BestFloor(); best != nil {
		all = append(all, atMost("fan-out: our time, for each second of Porch's own clones and saves", f.Ours.Seconds/best.Seconds, mostOfFloor))
	}
	return all
}

// BestFloor returns the fastest run of the plain client that left all drafts right, or nil if none did.
func (f *FanOut) BestFloor() *FloorRun {
	var best *FloorRun
	for i, run := range f.Floor {
		if run.Wrong == 0 && (best == nil || run.Seconds < best.Seconds) {
			best = &f.Floor[i]
		}
	}
	return best
}

func (r *Rest) expectations() []Expectation {
	if r == nil {
		return nil
	}
	writes, reads := Writes(r.Ours), ContentReads(r.Ours)
	return []Expectation{{
		Text: "at rest: no write, and no reading of contents", Measured: fmt.Sprintf("%s and %s", count(writes), count(reads)),
		Met: writes == 0 && reads == 0,
	}}
}

func (c *Change) expectations() []Expectation {
	if c == nil {
		return nil
	}
	only := func(text string, pair ChangePair) Expectation {
		return Expectation{
			Text: text, Measured: fmt.Sprintf("%s packages of %s affected variants read, %s of others", count(pair.Ours.Read-pair.Ours.Others), count(pair.Affected), count(pair.Ours.Others)),
			Met: pair.Ours.Seconds > 0 && pair.Ours.Others == 0,
		}
	}
	return []Expectation{
		only("an object changes: only the affected packages are read and written", c.Object),
		only("an upstream is published: only the affected packages are read and written", c.Upstream),
	}
}

func (r *Run) expansionExpectations() []Expectation {
	var all []Expectation
	var at *ExpansionPoint
	for i, p := range r.Expansion {
		if p.Targets == reference {
			at = &r.Expansion[i]
		}
	}
	if at == nil {
		return nil
	}
	if at.PorchSeconds > 0 {
		all = append(all, atLeast("expansion: Porch's time for each second of ours, at 1,000 targets", at.PorchSeconds/at.Seconds, leastFaster))
	}
	if last := r.Expansion[len(r.Expansion)-1]; last.Targets > reference {
		growth := last.perTarget() / at.perTarget()
		all = append(all, atMost(fmt.Sprintf("expansion: time for a target at %s targets, for each second at 1,000", count(last.Targets)), growth, mostSuperlinear))
	}
	return all
}

// perTarget returns the time for one target.
func (p ExpansionPoint) perTarget() float64 { return p.Seconds / float64(p.Targets) }

func (r *Run) processExpectations() []Expectation {
	if len(r.Processes) == 0 {
		return nil
	}
	worst := 0.0
	for _, p := range r.Processes {
		worst = max(worst, p.CPUSeconds/p.NoopCPUSeconds)
	}
	return []Expectation{atMost("functions: processor time, for each second of a function that does nothing, at worst", worst, mostOfNoop)}
}

func (s *Scale) expectations() []Expectation {
	if s == nil || len(s.Points) == 0 {
		return nil
	}
	last := s.Points[len(s.Points)-1]
	all := []Expectation{{
		Text:     fmt.Sprintf("scale: at most %s of memory with %s variants", megabytes(mostMemory), count(last.Variants)),
		Measured: megabytes(last.PeakBytes), Met: last.PeakBytes <= mostMemory,
	}}
	for _, p := range s.Points {
		if p.Variants == reference && last.Variants > reference {
			growth := func(of func(ScalePoint) float64) float64 {
				return of(last) / float64(last.Variants) / (of(p) / float64(p.Variants))
			}
			cpu := growth(func(p ScalePoint) float64 { return p.CPUSeconds })
			requests := growth(func(p ScalePoint) float64 { return float64(p.Requests) })
			all = append(all, atMost(fmt.Sprintf("scale: processor time or requests for a variant at %s variants, for each at 1,000", count(last.Variants)), max(cpu, requests), mostSuperlinear))
		}
	}
	return all
}

func atLeast(text string, ratio, limit float64) Expectation {
	return Expectation{Text: fmt.Sprintf("%s: at least %s", text, times(limit)), Measured: times(ratio), Met: ratio >= limit}
}

func atMost(text string, ratio, limit float64) Expectation {
	return Expectation{Text: fmt.Sprintf("%s: at most %s", text, times(limit)), Measured: times(ratio), Met: ratio <= limit}
}
