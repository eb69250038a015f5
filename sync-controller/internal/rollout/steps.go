// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"time"

	"github.com/package-variants/package-variants/api/v1alpha2"
	"k8s.io/apimachinery/pkg/api/equality"
)

// holds reports whether nothing more is to be opened.
func (r *rollout) holds() bool {
	return r.Suspended || r.spec.Paused || r.stopped()
}

// opens returns the targets to open now: of the current wave, no more than leave maxConcurrent in flight. Those that
// are on their way to something else come first, since they come to be nothing more: of the others so many only that
// the wave has no more than that on its way at all.
func (r *rollout) opens() []*target {
	if r.current == nil || r.holds() {
		return nil
	}
	w := r.current
	var opened []*target
	limit, inFlight := w.limit(), w.count((*target).inFlight)
	moving := w.count(func(t *target) bool { return t.moving })
	for _, first := range []bool{true, false} {
		for _, t := range w.targets {
			switch {
			case !t.pending() || t.moving != first:
				continue
			case inFlight >= limit || !t.moving && moving >= limit:
				return opened
			case !t.moving:
				moving++
			}
			inFlight++
			opened = append(opened, t)
		}
	}
	return opened
}

// behind reports whether the variants may be older than what was written: the status, which is written first, does not
// agree with them, or a rollout begins. What comes from the API server is not.
func (r *rollout) behind() bool {
	if r.Live {
		return false
	}
	if r.before == nil {
		return true
	}
	known := 0
	for i := range r.before.Waves {
		known += int(r.before.Waves[i].Updated)
	}
	for i := range r.targets {
		if r.targets[i].updated {
			known--
		}
	}
	return known != 0
}

// steps returns what to do about each target, and counts in the waves what they will have.
func (r *rollout) steps(opened []*target) []Step {
	opens := make(map[*target]bool, len(opened))
	for _, t := range opened {
		opens[t] = true
	}
	steps := make([]Step, len(r.targets))
	for i := range r.targets {
		t := &r.targets[i]
		s := Step{Variant: t.Name, Action: Hold}
		if t.Have != nil {
			s.Spec = &t.Have.Spec
		}
		if opens[t] {
			s.Action, s.Spec = Open, t.spec
		} else if pinned := t.pin(); pinned != nil && !r.Suspended {
			s.Action, s.Spec = Pin, pinned
		}
		if t.updated || s.Action == Open || s.Action == Pin && equality.Semantic.DeepEqual(s.Spec, t.spec) {
			t.wave.now.Updated++
		}
		steps[i] = s
	}
	return steps
}

// again returns after how long a deadline passes, or a wave has soaked; 0 if nothing does.
func (r *rollout) again() (again time.Duration) {
	sooner := func(at time.Time) {
		if wait := at.Sub(r.Now); wait > 0 && (again == 0 || wait < again) {
			again = wait
		}
	}
	for i := range r.targets {
		if t := &r.targets[i]; t.moving {
			if at, isSet := t.deadline(r); isSet {
				sooner(at)
			}
		}
	}
	if w := r.current; w != nil && w.now.State == v1alpha2.WaveSoaking {
		until, _ := w.soaksUntil(r.stamp)
		sooner(until)
	}
	return again
}
