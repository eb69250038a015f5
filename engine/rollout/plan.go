// SPDX-License-Identifier: Apache-2.0

// Package rollout plans the rollout of a PackageVariantSet, from plain values: which variants get their new spec now,
// and where the rollout stands (docs/design.md, "Rollouts"). A rule is one function here, and a row in a table of the
// tests. It reads and writes nothing.
package rollout

import (
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Input is everything that a plan depends on. Plan only reads it.
type Input struct {
	// Namespace and Name are those of the set.
	Namespace, Name string
	// Spec is the set's rollout. It must be valid. It may be nil for Count only.
	Spec *v1alpha2.Rollout
	// Suspended reports whether the set is suspended.
	Suspended bool
	// Approvals is the value of the set's annotation v1alpha2.ApproveWaveAnnotation.
	Approvals string
	// Status is the set's status.rollout; nil if it has none.
	Status *v1alpha2.RolloutStatus
	// Failures are the set's status.failures.
	Failures []v1alpha2.VariantFailure
	// Upstreams are the package revisions that the set's upstreams stand for now.
	Upstreams []v1alpha1.ResolvedUpstream
	// Variants are the variants that the set wants. The first are opened first, so their order must not change from plan
	// to plan.
	Variants []Variant
	// Excluded are the variants that the set wants and cannot make. They stay as they are, and do not block the others.
	Excluded []Excluded
	// Live reports whether the variants were read from the API server, and not from a cache.
	Live bool
	// Now is the time of the plan.
	Now time.Time
}

// Variant is a variant that a set wants.
type Variant struct {
	// Name is the name that the variant has or gets.
	Name string
	// Wave is the name of the wave that the expansion of the set found for it. An unknown one is the last.
	Wave string
	// Upstream is the package revision that the upstream of Want stands for now.
	Upstream v1alpha1.ResolvedUpstream
	// Want is the spec that the set makes.
	Want *variant.Spec
	// Have is the variant as it is; nil if there is none.
	Have *v1alpha1.PackageVariant
}

// Excluded is a variant that a set wants and cannot make.
type Excluded struct {
	// Name is the name of the variant, or of its target if the variant has no name yet.
	Name string
	// Reason is why.
	Reason string
}

// Action is what a step does.
type Action string

const (
	// Hold leaves the spec of a variant as it is, and makes no variant.
	Hold Action = "Hold"
	// Pin replaces a floating upstream with the revision that the variant is already made from. The package does not
	// change, and does not follow the upstream any more.
	Pin Action = "Pin"
	// Open writes the spec that the set makes, with the revision in place of a floating upstream, and the annotation
	// v1alpha2.OpenedAtAnnotation. It makes the variant if it does not exist.
	Open Action = "Open"
)

// Step is what to do about a variant.
type Step struct {
	// Variant is its name.
	Variant string
	Action  Action
	// Spec is the spec that the variant has, for Hold, or gets; nil for Hold of a variant that does not exist.
	Spec *variant.Spec
	// Held reports whether that is not yet the spec that the set makes.
	Held bool
}

// Decision is what to do now, and what to report.
type Decision struct {
	// ReadLive reports that the variants have to be read from the API server, and the plan made again: the cache may not
	// have all that was written. Everything else is zero then, and nothing may be written.
	ReadLive bool
	// Steps are what to do about each of the variants, in the order of the input. Status must be written first, on the
	// condition that the set has not changed since it was read; if that fails, no step may be done.
	Steps []Step
	// OpenedAt is the value of v1alpha2.OpenedAtAnnotation for what is opened.
	OpenedAt string
	// Status is the status.rollout of the set once the steps are done; without a phase, the set has no status.rollout.
	Status v1alpha2.RolloutStatus
	// Counts and Failures are the status.counts and status.failures of the set before the steps.
	Counts   v1alpha2.VariantCounts
	Failures []v1alpha2.VariantFailure
	// Condition is for a rollout that is not complete; nil if it is complete.
	Condition *v1alpha1.Condition
	// Again is the time after which to plan again although nothing changes; 0 for never.
	Again time.Duration
}

// Plan returns what to do now.
func Plan(in *Input) Decision {
	r := newRollout(in)
	if len(in.Variants) == 0 {
		return r.idle()
	}
	if names := r.unpublished(); len(names) > 0 {
		return r.refuse(names)
	}
	r.advance()
	opened := r.opens()
	if len(opened) > 0 && !r.known() {
		return Decision{ReadLive: true}
	}
	d := Decision{Steps: r.steps(opened), OpenedAt: r.stamp.Format(time.RFC3339), Again: r.again()}
	d.Status, d.Condition = r.status()
	d.Status.Written = r.toBeWritten(d.Steps)
	d.Counts, d.Failures = r.counts(), r.failures()
	return d
}

// Count returns the status.counts and status.failures of a set that has no rollout.
func Count(in *Input) (v1alpha2.VariantCounts, []v1alpha2.VariantFailure) {
	r := newRollout(in)
	return r.counts(), r.failures()
}

// idle returns the decision while the set wants no variant that it can make: nothing is done, and the rollout keeps its
// place. Status has no phase if the rollout has never begun.
func (r *rollout) idle() Decision {
	d := Decision{Counts: r.counts(), Failures: r.failures()}
	if r.Status == nil {
		return d
	}
	d.Status = *r.Status.DeepCopy()
	for i := range d.Status.Waves {
		w := &d.Status.Waves[i]
		w.Targets, w.Updated, w.Reached, w.Failed, w.Suspended = 0, 0, 0, 0, 0
		if w.State != v1alpha2.WaveComplete {
			w.Message = "the set has no target"
		}
	}
	return d
}

// refuse returns what to do while there is no revision to roll out: nothing is opened, and the rollout keeps its place.
func (r *rollout) refuse(names []string) Decision {
	condition := noNumber(names)
	d := Decision{Steps: r.steps(nil), Condition: &condition, Status: v1alpha2.RolloutStatus{Revision: r.wanted},
		Counts: r.counts(), Failures: r.failures()}
	if r.Status != nil {
		d.Status = *r.Status.DeepCopy()
	}
	d.Status.Phase = v1alpha2.RolloutStopped
	return d
}

// newRollout returns the rollout with the targets of its waves, and what is known of each.
func newRollout(in *Input) *rollout {
	r := &rollout{Input: in, wanted: revisionOf(in.Upstreams), stamp: stamp(in.Now),
		targets: make([]target, len(in.Variants))}
	if in.Status != nil && in.Status.Revision == r.wanted {
		r.before = asOf(in.Status, r.stamp)
	}
	if in.Spec != nil {
		r.spec = *in.Spec
	}
	r.waves = wavesOf(&r.spec, r.before)
	for i := range in.Variants {
		t := &r.targets[i]
		t.Variant = &in.Variants[i]
		t.wave = r.waveOf(t.Wave)
		t.wave.targets = append(t.wave.targets, t)
		t.inspect(r)
	}
	if last := len(r.waves) - 1; len(r.waves[last].targets) == 0 {
		r.waves = r.waves[:last]
	}
	return r
}

// asOf returns a status whose waves have no times after the given one. A clock that was set back since wrote such a
// time, and nobody knows how long ago: what is counted from it counts from now. Otherwise a wave would soak, and a
// target would not be overdue, for as long as that clock was ahead.
func asOf(status *v1alpha2.RolloutStatus, now time.Time) *v1alpha2.RolloutStatus {
	out := status.DeepCopy()
	for i := range out.Waves {
		for _, t := range []*metav1.Time{&out.Waves[i].Since, out.Waves[i].OpenedAt} {
			if t != nil && t.After(now) {
				t.Time = now
			}
		}
	}
	return out
}

// rollout is a plan in the making.
type rollout struct {
	*Input
	// spec is the rollout of the set; empty if it has none.
	spec   v1alpha2.Rollout
	wanted v1alpha2.RolloutRevision
	// before is the status of the same rollout; nil if it begins.
	before  *v1alpha2.RolloutStatus
	stamp   time.Time
	waves   []*wave
	targets []target
	// current is the first wave that is not complete; nil if all are.
	current *wave
	// opened is the number of targets in the waves that were opened, and failed the number of those that have failed with
	// the spec that they should have.
	opened, failed int
}

// stamp returns a time as the API keeps it, in seconds, rounded up, so that a period is never cut short.
func stamp(now time.Time) time.Time {
	whole := now.UTC().Truncate(time.Second)
	if whole.Before(now) {
		return whole.Add(time.Second)
	}
	return whole
}
