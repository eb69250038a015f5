// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
)

// Rollouts are rollouts of one set with a simulated Porch and a simulated person who publishes the drafts.
type Rollouts struct {
	// Latencies are those that the simulated Porch had.
	Latencies []Latency `json:"latencies"`
	// Points are the simulated sizes, in ascending order.
	Points []RolloutPoint `json:"points"`
}

// RolloutPoint has the rollouts over that many targets.
type RolloutPoint struct {
	// Targets is the number of targets of the set; each has its own Repository.
	Targets int `json:"targets"`
	// First is the rollout that makes the packages, Next that of the next revision of the upstream.
	First RolledOut `json:"first"`
	Next  RolledOut `json:"next"`
}

// RolledOut is one rollout, until the controller is at rest.
type RolledOut struct {
	// Seconds is the time from the change until all waves were through.
	Seconds float64 `json:"seconds"`
	// CPUSeconds is the processor time of the controller.
	CPUSeconds float64 `json:"cpuSeconds"`
	// Reconciles are those of variants. SetReconciles are those of the set, which took SetSeconds in total.
	Reconciles    int     `json:"reconciles"`
	SetReconciles int     `json:"setReconciles"`
	SetSeconds    float64 `json:"setSeconds"`
	// Requests are all that the controller sent.
	Requests []RequestCount `json:"requests"`
	// Waves are the waves, in their order.
	Waves []RolledWave `json:"waves"`
}

// RolledWave is a completed wave.
type RolledWave struct {
	// Name is its name, Targets the number of its targets.
	Name    string `json:"name"`
	Targets int    `json:"targets"`
	// MaxConcurrent is how many of them may be in flight, and InFlight the most that were.
	MaxConcurrent int `json:"maxConcurrent"`
	InFlight      int `json:"inFlight"`
}

// PerTarget returns the number of requests per target.
func (r *RolledOut) PerTarget(targets int) float64 {
	return float64(Total(r.Requests)) / float64(targets)
}

// SecondsOfSet returns the average duration of a reconcile of the set.
func (r *RolledOut) SecondsOfSet() float64 { return r.SetSeconds / float64(r.SetReconciles) }

// SecondsOfSetFor returns that duration per target.
func (r *RolledOut) SecondsOfSetFor(targets int) float64 { return r.SecondsOfSet() / float64(targets) }

// Last returns the rollouts over the most targets, or nil if there are none.
func (r *Rollouts) Last() *RolloutPoint {
	if r == nil || len(r.Points) == 0 {
		return nil
	}
	return &r.Points[len(r.Points)-1]
}

// NamedRollout is a rollout of a RolloutPoint.
type NamedRollout struct {
	// Name says what is rolled out.
	Name string
	*RolledOut
}

// Both returns the rollouts, in their order.
func (p *RolloutPoint) Both() []NamedRollout {
	return []NamedRollout{{"the first revision", &p.First}, {"the next one", &p.Next}}
}

// RequestRows returns the requests of both rollouts, in total and per target.
func (p *RolloutPoint) RequestRows() [][]string {
	each := func(requests string, n int) []string {
		return []string{requests, digits(float64(n) / float64(p.Targets))}
	}
	var rows [][]string
	for _, k := range kindsOf(p.First.Requests, p.Next.Requests) {
		first, next := Count(p.First.Requests, k.verb, k.resource), Count(p.Next.Requests, k.verb, k.resource)
		rows = append(rows, slices.Concat([]string{k.verb + " " + k.resource}, each(count(first), first),
			each(count(next), next)))
	}
	first, next := Total(p.First.Requests), Total(p.Next.Requests)
	return append(rows, slices.Concat([]string{"**all**"}, each(count(first), first), each(count(next), next)))
}

// growth returns how much longer a reconcile of the set took per target with the most targets than with the fewest, for
// the rollout in which it grew more.
func (r *Rollouts) growth() float64 {
	few, many := &r.Points[0], r.Last()
	of := func(p *RolloutPoint, rolled *RolledOut) float64 { return rolled.SecondsOfSet() / float64(p.Targets) }
	return max(of(many, &many.First)/of(few, &few.First), of(many, &many.Next)/of(few, &few.Next))
}

func (r *Rollouts) expectations() []Expectation {
	last := r.Last()
	if last == nil {
		return nil
	}
	all := []Expectation{atMost(fmt.Sprintf("rollout: requests for a target, over %s targets", count(last.Targets)),
		max(last.First.PerTarget(last.Targets), last.Next.PerTarget(last.Targets)), mostRolloutRequests)}
	if few := &r.Points[0]; few.Targets < last.Targets {
		text := fmt.Sprintf("rollout: time of a reconcile of the set for a target at %s targets, for each at %s",
			count(last.Targets), count(few.Targets))
		all = append(all, atMost(text, r.growth(), mostSuperlinear))
	}
	waves, crowded := 0, 0
	for i := range r.Points {
		for _, rolled := range r.Points[i].Both() {
			for _, w := range rolled.Waves {
				if waves++; w.InFlight > w.MaxConcurrent {
					crowded++
				}
			}
		}
	}
	return append(all, Expectation{
		Text:     "rollout: never more than maxConcurrent targets of a wave in flight",
		Measured: fmt.Sprintf("more in %d of %d waves", crowded, waves), Met: waves > 0 && crowded == 0,
	})
}
